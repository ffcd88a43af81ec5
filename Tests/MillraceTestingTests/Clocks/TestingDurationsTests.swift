import Millrace
import Testing

@testable import MillraceTesting

/// Durations of any length and sign, which every public parameter of the kit takes.
@Suite("Durations of tests", .timeLimit(.minutes(1)))
struct TestingDurationsTests {
  static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(-1),
    .zero,
  ]

  @Test("The time of a test clock takes every duration, and stays in order", arguments: extremes)
  func clocks(_ time: Duration) async throws {
    let clock = TestClock()
    let start = clock.now
    let instant = start.advanced(by: time)
    #expect((instant < start) == (time < .zero))
    #expect(TestClock.Instant(offset: time) == instant && !"\(instant)".isEmpty)
    #expect((start.duration(to: instant) < .zero) == (time < .zero))
    let twice = instant.advanced(by: time)
    #expect(time < .zero ? twice <= instant : twice >= instant)
    try await clock.sleep(until: start, tolerance: time)
    try await ImmediateClock().sleep(until: instant, tolerance: time)
    let sleeper = Task { try? await clock.sleep(for: time) }
    clock.advance(by: time)
    clock.run()
    sleeper.cancel()
    await sleeper.value
  }

  @Test("Each wait of the kit takes every duration as its limit", arguments: extremes)
  func waits(_ time: Duration) async throws {
    let (clock, gate, recorder) = (TestClock(), Gate(), Recorder<Int>())
    await begin { try await clock.waitForSleepers(1, timeout: time) }
    await begin { try await clock.advanceToNextDeadline(timeout: time) }
    await begin { try await clock.advance(toNextDeadlineWithin: time, timeout: time) }
    await begin { try await clock.run(for: time, timeout: time) }
    await begin { try await clock.run(until: { try await gate.enter() }, within: time, timeout: time) }
    await begin { try await gate.waitForArrivals(2, timeout: time) }
    await begin { _ = try await recorder.next(timeout: time) }
    await begin { _ = try await recorder.next(2, timeout: time) }
    // Replies that are held and not asked for are failures of the fakes, which this test does not look at.
    let (fetches, follows) = FailureReporter.$collector.withValue(FailureCollector { _ in }) {
      (FakeCall<String, String>("fetch"), FakeStream<String, Int>("follow"))
    }
    await begin { try await fetches.waitForCalls(timeout: time) }
    await begin { _ = try await fetches.hold().arrived(timeout: time) }
    await begin { _ = try await follows.drive().opened(timeout: time) }
    await begin { _ = try await follows.drive().ended(timeout: time) }
  }

  /// Begins a wait, cancels it, and waits for its end.
  private func begin(_ wait: @escaping @Sendable () async throws -> Void) async {
    let task = Task { try? await wait() }
    task.cancel()
    await task.value
  }

  @Test("A test store and a simulation take every duration as their limit", arguments: extremes)
  func limits(_ time: Duration) async throws {
    let store = TestStore(initial: 0, interactor: Counting(), timeout: time)
    await store.send(.count) { $0 = 1 }
    await store.finish()
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seeds: 0..<1, for: time, options: .init(reporting: false)) { world in
        let drawn = world.duration(in: min(time, .zero)...max(time, .zero))
        world.expect(drawn >= min(time, .zero) && drawn <= max(time, .zero), "it is in the range")
        let store = Store(initial: 0, interactor: Counting(), configuration: world.configuration)
        world.eventually("it counts", of: store, within: max(time, .seconds(1))) { $0 == 1 }
        world.eventually("nothing", within: max(time, .zero)) { true }
        _ = await store.send(.count).outcome
      }
    }
    #expect(report.worlds == 1)
    #expect(failures.recorded.isEmpty)
  }
}

/// An interactor that counts.
private struct Counting: Interactor {
  enum Action: Sendable { case count }

  func decide(_ action: Action, state: Int) -> Decision<Int> { .mutate(1) }

  func handle(_ action: Action, state: Int) -> Effect<Self> { .none }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}
