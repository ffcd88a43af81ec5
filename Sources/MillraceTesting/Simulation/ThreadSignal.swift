import Dispatch

/// A signal that a thread waits for.
final class ThreadSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() {
    semaphore.signal()
  }

  /// Blocks the calling thread until the signal comes.
  func wait() {
    semaphore.wait()
  }

  /// Blocks the calling thread; false if the signal did not come in time.
  func wait(seconds: Double) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
  }
}
