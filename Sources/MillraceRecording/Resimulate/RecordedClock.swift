import Millrace

/// The clock of a store that is resimulated: its time is that of the entry that is looked at.
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
    var asleep: [Int: (deadline: Instant, continuation: CheckedContinuation<Bool, Never>)] = [:]
  }

  private let state = Lock(Sleepers())

  var now: Instant { state.withLock { $0.now } }

  var minimumResolution: Duration { .nanoseconds(1) }

  /// Sets the time, and wakes those who slept until then: the earlier deadline first, then who came first.
  func advance(to nanoseconds: Int64) {
    let due = state.withLock { state in
      state.now = max(state.now, Instant(nanoseconds: nanoseconds))
      let due = state.asleep.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.asleep[id] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
    }
    for continuation in due { continuation.resume(returning: true) }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isOver: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if deadline <= state.now { return true }
          state.asleep[id] = (deadline, continuation)
          return nil
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      state.withLock { $0.asleep.removeValue(forKey: id)?.continuation }?.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }
}
