import Millrace

/// The events of a resimulation, which it waits for and is notified of.
final class ResimulationBoard<Action: Codable & Sendable, Mutation: Codable & Sendable>: Sendable {
  /// Resumed with the recorded reply, or nil when the call is cancelled.
  typealias Waiting = CheckedContinuation<RecordedReply?, Never>

  struct Content: Sendable {
    var runs: ResimulatedRuns<Action, Mutation>
    var calls: CallTable<Waiting>
    var differences: [ResimulationDifference] = []
    var nextID = 0

    /// The wait whose patience is at an end.
    var impatient = 0

    /// The longest time of the next wait, and the time of the last wait that was in vain.
    var patience: Duration
    var waited = Duration.zero

    /// Whether nothing is answered any more.
    var isOver = false
  }

  private let content: Lock<Content>
  private let waiter = Waiter()
  private let time: TimeSource
  private let patience: Duration

  init(
    _ runs: ResimulatedRuns<Action, Mutation>, _ calls: [RecordedCall], patience: Duration, clock: any Clock<Duration>
  ) {
    content = Lock(Content(runs: runs, calls: CallTable(calls), patience: patience))
    self.patience = patience
    time = TimeSource(clock)
  }

  /// The events so far.
  func read<Value: Sendable>(_ body: @Sendable (Content) -> Value) -> Value {
    content.withLock { body($0) }
  }

  /// Notes that something has happened, and lets the resimulation look.
  @discardableResult
  func note<Value: Sendable>(_ body: @Sendable (inout Content) -> Value) -> Value {
    let value = content.withLock { body(&$0) }
    waiter.signal()
    return value
  }

  /// Whether too many waits were in vain to begin another.
  var isGivenUp: Bool { read { $0.patience } < patience / 16 }

  /// Waits until something holds; false when it did not within the patience.
  ///
  /// Each wait in vain leaves half of the patience to the next one, so that all of them together take less than twice as long as
  /// the first. For one task at a time.
  func wait(until holds: @Sendable @escaping (inout Content) -> Bool) async -> Bool {
    if content.withLock({ holds(&$0) }) { return true }
    let id = makeID()
    let patience = read { $0.patience }
    let alarm = Task { [time] in
      try await time.sleep(until: time.now() + patience.nanoseconds)
      note { $0.impatient = id }
    }
    defer { alarm.cancel() }
    while true {
      let isOver: Bool? = content.withLock { content in
        if holds(&content) { return true }
        guard content.impatient == id else { return nil }
        (content.waited, content.patience) = (patience, patience / 2)
        return false
      }
      if let isOver { return isOver }
      await waiter.wait {}
    }
  }

  // MARK: Calls

  /// The recorded reply to a call, once its turn has come; nil if there is none.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before, or the recorded call was.
  func reply(to name: String, _ request: String, of live: RunID?) async throws -> RecordedReply? {
    let id = makeID()
    let key = read { CallTable<Waiting>.Key(run: live.flatMap($0.runs.twin(of:)), name: name, request: request) }
    let isExpected = Lock(true)
    let reply = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiting: Waiting) in
        let isWaiting = note { content in
          let isWaiting = content.calls.arrive(
            waiting, id: id, key, mayHaveNoReply: key.run.map { content.runs.wasCut($0) } ?? false)
          isExpected.withLock { $0 = isWaiting }
          // A task that was cancelled before has missed its cancellation here.
          if isWaiting, Task.isCancelled { return content.calls.cancel(id, key) == nil }
          return isWaiting
        }
        if !isWaiting { waiting.resume(returning: nil) }
      }
    } onCancel: {
      note { $0.calls.cancel(id, key) }?.resume(returning: nil)
    }
    if let reply { return reply }
    guard isExpected.withLock({ $0 }) else { return nil }
    throw CancellationError()
  }

  /// Notes a difference of a run, and makes the error that its handler gets.
  func fail(_ kind: ResimulationDifference.Kind, _ live: RunID?, _ what: String) -> RecordedFailure {
    let sentence = note { content in
      let run = live.flatMap { content.runs.twin(of: $0) }
      let name = run.flatMap { content.runs.pasts[$0]?.name } ?? "What is not recorded"
      let sentence = "\(name) \(what)."
      content.differences.append(ResimulationDifference(kind, run, sentence))
      return sentence
    }
    return RecordedFailure(sentence)
  }

  /// Ends the calls that wait; those of runs are cancelled by then.
  func finish() {
    let waiting = note { content in
      content.isOver = true
      return content.calls.finish()
    }
    for waiting in waiting { waiting.resume(returning: nil) }
  }

  private func makeID() -> Int {
    content.withLock { content in
      content.nextID += 1
      return content.nextID
    }
  }
}

/// The steps of a resimulation: the entries, and before them the beginnings of the calls whose replies they are.
///
/// Without the beginnings the recorded time would leap over the moment at which a handler called, and what it waited for until
/// then would be over together with what came much later.
struct ResimulationScript: Sendable {
  enum Step: Sendable, Equatable {
    /// The call of this number begins, at this time.
    case begin(call: Int, at: Int64)
    /// The entry of this index.
    case entry(Int)
    /// The entry of this index, which is the reply to the call of this number.
    case reply(Int, call: Int)
  }

  let steps: [Step]

  /// - Parameters:
  ///   - times: when each entry was.
  ///   - calls: the entries that are replies, by their index, and how long each call took.
  init(times: [Int64], calls: [(entry: Int, took: Int64)]) {
    let begins = calls.enumerated().map { number, call in
      let at = times[call.entry] - call.took
      return (index: ResimulationScript.index(of: at, before: call.entry, in: times), at: at, number: number)
    }.sorted { ($0.index, $0.at, $0.number) < ($1.index, $1.at, $1.number) }
    var (begun, replied) = (0, 0)
    var steps: [Step] = []
    for index in times.indices {
      while begun < begins.count, begins[begun].index == index {
        steps.append(.begin(call: begins[begun].number, at: begins[begun].at))
        begun += 1
      }
      if replied < calls.count, calls[replied].entry == index {
        steps.append(.reply(index, call: replied))
        replied += 1
      } else {
        steps.append(.entry(index))
      }
    }
    self.steps = steps
  }

  /// The first entry that was later than a time, so that all that can have led to a call stands before it.
  private static func index(of at: Int64, before entry: Int, in times: [Int64]) -> Int {
    var (low, high) = (0, entry)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= at { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
