import Foundation
import Millrace

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
  ///
  /// The thread may last a little longer; `body` does not.
  static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let work = Work(body)
    return await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: work.run()) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }
}

/// Something that is done once, and held no longer than that.
private final class Work<Value: Sendable>: Sendable {
  private let body: Lock<(@Sendable () -> Value)?>

  init(_ body: @escaping @Sendable () -> Value) {
    self.body = Lock(body)
  }

  func run() -> Value {
    guard let body = body.withLock({ $0.take() }) else { preconditionFailure("A thread does its work once.") }
    return body()
  }
}
