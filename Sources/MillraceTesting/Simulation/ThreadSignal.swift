import Foundation

/// A thread of its own for what blocks, and a signal that such a thread waits for.
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

  /// Runs `body` on a new thread, with a stack as large as that of a main thread, and returns what it returns.
  static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }
}
