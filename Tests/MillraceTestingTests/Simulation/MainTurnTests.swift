import Foundation
import Testing

@testable import MillraceTesting

@Suite("MainTurn")
struct MainTurnTests {
  @Test("A job that begins in time is waited for")
  func inTime() async {
    let seen = Recorder<Bool>()
    let isDone = await onThread { MainTurn().run(seconds: 100) { seen.record($0) } }
    #expect(isDone && seen.recorded == [true])
  }

  @Test("A job that has begun is waited for also when the time is over meanwhile")
  func begun() async {
    let (seen, mayEnd) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
    let isDone = await onThread {
      let turn = MainTurn()
      return turn.run(seconds: 100) { isInTime in
        // From here on it cannot be late any more.
        DispatchQueue.global().async { mayEnd.signal() }
        mayEnd.wait()
        seen.record(isInTime)
      }
    }
    #expect(isDone && seen.recorded == [true])
  }

  @Test("A job that did not begin in time is late, and done once")
  func late() async throws {
    let (seen, mayGoOn) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
    DispatchQueue.main.async { mayGoOn.wait() }
    let isDone = await onThread { MainTurn().run(seconds: 0) { seen.record($0) } }
    #expect(!isDone)
    mayGoOn.signal()
    #expect(try await seen.next() == false)
  }
}

/// Runs `body` on a thread of its own, which it may block.
private func onThread(_ body: @escaping @Sendable () -> Bool) async -> Bool {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
