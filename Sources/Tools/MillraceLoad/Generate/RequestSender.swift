import Millrace
import Synchronization

/// Sends requests to the users of a run and records how they end.
struct RequestSender: Sendable {
  let targets: [any LoadTarget]
  let recorder: LoadRecorder
  let inFlight: InFlight
  let time: TimeSource
  /// The start of the measured part, in the time of the clock.
  let origin: Int64

  /// The result of sending a request.
  enum Sent {
    /// The request was not sent, because as many as allowed are in flight.
    case not
    /// The request has ended.
    case ended(Outcome)
    /// The request is in flight: to be counted as sent, and then to be awaited.
    case open(LoadStart)
  }

  /// The time since the start of the measured part, in nanoseconds.
  var now: Int64 { time.now() - origin }

  /// Sends a request and records nothing.
  func send(_ number: Int) -> Sent {
    guard !inFlight.isFull else { return .not }
    let user = number % targets.count
    let start = targets[user].begin(LoadRequest(user: user, number: number))
    if case .ended(let outcome) = start { return .ended(outcome) }
    inFlight.begin()
    return .open(start)
  }

  /// Awaits the end of a request in flight, in a task of its own, and records it.
  func await(_ start: LoadStart, number: Int, due: Int64, began: Int64?) {
    switch start {
    case .ended: preconditionFailure("A request that has ended is not in flight.")
    case .sent(let receipt):
      // The receipt answers in every case, so that no code has to cancel this task.
      Task.immediateDetached {
        finish(LoadEnd(await receipt.outcome), due: due, began: began)
        inFlight.end()
      }
    case .due(let perform):
      inFlight.perform(number) { finish(await perform(), due: due, began: began) }
    }
  }

  /// Records the end of a request that was counted as sent.
  func finish(_ end: LoadEnd, due: Int64, began: Int64?) {
    let ended = now
    recorder.add(at: ended) { $0.end(end, due: due, began: began, ended: ended) }
  }
}

/// The requests that have begun and not ended, at most as many as a run allows.
final class InFlight: Sendable {
  private struct State {
    /// The tasks that perform requests, by a number of their own.
    var tasks: [Int: Task<Void, Never>] = [:]
    /// The tasks that ended before they were registered.
    var ended: Set<Int> = []
    var waiting: UnsafeContinuation<Void, Never>?
  }

  /// Apart from the state, because an open loop reads it for each request.
  private let count = Atomic(0)
  private let state = Lock(State())
  private let maximum: Int

  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Whether as many requests as allowed are in flight.
  var isFull: Bool { count.load(ordering: .relaxed) >= maximum }

  /// Counts one more request; the caller has asked ``isFull``.
  func begin() {
    count.add(1, ordering: .relaxed)
  }

  /// Counts a request that has ended.
  func end() {
    guard count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    resumeWaiting()
  }

  /// Performs a counted request in a task, which ``cancelAll()`` cancels.
  ///
  /// - Parameters:
  ///   - number: differs from that of every other task.
  ///   - body: performs the request; its return is its end.
  func perform(_ number: Int, _ body: @escaping @Sendable () async -> Void) {
    let task = Task.detached {
      await body()
      self.state.withLock { state in
        if state.tasks.removeValue(forKey: number) == nil { state.ended.insert(number) }
      }
      self.end()
    }
    state.withLock { state in
      if state.ended.remove(number) == nil { state.tasks[number] = task }
    }
  }

  /// Returns when no request is in flight, or when the calling task is cancelled.
  func waitUntilIdle() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let isIdle = state.withLock { state in
          guard count.load(ordering: .acquiring) > 0, !Task.isCancelled else { return true }
          state.waiting = continuation
          return false
        }
        if isIdle { continuation.resume() }
      }
    } onCancel: {
      resumeWaiting()
    }
  }

  /// Resumes the caller of ``waitUntilIdle()``, which looks at the count under the same lock.
  private func resumeWaiting() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Cancels the tasks of all requests in flight.
  func cancelAll() {
    let tasks = state.withLock { Array($0.tasks.values) }
    for task in tasks { task.cancel() }
  }
}
