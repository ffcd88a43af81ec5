import Millrace
import Testing

@testable import MillraceTesting

/// Outcomes that are awaited while nothing moves the test clock.
@Suite("TestClock outcomes", .timeLimit(.minutes(1)))
struct TestClockOutcomesTests {
  private let failures = Recorder<Failure>()

  private func clock(patience: Duration) -> TestClock {
    FailureReporter.$collector.withValue(FailureCollector { [failures] in failures.record($0) }) {
      TestClock(onSleep: nil, patience: patience, at: TestLine("Tests/Some.swift", 7))
    }
  }

  private func store(on clock: TestClock) -> Store<Waiting> {
    Store(initial: 0, interactor: Waiting(clock: clock), configuration: StoreConfiguration(clock: clock))
  }

  @Test("An outcome that is awaited while nothing moves the clock is reported once, with the action and the deadlines")
  func reported() async throws {
    let clock = clock(patience: .milliseconds(1))
    let store = store(on: clock)
    let receipts = (0..<2).map { _ in store.send(.sleep) }
    try await clock.waitForSleepers(2)
    let outcomes = receipts.map { receipt in Task { await receipt.outcome.kind } }
    let failure = try await failures.next()
    #expect(
      failure.message
        == "The outcome of an action (\(receipts[0].id)) has been awaited for 0.001 seconds of real time, while the time of its test "
        + "clock stands at 0.0 seconds and 2 tasks sleep on it, the first until 5.0 seconds. Move the clock while the outcome is awaited, "
        + "such as by `run(until:within:)`, or give the store an `ImmediateClock`."
        || failure.message.contains("(\(receipts[1].id))"))
    #expect("\(failure.file)" == "Tests/Some.swift" && failure.line == 7)
    clock.run()
    for outcome in outcomes { #expect(await outcome.value == .finished) }
    #expect(failures.recorded.count == 1)
  }

  @Test("An outcome that comes, and one that nothing sleeps for, is not reported")
  func notReported() async throws {
    let clock = clock(patience: .zero)
    let store = store(on: clock)
    let asleep = store.send(.sleep)
    try await clock.waitForSleepers(1)
    let gate = Gate()
    let waiting = store.send(.enter(gate))
    try await gate.waitForArrivals()
    clock.run()
    #expect(await asleep.outcome.kind == .finished)
    let outcome = Task { await waiting.outcome.kind }
    gate.open()
    #expect(await outcome.value == .finished)
    #expect(failures.recorded.isEmpty)
  }

  @Test("R5: the outcomes that are known by now are forgotten")
  func pruned() {
    var awaited = AwaitedOutcomes(time: .seconds(10), line: TestLine("Some.swift", 1))
    let store = store(on: TestClock())
    let ids = (0..<1_000).map { _ in store.send(.nothing).id }
    #expect(awaited.add(ids[0]) { true }, "the time begins")
    for id in ids[1...] { #expect(!awaited.add(id) { false }) }
    #expect(awaited.count < 64)
    #expect(awaited.firstOpen() == ids[0])
    awaited.report()
    #expect(!awaited.add(ids[1]) { true }, "there is one report a clock")
  }
}

/// Handlers that sleep, or enter a gate.
private struct Waiting: Interactor {
  enum Action: Sendable {
    case nothing
    case sleep
    case enter(Gate)
  }

  let clock: TestClock

  func decide(_ action: Action, state: Int) -> Decision<Int> {
    if case .nothing = action { .ignore } else { .handle }
  }

  func handle(_ action: Action, state: Int) -> Effect<Self> {
    Effect { run in
      switch action {
      case .nothing: break
      case .sleep: try await clock.sleep(for: .seconds(5))
      case .enter(let gate): try await gate.enter()
      }
      run.emit(1)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}
