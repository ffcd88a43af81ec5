import Millrace
import Testing

@testable import MillraceTesting

@Suite("Time limits of waits", .timeLimit(.minutes(1)))
struct WaitErrorTests {
  /// The sentence of a wait in line 7 of this file that has no time.
  private func sentence(_ wait: () async throws -> Void) async throws -> String {
    let error = try #require(await #expect(throws: WaitError.self) { try await wait() })
    #expect(error.waited == .zero)
    let place = "The test waited 0.0 seconds at WaitErrorTests.swift:7 for "
    #expect(error.description.hasPrefix(place))
    let end = ", or give the wait a longer timeout."
    #expect(error.description.hasSuffix(end))
    return String(error.description.dropFirst(place.count).dropLast(end.count))
  }

  @Test("A gate says how often it was entered")
  func gate() async throws {
    let gate = Gate()
    gate.open()
    try await gate.enter()
    #expect(
      try await sentence { try await gate.waitForArrivals(2, timeout: .zero, line: 7) } == """
        2 entries of its gate, but the gate was entered 1 time, and is open. Begin what enters it before, such as an action
        """)
  }

  @Test("A recorder says how many elements are unread, and keeps them")
  func recorder() async throws {
    let recorder = Recorder<Int>()
    recorder.record(1)
    recorder.record(2)
    #expect(try await recorder.next(timeout: .zero) == 1)
    #expect(
      try await sentence { _ = try await recorder.next(2, timeout: .zero, line: 7) } == """
        2 more elements of its recorder, but 1 of 2 recorded is unread. Let what is recorded happen before
        """)
    #expect(try await recorder.next() == 2)
    #expect(
      try await sentence { _ = try await recorder.next(timeout: .zero, line: 7) } == """
        1 more element of its recorder, but 0 of 2 recorded are unread. Let what is recorded happen before
        """)
  }

  @Test("A clock says who sleeps on it")
  func clock() async throws {
    let clock = TestClock()
    let fix = "Let what the tasks wait for happen before they sleep, such as the reply of a fake"
    #expect(
      try await sentence { try await clock.waitForSleepers(timeout: .zero, line: 7) } == """
        1 task to sleep on its test clock, but no task sleeps on it, and its time is 0.0 seconds. \(fix)
        """)
    let sleeper = Task.immediate { try await clock.sleep(for: .seconds(2)) }
    #expect(
      try await sentence { try await clock.waitForSleepers(2, timeout: .zero, line: 7) } == """
        2 tasks to sleep on its test clock, but 1 task sleeps on it, until 2.0 seconds, and its time is 0.0 seconds. \(fix)
        """)
    sleeper.cancel()
  }

  @Test("A fake says how often it was called, a held call and a driven stream that no call has come")
  func fakes() async throws {
    let failures = Failures()
    let (call, stream) = failures.collect { (FakeCall<Int, Void>("fetch"), FakeStream<Int, Int>("follow")) }
    let (held, driven) = (call.hold(), stream.drive())
    let fix = "Begin what calls it before, such as an action"
    #expect(
      try await sentence { try await call.waitForCalls(2, timeout: .zero, line: 7) } == """
        2 calls of fetch, but it was called 0 times. \(fix)
        """)
    #expect(
      try await sentence { _ = try await held.arrived(timeout: .zero, line: 7) } == """
        a call of fetch that it holds, but no call has come that this script is for. \(fix)
        """)
    #expect(
      try await sentence { _ = try await driven.opened(timeout: .zero, line: 7) } == """
        its driven stream to be opened, but no call has come that this script is for. \(fix)
        """)
    let sequence: AsyncStream<Int> = stream(1)
    #expect(
      try await sentence { _ = try await driven.ended(timeout: .zero, line: 7) } == """
        its driven stream to be ended, but its consumer has not ended. Cancel what iterates it before, or call its finish()
        """)
    driven.finish()
    #expect(await sequence.contains { _ in true } == false)
    await stream.finish()
  }

  @Test("A condition that holds is no error without time, and a cancelled wait is a cancelled one")
  func fulfilledOrCancelled() async throws {
    let gate = Gate()
    try await gate.waitForArrivals(0, timeout: .zero)
    let wait = Task.immediate { try await gate.waitForArrivals() }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }
}
