import MillraceTesting
import Testing

@testable import Millrace

@Suite("Stuck runs", .timeLimit(.minutes(1)))
struct StuckRunsTests {
  private let clock = TestClock()
  private let store: Store<Jobs>

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.wallTime = { 0 }
    store = Store(initial: 0, interactor: Jobs(), configuration: configuration)
  }

  /// Completes this number of runs, each of which takes this time from their acceptance to their end.
  private func run(_ count: Int, for time: Duration, _ plan: Plan = .concurrent) async throws {
    let gate = Gate()
    let receipts = (0..<count).map { _ in store.send(Job(plan: plan, gate: gate)) }
    try await gate.waitForArrivals(count)
    clock.advance(by: time)
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.isFinished) }
  }

  /// Starts a run that stays open.
  private func leaveOpen(_ plan: Plan = .concurrent) async throws -> ActionID {
    let gate = Gate()
    let receipt = store.send(Job(plan: plan, gate: gate))
    try await gate.waitForArrivals(1)
    return receipt.id
  }

  private func stuck() async -> [ActionID] { await store.openRuns().filter(\.isStuck).map(\.id) }

  @Test(
    "Until 100 runs have ended, one is stuck after 30 seconds, with a plan, without one, and with a named one",
    arguments: [Plan.concurrent, .concurrent(max: 500, key: "k"), reports])
  func unknown(plan: Plan) async throws {
    try await run(99, for: .seconds(9), plan)
    let id = try await leaveOpen(plan)
    clock.advance(by: .seconds(30))
    #expect(await stuck() == [])
    #expect(await store.metrics.oldestRunStart == -30_000)
    clock.advance(by: .nanoseconds(1))
    #expect(await stuck() == [id])
    #expect(await store.openRuns().first?.description.hasSuffix("ago, stuck") == true)
  }

  @Test("A run is stuck when it is older than ten times the 99th percentile of its plan's name")
  func named() async throws {
    try await run(100, for: .seconds(9), reports)
    try await run(100, for: .seconds(400), .concurrent(max: 500, key: "other").named("backup"))
    let id = try await leaveOpen(reports)
    #expect(await store.openRuns().map(\.plan) == ["report"])
    clock.advance(by: .seconds(89))
    #expect(await stuck() == [])
    clock.advance(by: .seconds(2))
    #expect(await stuck() == [id])
  }

  @Test("Without a name, a run is compared with all waits and handlers of the store")
  func unnamed() async throws {
    try await run(100, for: .seconds(4))
    let id = try await leaveOpen()
    #expect(await store.openRuns().map(\.plan) == [nil])
    clock.advance(by: .seconds(39))
    #expect(await stuck() == [])
    clock.advance(by: .seconds(2))
    #expect(await stuck() == [id])
  }

  @Test("No run is stuck in its first second, however short the others are")
  func short() async throws {
    try await run(100, for: .microseconds(1))
    let id = try await leaveOpen()
    clock.advance(by: .seconds(1))
    #expect(await stuck() == [])
    clock.advance(by: .nanoseconds(1))
    #expect(await stuck() == [id])
  }

  @Test("The times of runs that ended without a handler say nothing of those that have one")
  func neverBegun() async throws {
    let plan = Plan.exclusive(key: "k").named("report")
    let first = try await leaveOpen(plan)
    for _ in 1...100 { #expect(await store.send(Job(plan: plan, gate: Gate())).outcome.kind == .rejected) }
    clock.advance(by: .seconds(20))
    #expect(await stuck() == [])
    clock.advance(by: .seconds(11))
    #expect(await stuck() == [first])
  }

  @Test("A run is stuck when two attempts in a row have failed, while it rests and while it makes the next one")
  func failures() async throws {
    let (gate, failing) = (Gate(), Recorder<Int>())
    let plan = Plan.concurrent(max: 1, key: "k").retry(3, backoff: .constant(.seconds(1)))
    let receipt = store.send(Job(plan: plan, gate: gate, failures: 2, failing: failing))
    for (failure, isStuck) in [(1, false), (2, true)] {
      #expect(try await failing.next() == failure)
      try await clock.waitForSleepers()
      #expect(await stuck() == (isStuck ? [receipt.id] : []))
      clock.advance(by: .seconds(1))
    }
    try await gate.waitForArrivals(1)
    #expect(await store.openRuns().map(\.stage) == [.running])
    #expect(await stuck() == [receipt.id])
  }

  @Test(
    "Deaths and an action that cannot be decoded make a run stuck, and its age does not while it rests in a step",
    arguments: [
      (0, .running, 31, true), (0, .slot, 31, true), (0, .sleep("s", until: 0), 31, false),
      (0, .condition("c", until: nil), 31, false), (1, .running, 1, false), (2, .running, 1, true),
      (2, .sleep("s", until: 0), 1, true), (0, .unreadable("no"), 1, true),
    ] as [(Int, OpenRunStage, Int, Bool)])
  func stages(deaths: Int, stage: OpenRunStage, seconds: Int, isStuck: Bool) {
    var runs = StuckRuns(RunTimes())
    #expect(
      runs.contain(planNamed: nil, age: .seconds(seconds), attempt: 1, deaths: deaths, stage: stage) == isStuck)
  }
}

private let reports = Plan.concurrent(max: 500, key: "k").named("report")

/// An action with its plan, whose handler waits at its gate once it has failed this number of times.
private struct Job: Sendable {
  var plan: Plan
  var gate: Gate
  var failures = 0
  var failing = Recorder<Int>()
}

private struct Jobs: Interactor {
  struct Failed: Error {}

  func plan(for job: Job, state: Int) -> Plan { job.plan }

  func handle(_ job: Job, state: Int) -> Effect<Self> {
    Effect { run in
      if run.attempt <= job.failures {
        job.failing.record(run.attempt)
        throw Failed()
      }
      try await job.gate.enter()
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {}
}
