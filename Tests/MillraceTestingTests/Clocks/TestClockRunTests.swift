import Millrace
import Testing

@testable import MillraceTesting

@Suite("TestClock, runs for a duration", .timeLimit(.minutes(1)))
struct TestClockRunTests {
  let clock = TestClock()

  /// A task that records the time every `interval` seconds until it is cancelled.
  private func ticker(every interval: Int, into ticks: Recorder<Duration>) -> Task<Void, any Error> {
    Task {
      while true {
        try await clock.sleep(for: .seconds(interval))
        ticks.record(clock.now.offset)
      }
    }
  }

  @Test("Each deadline of the duration is reached, also those that woken tasks set, and their work is done")
  func ticks() async throws {
    let ticks = Recorder<Duration>()
    let ticker = ticker(every: 2, into: ticks)
    try await clock.run(for: .seconds(7))
    #expect(ticks.recorded == [.seconds(2), .seconds(4), .seconds(6)])
    #expect(clock.now.offset == .seconds(7))
    try await clock.run(for: .seconds(1))
    #expect(ticks.recorded.last == .seconds(8))
    #expect(clock.deadlines.map(\.offset) == [.seconds(10)])
    ticker.cancel()
  }

  @Test("Several sleepers are all waited for before each move")
  func severalSleepers() async throws {
    let ticks = Recorder<Duration>()
    let tickers = [ticker(every: 2, into: ticks), ticker(every: 3, into: ticks)]
    try await clock.run(for: .seconds(6), sleepers: 2)
    #expect(ticks.recorded == [2, 3, 4, 6, 6].map { .seconds($0) })
    #expect(clock.sleepers == 2)
    for ticker in tickers { ticker.cancel() }
  }

  @Test("Each tick of a feedback is handled before the time moves to the next")
  func feedback() async throws {
    struct Counting: Interactor {
      func decide(_ action: Int, state: Int) -> Decision<Int> { .mutate(action) }
      static func reduce(into state: inout Int, mutation: Int) { state += mutation }
    }
    let store = Store(
      initial: 0, interactor: Counting(), configuration: StoreConfiguration(clock: clock),
      feedbacks: [.every(.seconds(1)) { 1 }])
    try await clock.run(for: .seconds(5))
    #expect(await store.state == 5)
    await store.shutdown()
  }

  @Test("A duration that is not above zero moves nothing, and waits for the sleepers")
  func noDuration() async throws {
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.run(for: .seconds(-1), sleepers: 0)
    #expect(clock.now.offset == .zero)
    #expect(clock.sleepers == 1)
    sleeper.cancel()
  }

  @Test("Too few sleepers are an error, which names them, and the time stays at the last deadline")
  func tooFewSleepers() async throws {
    let once = Task.immediate { try await clock.sleep(for: .seconds(1)) }
    let error = await #expect(throws: WaitError.self) {
      try await clock.run(for: .seconds(3), timeout: .milliseconds(50), line: 7)
    }
    #expect(
      error?.description == """
        The test waited 0.05 seconds at TestClockRunTests.swift:7 for 1 task to sleep on its test clock, which runs up to 3.0 \
        seconds, but no task sleeps on it, and its time is 1.0 seconds. Let what the tasks wait for happen before they sleep, \
        such as the reply of a fake, or give the wait a longer timeout.
        """)
    #expect(clock.now.offset == .seconds(1))
    try await once.value
  }

  @Test("A cancelled run ends at once")
  func cancelled() async throws {
    let run = Task.immediate { try await clock.run(for: .seconds(3)) }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    let sleeper = Task.immediate { try await clock.sleep(for: .seconds(1)) }
    #expect(clock.now.offset == .zero)
    sleeper.cancel()
  }

  @Test("The next deadline is reached however far away it is")
  func nextDeadline() async throws {
    let move = Task.immediate { try await clock.advanceToNextDeadline() }
    let sleeper = Task { try await clock.sleep(for: .seconds(1_000_000)) }
    try await move.value
    #expect(clock.now.offset == .seconds(1_000_000))
    try await sleeper.value
    let error = await #expect(throws: WaitError.self) {
      try await clock.advanceToNextDeadline(timeout: .zero, line: 9)
    }
    let sentence = "The test waited 0.0 seconds at TestClockRunTests.swift:9 for a deadline of its test clock, but"
    #expect(error?.description.hasPrefix(sentence) == true)
  }

  @Test("A step takes the time to its end when all deadlines are later, and waits while too few tasks sleep")
  func stateOfAStep() {
    var state = TestClockState<String>()
    func instant(_ seconds: Int) -> TestClock.Instant { .init(offset: .seconds(seconds)) }
    #expect(state.step("a", id: 1, sleepers: 2, end: instant(3), isCancelled: false).woken == [])
    #expect(state.sleep("x", id: 2, until: instant(5), isCancelled: false).woken == [])
    #expect(state.sleep("y", id: 3, until: instant(2), isCancelled: false).woken == ["y", "a"])
    #expect(state.now == instant(2))
    #expect(state.step("a", id: 1, sleepers: 1, end: instant(3), isCancelled: false).woken == ["a"])
    #expect(state.now == instant(3))
    #expect(state.step("b", id: 4, sleepers: 2, end: instant(9), isCancelled: false).woken == [])
    #expect(state.release(4).woken == ["b"])
    #expect(state.step("c", id: 5, sleepers: 2, end: instant(9), isCancelled: false).woken == [])
    #expect(state.cancel(5).cancelled == "c")
    #expect(state.step("d", id: 6, sleepers: 1, end: instant(9), isCancelled: false, isOver: true).woken == ["d"])
    #expect(state.step("e", id: 7, sleepers: 1, end: instant(9), isCancelled: true).cancelled == "e")
    #expect(state.now == instant(3))
  }
}
