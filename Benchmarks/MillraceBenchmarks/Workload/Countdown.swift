import Synchronization

/// Lets one task wait until a number of arrivals was counted; the same for every row that waits.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let waiting = Mutex<UnsafeContinuation<Void, Never>?>(nil)

  /// Counts `count` arrivals, and one for the task that waits.
  init(_ count: Int) {
    left = Atomic(count + 1)
  }

  /// Counts one arrival.
  func arrive() {
    guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    waiting.withLock { $0 }?.resume()
  }

  /// Suspends until all have arrived.
  func wait() async {
    await withUnsafeContinuation { continuation in
      waiting.withLock { $0 = continuation }
      arrive()
    }
  }
}
