import Dispatch
import Millrace

/// A call of a journal's user for a thread of the engine.
package protocol QueuedCall: Sendable {
  /// Resumes the caller with an error.
  var refuse: @Sendable (JournalError) -> Void { get }
}

/// The calls that wait for a thread of an engine, which takes all of them at once.
package final class CallQueue<Call: QueuedCall>: Sendable {
  private struct State {
    var calls: [Call] = []
    var isClosed = false
    /// Resumed when the thread has ended.
    var closers: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
  }

  private let state = Lock(State())
  private let wake = DispatchSemaphore(value: 0)

  package init() {}

  package func add(_ call: Call) {
    let (isOpen, isFirst) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.calls.append(call)
      // The thread takes all calls at once.
      return (true, state.calls.count == 1)
    }
    if isFirst { wake.signal() }
    if !isOpen { call.refuse(.closed) }
  }

  /// Ends the thread once the calls that wait have ended.
  package func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  /// Waits until the thread has ended.
  package func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.closers.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  // MARK: The thread's

  /// Takes all calls that wait, and blocks until there are some, for as long as it is to wait; nil when the queue is closed and no call waits.
  ///
  /// - Parameter time: the longest time to wait; nil to wait for as long as there is no call.
  package func take(waitingFor time: Duration?) -> [Call]? {
    var hasWaited = time == .zero
    while true {
      let (calls, isClosed) = state.withLock { state in
        defer { state.calls = [] }
        return (state.calls, state.isClosed)
      }
      if !calls.isEmpty { return calls }
      if isClosed { return nil }
      if hasWaited { return [] }
      if let time {
        hasWaited = wake.wait(timeout: .now() + .nanoseconds(Int(time.nanoseconds))) == .timedOut
      } else {
        wake.wait()
      }
    }
  }

  package func end() {
    let closers = state.withLock { state in
      state.hasEnded = true
      return state.closers
    }
    for closer in closers { closer.resume() }
  }
}
