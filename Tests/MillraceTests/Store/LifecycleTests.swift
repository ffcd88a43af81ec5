import MillraceTesting
import Testing

@testable import Millrace

@Suite("The end of a store", .timeLimit(.minutes(1)))
struct LifecycleTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  let gate = Gate()
  let store: Store<ScriptedInteractor>

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// Sends an action whose handler stays at the gate, cancelled or not, and emits its name then.
  func stay(_ name: String, then: @escaping @Sendable () async -> Void = {}) async throws -> Receipt {
    let arrivals = gate.arrivals
    let receipt = store.send(
      Action.handle { [gate] run in
        await gate.enterIgnoringCancellation()
        await then()
        run.emit(ScriptedInteractor.Mutation(name))
      }.closed(as: name))
    try await gate.waitForArrivals(arrivals + 1)
    return receipt
  }

  /// Begins a shutdown, which has begun when this returns.
  func shutDown(drainFor seconds: Int) -> Task<ShutdownReport, Never> {
    Task.immediate { await store.shutdown(drainFor: .seconds(seconds)) }
  }

  // MARK: Draining

  @Test("S1: accepted actions continue, actions of runs are accepted, and actions from outside are rejected")
  func drains() async throws {
    let inner = Recorder<Receipt>()
    let receipt = try await stay("a") { [store] in
      inner.record(store.send(.commit("decided inside")))
      inner.record(store.send(.handle { $0.emit("handled inside") }))
    }
    let shutdown = shutDown(drainFor: 60)
    let outside = [store.send(.commit("outside")), store.send(Action.handle { _ in }.closed())]
    let batch = store.send(contentsOf: [.commit("outside")])
    #expect(await kinds(outside) == [.rejected, .rejected])
    #expect(await batch.outcomes.map(\.kind) == [.rejected])
    guard case .rejected(.shuttingDown) = await outside[0].outcome else { return #expect(Bool(false)) }
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await kinds(try inner.next(2)) == [.finished, .finished])
    let report = await shutdown.value
    #expect(report == ShutdownReport(drained: 3, cancelled: [], notReturned: []))
    #expect(report.isClean)
    #expect(await store.log == ["decided inside", "handled inside", "a"])
    #expect(await store.metrics.rejections == [.shuttingDown: 3])
  }

  @Test("S1: debounced and throttled actions are taken up at once, those that wait for a turn in their turn")
  func lessPatience() async throws {
    let first = store.send(Action.handle { [gate] _ in try await gate.enter() }.planned(.serial(key: "turn")))
    try await gate.waitForArrivals()
    let waiting = [
      store.send(Action.commit("turn").planned(.serial(key: "turn"))),
      store.send(Action.commit("debounced").planned(.latest(key: "a").debounce(.seconds(10)))),
      store.send(Action.commit("passed").planned(.latest(key: "b").throttle(.seconds(10)))),
      store.send(Action.commit("throttled").planned(.latest(key: "b").throttle(.seconds(10)))),
    ]
    let shutdown = shutDown(drainFor: 60)
    #expect(await store.log == ["passed", "debounced", "throttled"])
    gate.open()
    #expect(await kinds(waiting + [first]).allSatisfy { $0 == .finished })
    #expect(await shutdown.value == ShutdownReport(drained: 4, cancelled: [], notReturned: []))
    #expect(await store.log.last == "turn")
  }

  @Test(
    "S1: a drain ends a run whose condition a debounced action breaks before it takes up the next (it ended it after all)"
  )
  func drainEndsARunBetweenDebouncedActions() async throws {
    let (store, gate) = (Store(StoreConfiguration(clock: TestClock())), Gate())
    let bound = store.send(
      ScriptedInteractor.Action.handle { _ in await gate.enterIgnoringCancellation() }.closed(as: "bound"))
    try await gate.waitForArrivals()
    let run = try #require(bound.ticket as? ActiveRun<ScriptedInteractor>)
    let condition = LifetimeCondition(ChildID(scope: PlanKey(scope: Self.self), id: nil), removals: nil) {
      (state: ScriptedInteractor.State) in !state.log.contains("first")
    }
    _ = await store.core.endRun(run, nil, condition.child, whenNotHolding: { condition })
    for name in ["first", "second"] {
      store.send(
        ScriptedInteractor.Action.commit(ScriptedInteractor.Mutation(name)).planned(
          .latest(key: name).debounce(.seconds(9))))
    }
    await store.shutdown(drainFor: .seconds(60))
    #expect(await store.log == ["first", "bound: cancelled", "second"])
    gate.open()
  }

  @Test("S1: a debounced action that a run sends while the store drains is taken up at once")
  func nothingIsDebouncedWhileDraining() async throws {
    let inner = Box<Receipt?>(nil)
    _ = try await stay("a") { [store] in
      inner.value = store.send(Action.commit("debounced").planned(.latest(key: "a").debounce(.seconds(10))))
    }
    let shutdown = shutDown(drainFor: 60)
    gate.open()
    #expect(await shutdown.value.drained == 2)
    #expect(await inner.value?.outcome.kind == .finished)
  }

  @Test("S1: past the deadline the rest is cancelled and closed, and the report names it")
  func theRestIsCut() async throws {
    let (finishes, ignores) = (Gate(), try await stay("ignores"))
    let heeds = store.send(Action.handle { _ in try await Gate().enter() }.closed(as: "heeds"))
    let drained = store.send(.handle { _ in try await finishes.enter() })
    let first = store.send(
      Action.handle { [gate] _ in await gate.enterIgnoringCancellation() }.planned(.serial(key: 1)))
    let waiting = store.send(Action.commit("never").closed(as: "waiting").planned(.serial(key: 1)))
    ignores.cancel()
    let shutdown = shutDown(drainFor: 60)
    finishes.open()
    #expect(await drained.outcome.kind == .finished)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    let report = await shutdown.value
    #expect(await kinds([heeds, first, waiting]) == [.shutDown, .shutDown, .shutDown])
    #expect(report.drained == 1)
    #expect(report.cancelled == [waiting.id, heeds.id, first.id])
    #expect(Set(report.notReturned).isSuperset(of: [ignores.id, first.id]))
    #expect(!report.isClean)
    #expect(await store.log == ["ignores: cancelled", "heeds: shutDown"])
    gate.open()
    #expect(await store.log.count == 2)
  }

  @Test(
    "S1: without a time everything is cancelled at once; what was queued behind another thread's step ends undecided")
  func nothingIsDrained() async throws {
    let report = Recorder<ShutdownReport>()
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            Task.immediate { report.record(await store.shutdown()) }
          }))
    }
    try await latch.waitForArrival()
    let left = store.send(Action.commit("left").closed())
    latch.open()
    #expect(await left.outcome.kind == .shutDown)
    #expect(try await report.next() == ShutdownReport(drained: 0, cancelled: [left.id], notReturned: []))
    #expect(await store.log == ["block"])
    await thread.value
  }

  @Test("S1: actions queued behind another thread's step before the shutdown are drained, later ones are rejected")
  func leftWorkIsDrained() async throws {
    let report = Recorder<ShutdownReport>()
    let latch = Latch()
    let later = Box<Receipt?>(nil)
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            Task.immediate { report.record(await store.shutdown(drainFor: .seconds(60))) }
          }))
      later.value = store.send(.commit("later"))
    }
    try await latch.waitForArrival()
    let left = [
      store.send(.commit("left")), store.send(.handle { $0.emit("handled") }),
      store.send(Action.commit("debounced").planned(.latest(key: "k").debounce(.seconds(9)))),
    ]
    latch.open()
    #expect(await kinds(left) == [.finished, .finished, .finished])
    #expect(try await report.next().cancelled == [])
    await thread.value
    #expect(await later.value?.outcome.kind == .rejected)
    #expect(await store.log == ["block", "left", "debounced", "handled"])
  }

  // MARK: Calls that meet

  @Test(
    "S1: a second call joins the first, and the earlier deadline counts",
    arguments: [(60, 10, 10), (10, 60, 10), (60, 60, 60)])
  func theEarlierDeadlineCounts(first: Int, second: Int, deadline: Int) async throws {
    let receipt = try await stay("a")
    let calls = [shutDown(drainFor: first), shutDown(drainFor: second)]
    let due = store.look { owned in
      owned.runs.flatMap { runs in runs.scheduler.drainEnd.map { runs.scheduler.timers.instant(of: $0) } }
    }
    #expect(due == Int64(deadline) * 1_000_000_000)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(deadline))
    let expected = ShutdownReport(drained: 0, cancelled: [receipt.id], notReturned: [receipt.id])
    for call in calls { #expect(await call.value == expected) }
    gate.open()
  }

  @Test("S1: a call without a time ends a drain, and later calls have the same report and change nothing")
  func zeroEndsADrain() async throws {
    let receipt = try await stay("a")
    let first = shutDown(drainFor: 60)
    let expected = ShutdownReport(drained: 0, cancelled: [receipt.id], notReturned: [receipt.id])
    #expect(await store.shutdown() == expected)
    #expect(await first.value == expected)
    gate.open()
    #expect(await store.shutdown() == expected)
    #expect(await store.shutdown(drainFor: .seconds(60)) == expected)
    #expect(await store.log == ["a: shutDown"])
  }

  @Test("S1: 8 tasks that shut a store down have one report, and each run is closed once")
  func severalTasks() async throws {
    let receipt = try await stay("a")
    let reports = await withTaskGroup(of: ShutdownReport.self) { group in
      for seconds in 0..<8 {
        group.addTask { [store] in await store.shutdown(drainFor: .seconds(seconds)) }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(reports == [ShutdownReport(drained: 0, cancelled: [receipt.id], notReturned: [receipt.id])])
    #expect(await store.log == ["a: shutDown"])
    gate.open()
  }

  @Test("S1: a run that shuts its store down is not waited for, and is cancelled when the others have ended")
  func calledFromARun() async throws {
    let reports = Recorder<ShutdownReport>()
    let other = try await stay("other")
    let caller = store.send(
      Action.handle { [store] run in
        reports.record(await store.shutdown(drainFor: .seconds(60)))
        run.emit("never")
      }.closed(as: "caller"))
    gate.open()
    #expect(await other.outcome.kind == .finished)
    #expect(try await reports.next() == ShutdownReport(drained: 1, cancelled: [caller.id], notReturned: [caller.id]))
    #expect(await caller.outcome.kind == .shutDown)
    #expect(await store.log == ["other", "caller: shutDown"])
  }

  @Test("S1: several runs that shut the store down, in tasks of theirs too, wait for none of themselves")
  func calledFromSeveralRuns() async throws {
    let reports = Recorder<ShutdownReport>()
    let go = Gate()
    let callers = [
      store.send(
        .handle { [store] _ in
          await go.enterIgnoringCancellation()
          reports.record(await store.shutdown(drainFor: .seconds(60)))
        }),
      store.send(
        .handle { [store] _ in
          await go.enterIgnoringCancellation()
          async let report = store.shutdown(drainFor: .seconds(60))
          reports.record(await report)
        }),
    ]
    go.open()
    let both = try await reports.next(2)
    #expect(both[0] == both[1])
    #expect(both[0].drained == 0)
    #expect(both[0].cancelled == callers.map(\.id))
    #expect(await kinds(callers) == [.shutDown, .shutDown])
  }

  @Test("S1: a shutdown from inside the first commit takes effect right after it")
  func duringTheFirstSend() async throws {
    let reports = Recorder<ShutdownReport>()
    let receipt = store.send(
      .commit(
        ScriptedInteractor.Mutation("first") { [store] in
          Task.immediate { reports.record(await store.shutdown()) }
        }))
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await reports.next() == ShutdownReport(drained: 0, cancelled: [], notReturned: []))
    #expect(await store.send(.commit("second")).outcome.kind == .rejected)
    #expect(await store.log == ["first"])
  }
}
