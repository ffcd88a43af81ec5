import Millrace

/// The real time that a call waits at most.
final class Patience: Sendable {
  private let hasEnded = Lock(false)
  private let timer = Lock<Task<Void, any Error>?>(nil)

  /// Begins to wait, and calls `end` when the time is over.
  ///
  /// In a simulation it never is: real time does not pass there, and the world notices that no task can continue.
  init(_ time: Duration, end: @escaping @Sendable () -> Void) {
    if JobQueue.isOwnedByThisThread { return }
    let task = Task.detached { [weak self] in
      try await Task.sleep(for: time)
      self?.hasEnded.withLock { $0 = true }
      end()
    }
    timer.withLock { $0 = task }
  }

  /// Whether the time is over.
  var isOver: Bool { hasEnded.withLock { $0 } }

  /// Waits no longer.
  func cancel() { timer.withLock { $0 }?.cancel() }
}

/// Suspends the calling task of a test until it is resumed, it is cancelled, or the time is over.
///
/// The time begins when the suspension is registered, so that a condition that holds by then is no error, however short the
/// time is.
///
/// - Parameters:
///   - timeout: the real time that the task waits at most; without meaning in a simulation.
///   - register: registers the suspension, as for ``suspend(_:onCancel:)``.
///   - end: resumes the suspension with nil if it is registered; called when the task is cancelled or the time is over.
///   - late: makes the error for a wait that was too long.
func suspend<Value: Sendable>(
  atMost timeout: Duration, _ register: (Suspension<Value>, _ isCancelled: () -> Bool) -> Void,
  onEnd end: @escaping @Sendable () -> Void, late: () -> WaitError
) async throws -> Value {
  var patience: Patience?
  defer { patience?.cancel() }
  do {
    return try await suspend { (suspension: Suspension<Value>, _) in
      register(suspension) { Task.isCancelled }
      patience = Patience(timeout, end: end)
    } onCancel: {
      end()
    }
  } catch {
    if patience?.isOver == true, !Task.isCancelled { throw late() }
    throw error
  }
}
