import Millrace

/// The clock of a store that is resimulated: its time is that of the entry that is looked at, and for a run that continues
/// meanwhile that of what it was given last.
final class RecordedClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    let nanoseconds: Int64

    func advanced(by duration: Duration) -> Instant {
      let (sum, isTooLate) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
      return Instant(nanoseconds: isTooLate ? .max : sum)
    }

    func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }

    static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  }

  private struct Sleepers {
    var now = Instant(nanoseconds: 0)
    var nextID = 0
    var asleep: [Int: Sleeper] = [:]
    var runs = RunTimes()

    /// The time for a run, or for who is in none.
    func now(of run: RunID?) -> Instant {
      run.flatMap { runs[$0] }.map { Instant(nanoseconds: $0) } ?? now
    }

    /// A sleep until this is over.
    mutating func wake(_ run: RunID?, at deadline: Instant) {
      if let run { runs.goesOn(run, at: deadline.nanoseconds) } else { runs.alarmed() }
    }
  }

  private struct Sleeper {
    let deadline: Instant
    let run: RunID?
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Lock(Sleepers())

  var now: Instant {
    let run = RunContext.current?.run
    return state.withLock { $0.now(of: run) }
  }

  var minimumResolution: Duration { .nanoseconds(1) }

  /// Sets the time, and wakes those who slept until then: the earlier deadline first, then who came first.
  func advance(to nanoseconds: Int64) {
    let due = state.withLock { state in
      state.now = max(state.now, Instant(nanoseconds: nanoseconds))
      let due = state.asleep.filter { $0.value.deadline <= state.now }
        .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      for (id, sleeper) in due {
        state.asleep[id] = nil
        state.wake(sleeper.run, at: sleeper.deadline)
      }
      return due.map(\.value.continuation)
    }
    for continuation in due { continuation.resume(returning: true) }
  }

  /// A run was accepted.
  func accepted(_ cause: RunContext) {
    state.withLock { $0.runs.accepted(cause.run, by: cause.parent, at: $0.now.nanoseconds) }
  }

  /// A run is about to be given what it has waited for, or has done something that is waited for.
  func goesOn(_ run: RunID) {
    state.withLock { $0.runs.goesOn(run, at: $0.now.nanoseconds) }
  }

  /// A run has ended.
  func ended(_ cause: RunContext) {
    state.withLock { $0.runs.ended(cause.run, of: cause.parent, at: $0.now.nanoseconds) }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let run = RunContext.current?.run
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isOver: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if deadline > state.now {
            state.asleep[id] = Sleeper(deadline: deadline, run: run, continuation: continuation)
            return nil
          }
          if deadline > state.now(of: run) { state.wake(run, at: deadline) }
          return true
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      state.withLock { $0.asleep.removeValue(forKey: id)?.continuation }?.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }
}
