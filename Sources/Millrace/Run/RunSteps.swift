/// The steps of a run: the names that its attempt has used, and the results that it does not have to make again.
///
/// Results are kept for as long as a handler may ask for them: those that were restored from a journal, and those of a run whose plan may
/// lead to another attempt. Of other runs only the names are kept.
@usableFromInline
final class RunSteps: Sendable {
  /// A step that was begun before.
  @usableFromInline
  struct Entry: Sendable {
    let kind: StoredStep.Kind
    var end: End?
    var result: Result?

    /// The position of its newest entry in the journal; 0 for one that was restored, or is not stored.
    var position = 0

    /// Whether it was restored, and is asked for first now.
    var isFirstAsk = false
  }

  /// The beginning of a step.
  @usableFromInline
  enum Beginning: Sendable {
    case new
    /// An earlier attempt or handling has begun the step.
    case known(Entry)
    /// The run or the attempt is over.
    case over
  }

  /// The time of a sleep, or of the timeout of a wait.
  enum End: Sendable {
    /// In wall milliseconds.
    case wallTime(Int64)
    /// An instant of the store's clock, of a run whose steps are not stored.
    case instant(any Sendable)
  }

  enum Result: Sendable {
    /// The value that this process has made.
    case value(any Sendable)
    /// The value as it is stored.
    case encoded([UInt8])
    case failure(any Error)
    /// A mutation was committed.
    case committed
  }

  /// A sleep, a wait or a body that is out.
  private struct Inside {
    let name: String
    let kind: StoredStep.Kind
    let end: Int64?
  }

  private struct Content {
    var attempt = 1
    var used = Set<UTF8Text>(minimumCapacity: 8)
    var entries: [UTF8Text: Entry] = [:]
    /// The restored steps that no handler has asked for.
    var unused: Set<UTF8Text> = []
    var byteCount = 0
    var isOver = false
    var asked: [String] = []
    /// The number of sleeps and waits, and of bodies that have not returned; counted only where steps are stored.
    var rests = 0
    var bodies = 0
    /// The sleeps, waits and bodies that these count, and the step that was begun or stored last.
    var inside: [Inside] = []
    var last: String?

    /// Whether the store may have taken the run's slot back, and the parts of the handler that wait for one.
    var mayLackSlot = false
    var waitingForSlot: [UnsafeContinuation<Void, Never>] = []

    var isResting: Bool { rests > 0 && bodies == 0 }

    mutating func probe(_ name: String) -> Beginning {
      asked.append(name)
      return .over
    }

    mutating func takeWaiting() -> [UnsafeContinuation<Void, Never>] {
      defer { waitingForSlot = [] }
      return waitingForSlot
    }
  }

  private let content: Lock<Content>

  /// Whether a check asks which steps have no result, also those of parts of a handler that are cancelled by others.
  @usableFromInline let isProbed: Bool

  /// - Parameters:
  ///   - stored: the steps that were restored, in the order in which they were stored.
  ///   - coder: decodes their results.
  ///   - isProbed: whether the first step without a result is noted, and ends the handling.
  init(_ stored: [StoredStep] = [], _ coder: (any StepCoder)? = nil, isProbed: Bool = false) {
    self.isProbed = isProbed
    var content = Content()
    for step in stored {
      content.entries[UTF8Text(step.name), default: Entry(kind: step.kind)].add(step, coder)
      content.byteCount += step.byteCount
    }
    content.unused = Set(content.entries.keys)
    content.last = stored.last?.name
    self.content = Lock(content)
  }

  /// Notes that an attempt has begun a step, and returns what is known of it.
  ///
  /// - Throws: ``StepError``: a duplicate, another kind, or one too many.
  @usableFromInline
  func begin(
    _ name: String, _ kind: StoredStep.Kind, attempt: Int, _ coder: (any StepCoder)?
  ) throws(StepError) -> Beginning {
    let limits = coder?.stepLimits ?? StepLimits()
    return try content.withLock { content throws(StepError) in
      // An attempt that was given up may come behind the next one.
      if content.isOver || attempt < content.attempt { return .over }
      if attempt > content.attempt {
        (content.attempt, content.used) = (attempt, [])
        (content.rests, content.bodies, content.inside, content.mayLackSlot) = (0, 0, [], false)
      }
      let key = UTF8Text(name)
      guard content.used.insert(key).inserted else { throw .duplicate(name) }
      if !content.entries.isEmpty, let entry = content.entries[key] {
        guard entry.kind == kind else { throw .otherKind(name, kind, stored: entry.kind) }
        var entry = entry
        entry.isFirstAsk = content.unused.remove(key) != nil
        // In a check each sleep that has begun is over.
        if isProbed, entry.result == nil, kind != .sleep { return content.probe(name) }
        return .known(entry)
      }
      if max(content.used.count, content.entries.count + 1) > limits.count {
        content.used.remove(key)
        throw .tooMany(name, limit: limits.count)
      }
      if content.byteCount >= limits.runBytes {
        content.used.remove(key)
        throw .tooMany(name, bytes: limits.runBytes)
      }
      if isProbed { return content.probe(name) }
      return .new
    }
  }

  /// The names of the steps without a result that a check has met.
  var asked: [String] { content.withLock { $0.asked } }

  /// Counts the bytes of a result that is to be stored.
  ///
  /// - Throws: ``StepError`` if the result is too large, for itself or together with the others; it is not counted then.
  func reserve(_ byteCount: Int, for name: String, _ limits: StepLimits) throws(StepError) {
    if byteCount > limits.resultBytes { throw .tooLarge(name, byteCount, limit: limits.resultBytes) }
    try content.withLock { content throws(StepError) in
      if content.byteCount + byteCount > limits.runBytes { throw .tooLarge(name, inRunOf: limits.runBytes) }
      content.byteCount += byteCount
    }
  }

  /// Uncounts the bytes of a result that was not stored.
  func release(_ byteCount: Int) { content.withLock { $0.byteCount -= byteCount } }

  /// Keeps the end or the result of a step for another attempt.
  ///
  /// - Parameter position: the position of its entry in the journal.
  func keep(_ name: String, _ kind: StoredStep.Kind, end: End? = nil, result: Result? = nil, at position: Int = 0) {
    content.withLock { content in
      var entry = content.entries[UTF8Text(name)] ?? Entry(kind: kind)
      if let end { entry.end = end }
      if let result { entry.result = result }
      entry.position = position
      content.entries[UTF8Text(name)] = entry
    }
  }

  /// Whether a part of the handler sleeps or waits, and no body is out, so that the run may be left open.
  var isResting: Bool { content.withLock { $0.isResting } }

  /// Counts a sleep, a wait or a body that begins, of an attempt; a sleep and a wait with the wall time at which it is over.
  ///
  /// - Returns: whether the run begins to rest with this, and whether it may lack its slot.
  func enter(
    _ name: String, _ kind: StoredStep.Kind, until end: Int64? = nil, attempt: Int
  ) -> (beginsToRest: Bool, mayLackSlot: Bool) {
    count(1, kind, attempt) { content in
      content.inside.append(Inside(name: name, kind: kind, end: end))
      content.last = name
    }
  }

  /// Uncounts a sleep, a wait or a body that is over, and returns what ``enter(_:_:until:attempt:)`` does.
  func leave(_ name: String, _ kind: StoredStep.Kind, attempt: Int) -> (beginsToRest: Bool, mayLackSlot: Bool) {
    count(-1, kind, attempt) { content in
      if let index = content.inside.firstIndex(where: { $0.name == name }) { content.inside.remove(at: index) }
    }
  }

  private func count(
    _ change: Int, _ kind: StoredStep.Kind, _ attempt: Int, _ note: (inout Content) -> Void
  ) -> (beginsToRest: Bool, mayLackSlot: Bool) {
    content.withLock { content in
      guard attempt == content.attempt else { return (false, false) }
      let before = content.isResting
      if kind == .step { content.bodies += change } else { content.rests += change }
      note(&content)
      let begins = content.isResting && !before
      if begins { content.mayLackSlot = true }
      return (begins, content.mayLackSlot)
    }
  }

  /// The step that was begun or stored last; nil without one.
  var last: String? { content.withLock { $0.last } }

  /// The step that the run is in: a body before a sleep or a wait; nil if it is in none.
  var stage: OpenRunStage? {
    content.withLock { content in
      guard let step = content.inside.last(where: { $0.kind == .step }) ?? content.inside.last else { return nil }
      switch (step.kind, step.end) {
      case (.sleep, let end?): return .sleep(step.name, until: end)
      case (.wait, let end): return .condition(step.name, until: end)
      default: return .step(step.name)
      }
    }
  }

  /// The first wall time in milliseconds at which a sleep or the timeout of a wait is over; nil without one.
  var firstEnd: Int64? { content.withLock { $0.inside.compactMap(\.end).min() } }

  /// Keeps the continuation of a part of the handler that waits for the run's slot; for the lock's holder, as `partsToResume`.
  func waitForSlot(_ continuation: UnsafeContinuation<Void, Never>) {
    content.withLock { $0.waitingForSlot.append(continuation) }
  }

  /// Hands over the parts of the handler that wait for the run's slot.
  func partsToResume(hasSlot: Bool) -> [UnsafeContinuation<Void, Never>] {
    content.withLock { content in
      if hasSlot, !content.isResting { content.mayLackSlot = false }
      return content.takeWaiting()
    }
  }

  /// The names of the restored steps that no handler has asked for, sorted.
  var unused: [String] { content.withLock { $0.unused.map(\.text) }.sorted() }

  /// Forgets all results, because the run has ended, and hands over the parts of the handler that wait for its slot.
  func removeAll() -> [UnsafeContinuation<Void, Never>] {
    content.withLock { content in
      (content.used, content.entries, content.unused, content.isOver) = ([], [:], [], true)
      return content.takeWaiting()
    }
  }
}

extension RunSteps.Entry {
  /// Adds what is stored of the step.
  fileprivate mutating func add(_ step: StoredStep, _ coder: (any StepCoder)?) {
    switch step.content {
    case .value(let bytes): result = .encoded(bytes)
    case .failure(let failure): result = .failure(failure.error(of: step.name, coder))
    case .committed: result = .committed
    case .due(let time): end = .wallTime(time)
    }
  }
}

/// The result of a step on its way into the store.
@usableFromInline
struct StepCommit: Sendable {
  let name: String
  let kind: StoredStep.Kind

  /// The content of the journal's entry; nil if the run's steps are not stored.
  let stored: StoredStep?

  var end: RunSteps.End?
  var result: RunSteps.Result?

  /// Called once, without the store's lock: with true when the result is committed and durable, with false if the run or its attempt has
  /// ended before.
  var completion: @Sendable (Bool) -> Void = { _ in }
}
