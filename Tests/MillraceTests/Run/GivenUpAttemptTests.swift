import MillraceTesting
import Testing

@testable import Millrace

/// Runs whose first attempt is given up after 5 seconds, and whose handler ignores that until second 8.
@Suite("Attempts that were given up", .timeLimit(.minutes(1)))
struct GivenUpAttemptTests {
  /// The end of the first attempt's handler.
  enum Late: CaseIterable {
    case returns, fails, bindsToWhatHolds, bindsToWhatDoesNot

    func act(in run: Run<ScriptedInteractor>) async throws {
      switch self {
      case .returns: break
      case .fails: throw Mishap()
      case .bindsToWhatHolds: #expect(await !run.endWhenNot { _ in true })
      case .bindsToWhatDoesNot: #expect(await !run.endWhenNot { _ in false })
      }
    }
  }

  /// Whether the second attempt runs by then, from second 5 on, or the run rests until second 15.
  enum Meanwhile: CaseIterable {
    case runs, rests

    var rest: Duration { self == .runs ? .zero : .seconds(10) }

    var plan: Plan {
      Plan.serial(key: "k").attemptTimeout(.seconds(5)).retry(2, backoff: .constant(rest), jitter: 0)
    }
  }

  /// Suspends for this long, whether the task is cancelled or not.
  private static func stay(_ duration: Duration, in world: World) async {
    await Task { try? await world.clock.sleep(for: duration) }.value
  }

  private static func store(in world: World) -> Store<ScriptedInteractor> {
    Store(world.configuration)
  }

  @Test(
    "R3: the handler of an attempt that was given up changes nothing of the run, which may run or rest",
    arguments: Late.allCases, Meanwhile.allCases)
  func lateHandlers(late: Late, meanwhile: Meanwhile) async {
    await Simulation.run(seeds: 0..<4) { world in
      let store = Self.store(in: world)
      let attempts = Notes<Int>()
      let receipt = store.send(
        ScriptedInteractor.Action.handle { run in
          attempts.note(run.attempt)
          if run.attempt == 1 {
            await Self.stay(.seconds(8), in: world)
            try await late.act(in: run)
          } else {
            try await world.clock.sleep(for: .seconds(4))
            run.emit("second")
          }
        }.closed().planned(meanwhile.plan))
      #expect(await receipt.outcome.kind == .finished)
      #expect(world.clock.now.offset == .seconds(9) + meanwhile.rest)
      #expect(attempts.all == [1, 2])
      #expect(await store.log == ["second"])
      let metrics = await store.metrics
      #expect(metrics.retries == 1)
      #expect(metrics.notReturned == 0)
      #expect(await store.keyCount == 0)
    }
  }

  @Test("R3: a condition that a given-up attempt sets does not take the place of the next attempt's")
  func lateConditions() async {
    await Simulation.run(seeds: 0..<4) { world in
      let store = Self.store(in: world)
      let receipt = store.send(
        ScriptedInteractor.Action.handle { run in
          if run.attempt == 1 {
            await Self.stay(.seconds(8), in: world)
            #expect(await !run.endWhenNot { _ in true })
          } else {
            #expect(await run.endWhenNot { !$0.log.contains("gone") })
            try await world.clock.sleep(for: .seconds(4))
          }
        }.closed().planned(Meanwhile.runs.plan))
      try await world.clock.sleep(for: .milliseconds(8_500))
      store.send(.commit("gone"))
      #expect(await receipt.outcome.kind == .cancelled)
      #expect(world.clock.now.offset == .milliseconds(8_500))
      #expect(await store.log == ["gone", "closed: cancelled"])
    }
  }

  @Test(
    "An attempt that is given up has its task cancelled at once, though the run continues",
    arguments: Meanwhile.allCases)
  func theTaskIsCancelled(meanwhile: Meanwhile) async {
    await Simulation.run(seeds: 0..<4) { world in
      let store = Self.store(in: world)
      let cancelled = Notes<String>()
      let receipt = store.send(
        ScriptedInteractor.Action.handle { run in
          await withTaskCancellationHandler {
            await Self.stay(.seconds(run.attempt == 1 ? 8 : 4), in: world)
          } onCancel: {
            cancelled.note("attempt \(run.attempt) at \(world.clock.now.offset)")
          }
        }.planned(meanwhile.plan))
      #expect(await receipt.outcome.kind == .finished)
      #expect(cancelled.all == ["attempt 1 at \(Duration.seconds(5))"])
    }
  }

  @Test("A task that begins when its attempt was given up is cancelled, and is not taken for that of the next attempt")
  func aLateTask() async throws {
    let clock = TestClock()
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
    let (latch, gate) = (Latch(), Gate())
    let cancelled = Recorder<Int>()
    let receipt = Box<Receipt?>(nil)
    // The thread stands in the first part of the handler, so that the store does not know its task.
    let thread = onThread {
      receipt.value = store.send(
        ScriptedInteractor.Action.handle { run in
          if run.attempt == 1 { latch.pass() }
          await withTaskCancellationHandler {
            await gate.enterIgnoringCancellation()
          } onCancel: {
            cancelled.record(run.attempt)
          }
        }.closed().planned(Meanwhile.runs.plan))
    }
    try await latch.waitForArrival()
    await store.pass(.seconds(5), on: clock)
    try await gate.waitForArrivals(1)
    latch.open()
    await thread.value
    try #require(cancelled.recorded == [1])
    receipt.value?.cancel()
    #expect(try await cancelled.next(2) == [1, 2])
    gate.open()
    await store.sweep("k")
    #expect(await store.log == ["closed: cancelled"])
  }
}

extension Run {
  /// Ends the run when `holds` is false of the state; returns false if it is false already, or if the run has ended.
  fileprivate func endWhenNot(_ holds: @escaping @Sendable (I.State) -> Bool) async -> Bool {
    let child = ChildID(scope: PlanKey(scope: I.self), id: nil)
    return await endWhen(ChildPath(child), notHolding: { LifetimeCondition(child, removals: nil, exists: holds) })
      != nil
  }
}
