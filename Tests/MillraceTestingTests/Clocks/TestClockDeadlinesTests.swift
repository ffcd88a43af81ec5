import Millrace
import Testing

@testable import MillraceTesting

/// The time of a test clock goes to deadlines that the test need not know.
@Suite("TestClock, its deadlines", .timeLimit(.minutes(1)))
struct TestClockDeadlinesTests {
  let clock = TestClock()

  /// Sleeps until this many seconds after the start.
  private func sleeper(until second: Int) -> Task<Void, any Error> {
    Task { try await clock.sleep(until: .init(offset: .seconds(second))) }
  }

  @Test("The time goes to the earliest deadline, and no further")
  func earliest() async throws {
    let (late, early) = (sleeper(until: 5), sleeper(until: 3))
    try await clock.waitForSleepers(2)
    try await clock.advance(toNextDeadlineWithin: .seconds(10))
    #expect(clock.now.offset == .seconds(3))
    #expect(clock.sleepers == 1)
    try await early.value
    try await clock.advance(toNextDeadlineWithin: .seconds(2))
    #expect(clock.now.offset == .seconds(5))
    try await late.value
  }

  @Test("A deadline beyond the limit is left alone, and one within it is waited for")
  func withinTheLimit() async throws {
    let timeout = sleeper(until: 5)
    try await clock.waitForSleepers()
    let advance = Task.immediate { try await clock.advance(toNextDeadlineWithin: .seconds(2)) }
    #expect(clock.now.offset == .zero)
    let rest = sleeper(until: 2)
    try await advance.value
    #expect(clock.now.offset == .seconds(2))
    #expect(clock.deadlines.map(\.offset) == [.seconds(5)])
    try await rest.value
    timeout.cancel()
  }

  @Test("Calls that wait move the time one after the other")
  func severalCalls() async throws {
    let calls = (1...2).map { _ in Task.immediate { try await clock.advance(toNextDeadlineWithin: .seconds(9)) } }
    try await sleeper(until: 1).value
    try await calls[0].value
    #expect(clock.now.offset == .seconds(1))
    try await sleeper(until: 2).value
    try await calls[1].value
    #expect(clock.now.offset == .seconds(2))
  }

  @Test("Without a deadline within the limit a sentence says who sleeps")
  func tooLate() async throws {
    let timeout = sleeper(until: 5)
    try await clock.waitForSleepers()
    let error = await #expect(throws: TestClockError.self) {
      try await clock.advance(toNextDeadlineWithin: .seconds(1), timeout: .zero)
    }
    #expect(
      error?.description == """
        The test waited 0.0 seconds for a deadline of its test clock up to 1.0 seconds; the clock stands at 0.0 seconds, and 1 \
        task sleeps on it, until 5.0 seconds. Let what the test waits for happen before, such as the reply of a fake, or give a \
        longer limit.
        """)
    timeout.cancel()
    await #expect(throws: CancellationError.self) { try await timeout.value }
    let none = await #expect(throws: TestClockError.self) {
      try await clock.run(until: { try await Gate().enter() }, within: .seconds(1), timeout: .zero)
    }
    #expect(none?.description.contains("and no task sleeps on it.") == true)
  }

  @Test("A call whose task is cancelled throws, and moves no time later")
  func cancelled() async throws {
    let call = Task.immediate { try await clock.advance(toNextDeadlineWithin: .seconds(9)) }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    let task = sleeper(until: 1)
    try await clock.waitForSleepers()
    #expect(clock.now.offset == .zero)
    task.cancel()
  }

  @Test("An operation that sleeps again and again is brought to its end, with what it returns")
  func runs() async throws {
    let seconds = try await clock.run(
      until: {
        for second in 1...4 { try await clock.sleep(for: .seconds(second)) }
        return clock.now.offset
      }, within: .seconds(10))
    #expect(seconds == .seconds(10))
    #expect(clock.now.offset == .seconds(10))
  }

  @Test("An operation without a sleep moves no time, and its error is thrown")
  func runsWithoutTime() async throws {
    let sleeping = sleeper(until: 1)
    try await clock.waitForSleepers()
    #expect(try await clock.run(until: { 7 }, within: .zero) == 7)
    await #expect(throws: Mishap.self) { try await clock.run(until: { throw Mishap() }, within: .zero) }
    #expect(clock.now.offset == .zero)
    sleeping.cancel()
  }

  @Test("An operation that needs more time than the limit is ended, and the time stands within the limit")
  func limit() async throws {
    let ended = Recorder<Void>()
    await #expect(throws: TestClockError.self) {
      try await clock.run(
        until: {
          defer { ended.record(()) }
          for _ in 1...4 { try await clock.sleep(for: .seconds(1)) }
        }, within: .seconds(3), timeout: .milliseconds(50))
    }
    _ = try await ended.next()
    #expect(clock.now.offset <= .seconds(3))
  }

  private struct Mishap: Error {}
}
