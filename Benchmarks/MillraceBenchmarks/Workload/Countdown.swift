import Synchronization

/// Suspends one task until a number of arrivals was counted; the same for every row that waits.
final class Countdown: Sendable {
  private enum Wait {
    /// Arrivals are left, and no task waits. Becomes `suspended` or `over`.
    case open
    /// Arrivals are left, and a task waits. Becomes `over`.
    case suspended(UnsafeContinuation<Void, Never>)
    /// All have arrived. Remains.
    case over
  }

  private let left: Atomic<Int>
  private let waiting = Mutex(Wait.open)

  /// Counts `count` arrivals.
  init(_ count: Int) {
    left = Atomic(count)
    if count <= 0 { waiting.withLock { $0 = .over } }
  }

  /// Counts one arrival.
  func arrive() {
    let now = left.subtract(1, ordering: .acquiringAndReleasing).newValue
    precondition(now >= 0, "A countdown counted more arrivals than it was made for; let each action arrive once.")
    guard now == 0 else { return }
    let suspended = waiting.withLock { wait -> UnsafeContinuation<Void, Never>? in
      defer { wait = .over }
      if case .suspended(let continuation) = wait { return continuation }
      return nil
    }
    suspended?.resume()
  }

  /// The number of arrivals that are left.
  var remaining: Int { left.load(ordering: .acquiring) }

  /// Suspends until all have arrived; returns immediately if they had arrived before.
  func wait() async {
    await withUnsafeContinuation { continuation in
      let isOver = waiting.withLock { wait in
        if case .over = wait { return true }
        wait = .suspended(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
