import Millrace

/// The calls of a store to the log of its key, for opening it and for writing to it.
///
/// A call is repeated while it fails with a transient error, until the journal has been unavailable for a time on the store's clock. A call
/// that does not return is given up after that time by the clock of the system, because a sleep on a clock that a test moves would be one that the
/// test has to know of.
struct JournalCalls: Sendable {
  let journal: any Journal
  let key: JournalKey
  /// The longest time without an answer.
  let deadline: Duration
  let clock: any Clock<Duration>
  /// Called once a call has failed for as long as the deadline, and is repeated all the same; nil if it is given up then.
  fileprivate private(set) var didMissDeadline: (@Sendable (JournalError) -> Void)?
  private let limits: CallLimits

  /// - Parameter limits: Abandons calls that do not return in time; shared by the calls of many keys, nil for those of one.
  init(
    journal: any Journal, key: JournalKey, deadline: Duration, clock: any Clock<Duration>, limits: CallLimits? = nil
  ) {
    self.journal = journal
    self.key = key
    self.deadline = deadline
    self.clock = clock
    self.limits = limits ?? CallLimits(deadline)
  }

  /// The same calls, which are repeated for as long as the journal is unavailable, until the calling task is cancelled.
  ///
  /// - Parameter report: Called once for each call that misses the deadline; nil for calls that are given up then.
  func outlastingOutages(_ report: (@Sendable (JournalError) -> Void)?) -> JournalCalls {
    var calls = self
    calls.didMissDeadline = report
    return calls
  }

  /// The events of a call that is repeated.
  struct Events {
    /// Called when a call has failed and is to be repeated, or it is not known whether it did what it was to do.
    var didFail: () -> Void = {}
    /// Returns the reason for which no further attempt is made; nil for none.
    var giveUp: () -> JournalError? = { nil }
    /// Called before an attempt that follows a failed one.
    var willRetry: () -> Void = {}
  }

  /// Performs a call, and repeats it while it fails with a transient error.
  ///
  /// - Throws: ``JournalError``: the error of the call, or the one that says how long the journal was unavailable.
  func read<Value: Sendable>(
    events: Events = Events(),
    _ call: @escaping @Sendable (any Journal, JournalKey) async throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    var pauses = RetryPauses(self)
    while true {
      let result: Result<Value, JournalError>? = await limited { [journal, key] in
        do throws(JournalError) { return .success(try await call(journal, key)) } catch { return .failure(error) }
      }
      switch result {
      case .success(let value): return value
      case .failure(let failure) where failure.isTransient: try await pauses.pause(after: failure, events)
      case .failure(let failure): throw failure
      case nil: try await pauses.pause(afterNoAnswer: events)
      }
    }
  }

  /// Stores batches behind the last record, which no other writer may have followed.
  ///
  /// Where the journal does not say whether a batch is stored, or the log ends elsewhere, the batches are looked up by their ids first.
  ///
  /// - Parameters:
  ///   - batches: the batches.
  ///   - last: the last sequence that the writer knows.
  ///   - events: called when a call has failed.
  ///   - didPersist: called with the number of batches that are durable, and the last sequence then, each time there are more.
  /// - Throws: ``JournalError``: the error of the call, or the one that says how long the journal was unavailable.
  func append(
    _ batches: [JournalBatch], after last: JournalSequence, events: Events = Events(),
    didPersist: (Int, JournalSequence) -> Void
  ) async throws(JournalError) {
    var (persisted, last) = (0, last)
    var pauses = RetryPauses(self)
    while persisted < batches.count {
      let rest = Array(batches[persisted...])
      let answer = await limited { [journal, key, last] in await journal.append(rest, to: key, after: last) }
      if answer == nil, didMissDeadline == nil { throw .noAnswer(key, deadline) }
      // An append that is given up may still be stored, so its batches are looked up.
      let result = answer ?? JournalAppend(stored: 0, last: last, failure: .noAnswer(key, deadline))
      var count = min(max(result.stored, 0), rest.count)
      if count > 0 { last = result.last }
      if count == 0, result.failure == nil { throw .noReason(key) }
      if let failure = result.failure, failure.code == .unknown || failure.code == .conflict {
        if failure.code == .unknown { events.didFail() }
        let found = try await lookUp(rest[count...], after: last, events)
        (count, last) = (count + found.count, found.last)
      }
      persisted += count
      if count > 0 {
        didPersist(count, last)
        pauses = RetryPauses(self)
      }
      guard let failure = result.failure, persisted < batches.count else { continue }
      // A batch that was found is our own, and the next attempt says whether another writer follows it.
      if count > result.stored { continue }
      guard failure.isTransient else { throw failure }
      try await pauses.pause(after: failure, events)
    }
  }

  /// Returns the time since this call, on the store's clock.
  func stopwatch() -> () -> Duration {
    func begin<C: Clock<Duration>>(_ clock: C) -> () -> Duration {
      let start = clock.now
      return { start.duration(to: clock.now) }
    }
    return begin(clock)
  }

  /// The number of the first batches that are stored, and the last sequence of these.
  private func lookUp(
    _ batches: ArraySlice<JournalBatch>, after last: JournalSequence, _ events: Events
  ) async throws(JournalError) -> (count: Int, last: JournalSequence) {
    var (count, end) = (0, last)
    for batch in batches {
      let from = end
      let records: [JournalRecord]?
      do {
        records = try await read(events: events) { journal, key throws(JournalError) in
          try await journal.batch(batch.id, of: key, after: from)
        }
      } catch  where error.code == .truncated {
        // Another writer has taken a snapshot of records that it has appended.
        records = nil
      }
      guard let records, let sequence = records.last?.sequence else { break }
      (count, end) = (count + 1, sequence)
    }
    return (count, end)
  }

  /// The result of a call; nil if it has not returned within the deadline.
  ///
  /// A call that is given up continues, and its result is dropped.
  private func limited<Value: Sendable>(_ call: @escaping @Sendable () async -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
      let waiting = Lock<CheckedContinuation<Value?, Never>?>(continuation)
      let answer: @Sendable (Value?) -> Void = { value in
        let continuation = waiting.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }
        continuation?.resume(returning: value)
      }
      let number = limits.begin { answer(nil) }
      Task.detached { [limits] in
        let value = await call()
        limits.end(number)
        answer(value)
      }
    }
  }
}

/// The pauses between the attempts at one call: 10 milliseconds, and twice as long each time up to a second.
private struct RetryPauses {
  private let calls: JournalCalls
  private let elapsed: () -> Duration
  private var next = Duration.milliseconds(10)
  private var hasMissedDeadline = false

  init(_ calls: JournalCalls) {
    self.calls = calls
    elapsed = calls.stopwatch()
  }

  /// Sleeps until the next attempt.
  ///
  /// - Throws: ``JournalError`` if the journal has been unavailable up to the deadline, or no further attempt is made.
  mutating func pause(after failure: JournalError, _ events: JournalCalls.Events) async throws(JournalError) {
    events.didFail()
    if let failure = events.giveUp() { throw failure }
    if elapsed() >= calls.deadline { try missDeadline(failure) }
    if calls.didMissDeadline == nil {
      // In a task of its own, because an opening may be made in a task that is cancelled, where a sleep returns at once.
      await Task.detached { [clock = calls.clock, next] in try? await clock.sleep(for: next) }.value
    } else if (try? await calls.clock.sleep(for: next)) == nil {
      throw .closed
    }
    next = min(next * 2, .seconds(1))
    events.willRetry()
  }

  /// Sleeps until the next attempt at a call that has not returned within the deadline.
  ///
  /// - Throws: ``JournalError`` if no further attempt is made.
  mutating func pause(afterNoAnswer events: JournalCalls.Events) async throws(JournalError) {
    let failure = JournalError.noAnswer(calls.key, calls.deadline)
    if calls.didMissDeadline == nil { throw failure }
    try await pause(after: failure, events)
  }

  private mutating func missDeadline(_ failure: JournalError) throws(JournalError) {
    guard let report = calls.didMissDeadline else { throw .deadline(calls.key, calls.deadline, failure) }
    if hasMissedDeadline { return }
    hasMissedDeadline = true
    report(failure)
  }
}

/// Abandons calls that do not return within a time, by the clock of the system.
///
/// One task sleeps until the earliest call is due, and then for the earliest one of those that are out by then. So a call costs no task and no timer of
/// its own, and the task ends when it finds no call.
final class CallLimits: Sendable {
  private struct Calls {
    var next = 0
    /// The calls that are out.
    var out: [Int: (due: ContinuousClock.Instant, giveUp: @Sendable () -> Void)] = [:]
    var isWatched = false
  }

  private let time: Duration
  private let calls = Lock(Calls())

  init(_ time: Duration) {
    self.time = time.bounded
  }

  /// Begins a call, and returns its number.
  ///
  /// - Parameter giveUp: called if the call is out for too long, on an unspecified thread.
  func begin(_ giveUp: @escaping @Sendable () -> Void) -> Int {
    let due = ContinuousClock.now + time
    let (number, begins) = calls.withLock { calls in
      calls.next += 1
      calls.out[calls.next] = (due, giveUp)
      defer { calls.isWatched = true }
      return (calls.next, !calls.isWatched)
    }
    if begins { Task.detached { [self] in await watch() } }
    return number
  }

  func end(_ number: Int) { calls.withLock { $0.out[number] = nil } }

  private func watch() async {
    while let due = nextDue() {
      try? await ContinuousClock().sleep(until: due)
      let late = calls.withLock { calls in
        let now = ContinuousClock.now
        let late = calls.out.filter { $0.value.due <= now }
        for number in late.keys { calls.out[number] = nil }
        return late
      }
      for call in late.values { call.giveUp() }
    }
  }

  /// The time at which the earliest call is given up; nil if none is out, and this task ends.
  private func nextDue() -> ContinuousClock.Instant? {
    calls.withLock { calls in
      let due = calls.out.values.map(\.due).min()
      calls.isWatched = due != nil
      return due
    }
  }
}
