#if SQLite
  import Foundation
  import Millrace

  /// A call of a journal's user for the thread of the file.
  struct JournalCall: Sendable {
    /// Whether the call changes the file.
    let isWrite: Bool
    /// Does the work, and returns a closure that gives the caller the result, to be called once it is durable.
    let perform: @Sendable (JournalTables) throws -> @Sendable () -> Void
    /// Gives the caller an error.
    let refuse: @Sendable (JournalError) -> Void
  }

  /// The calls that wait for the thread of a file.
  final class JournalQueue: Sendable {
    private struct State {
      var calls: [JournalCall] = []
      var isClosed = false
      /// Resumed when the thread has ended.
      var closers: [CheckedContinuation<Void, Never>] = []
      var hasEnded = false
    }

    private let state = Lock(State())
    private let wake = DispatchSemaphore(value: 0)

    func add(_ call: JournalCall) {
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
    func close() {
      state.withLock { $0.isClosed = true }
      wake.signal()
    }

    /// Waits until the thread has closed the file.
    func waitForEnd() async {
      await withCheckedContinuation { continuation in
        let hasEnded = state.withLock { state in
          if !state.hasEnded { state.closers.append(continuation) }
          return state.hasEnded
        }
        if hasEnded { continuation.resume() }
      }
    }

    // MARK: The thread's

    /// Blocks until calls wait, and takes them all; nil when the journal is closed and no call waits.
    func take() -> [JournalCall]? {
      while true {
        let (calls, isClosed) = state.withLock { state in
          defer { state.calls = [] }
          return (state.calls, state.isClosed)
        }
        if !calls.isEmpty { return calls }
        if isClosed { return nil }
        wake.wait()
      }
    }

    func end() {
      let closers = state.withLock { state in
        state.hasEnded = true
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
  }
#endif
