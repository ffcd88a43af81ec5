import Foundation
import MillraceTesting
import Testing

/// Blocks a thread, not a task, until a test releases it, so that a test keeps a store's lock held.
///
/// Only threads of ``onThread(_:)`` may be stopped: the few threads of the pool are needed by the tests themselves.
final class Latch: Sendable {
  private final class Door: @unchecked Sendable {
    let condition = NSCondition()
    var isOpen = false
  }

  private let door = Door()
  private let arrivals = Recorder<Void>()

  /// Stops the calling thread until the latch is open; a test that never opens it fails after a minute.
  func pass() {
    arrivals.record(())
    let limit = Date(timeIntervalSinceNow: 60)
    door.condition.lock()
    defer { door.condition.unlock() }
    while !door.isOpen {
      guard door.condition.wait(until: limit) else {
        Issue.record("Nobody opened the latch; open it in the test that closed it.")
        return
      }
    }
  }

  /// Waits until one more thread stands at the latch.
  func waitForArrival() async throws {
    try await arrivals.next()
  }

  /// Opens the latch for all threads, from now on.
  func open() {
    door.condition.lock()
    door.isOpen = true
    door.condition.broadcast()
    door.condition.unlock()
  }
}

/// Runs `body` on a thread of its own, which may be stopped, and is waited for by the task that is returned.
@discardableResult
func onThread(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
  let (stream, continuation) = AsyncStream<Void>.makeStream()
  Thread.detachNewThread {
    body()
    continuation.finish()
  }
  return Task { for await _ in stream {} }
}

/// Calls `body` on a thread of its own, and suspends until it has returned.
func onThreadReturning<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
