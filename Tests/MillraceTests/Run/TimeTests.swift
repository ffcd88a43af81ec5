import MillraceTesting
import Testing

@testable import Millrace

@Suite("Time", .timeLimit(.minutes(1)))
struct TimeTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let a = Probe("a")
  let b = Probe("b")

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  @Test("R2, R3: a run whose time is over is closed as timed out, its task is cancelled, and it emits no more")
  func aRunTimesOut() async throws {
    let gate = Gate()
    let emitted = Recorder<Bool>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        run.emit("early")
        do { try await gate.enter() } catch { emitted.record(run.emit("late")) }
      }.closed().planned(.concurrent.timeout(.seconds(5))))
    try await gate.waitForArrivals()
    await store.pass(.seconds(5) - .nanoseconds(1), on: clock)
    #expect(await store.log == ["early"])
    await store.pass(.nanoseconds(1), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(try await !emitted.next())
    #expect(await store.log == ["early", "closed: timedOut"])
    #expect(await receipt.lastRevision == 2)
  }

  @Test("The time of an action that ends before is forgotten with it")
  func anActionEndsBefore() async {
    a.open()
    let plan = Plan.serial(key: "k").timeout(.seconds(5)).attemptTimeout(.seconds(3))
    #expect(await store.send(a.action(plan)).outcome.kind == .finished)
    #expect(await store.send(ScriptedInteractor.Action.commit("b").planned(plan)).outcome.kind == .finished)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
    await store.pass(.seconds(5), on: clock)
    #expect(await store.log == ["a begins", "a done", "b"])
  }

  @Test("The time counts from acceptance, over the wait for a turn: the action ends undecided and unclosed")
  func overTheWaitForATurn() async throws {
    store.send(a.action(.serial(key: "k")))
    await store.pass(.seconds(3), on: clock)
    let second = store.send(b.action(.serial(key: "k").timeout(.seconds(5))))
    await store.pass(.seconds(4), on: clock)
    #expect(await store.metrics.waiting == 1)
    await store.pass(.seconds(1), on: clock)
    #expect(await second.outcome.kind == .timedOut)
    a.open()
    await store.sweep("k")
    #expect(await store.log == ["a begins", "a done"])
    #expect(b.starts == 0)
  }

  @Test("R2: over the wait for a slot: what was decided stands and is closed, and the handler never starts")
  func overTheWaitForASlot() async throws {
    let store = Store(StoreConfiguration(clock: clock, limits: StoreConfiguration.Limits(runsInFlight: 1)))
    store.send(a.action(.concurrent))
    let second = store.send(b.action(.serial(key: "k").timeout(.seconds(5))))
    let third = store.send(ScriptedInteractor.Action.commit("third").planned(.serial(key: "k")))
    await store.pass(.seconds(5), on: clock)
    #expect(await second.outcome.kind == .timedOut)
    #expect(await third.outcome.kind == .finished)
    #expect(await store.log == ["a begins", "b begins", "b: timedOut", "third"])
    a.open()
    #expect(b.starts == 0)
    #expect(await store.keyCount == 0)
  }

  @Test("The time counts over all attempts and the rests between them")
  func overAllAttempts() async throws {
    let draws = Recorder<Void>()
    var configuration = StoreConfiguration(clock: clock)
    configuration.random = Draws(draws: draws)
    let store = Store(configuration)
    let attempts = Recorder<Int>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        attempts.record(run.attempt)
        throw Mishap()
      }.closed().planned(.concurrent.retry(9, backoff: .constant(.seconds(4)), jitter: 0.5).timeout(.seconds(10))))
    _ = try await draws.next(2)  // The idempotency keys of the store.
    for _ in 0..<2 {
      // A rest is drawn in the step that begins it.
      try await draws.next()
      await store.pass(.milliseconds(4_001), on: clock)
    }
    try await draws.next()
    await store.pass(.seconds(2), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(attempts.recorded == [1, 2, 3])
    #expect(await store.log == ["closed: timedOut"])
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }

  @Test("R2: without a retry an attempt that is given up ends the action as timed out, and cancels its task")
  func anAttemptTimesOut() async throws {
    let gate = Gate()
    let noticed = Recorder<Bool>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { _ in
        do { try await gate.enter() } catch { noticed.record(Task.isCancelled) }
      }.closed().planned(.serial(key: "k").attemptTimeout(.seconds(5))))
    try await gate.waitForArrivals()
    await store.pass(.seconds(5), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(try await noticed.next())
    await store.sweep("k")
    #expect(await store.log == ["closed: timedOut"])
    #expect(await store.onRuns { $0?.notReturned.isEmpty } == true)
  }

  @Test("The time of an attempt does not count its wait for a turn")
  func attemptTimeoutCountsFromTheStart() async throws {
    let plan = Plan.serial(key: "k").attemptTimeout(.seconds(5))
    let first = store.send(a.action(.serial(key: "k")))
    let second = store.send(b.action(plan))
    await store.pass(.seconds(50), on: clock)
    a.open()
    try await b.waitForStart()
    await store.pass(.seconds(4), on: clock)
    b.open()
    #expect(await kinds([first, second]) == [.finished, .finished])
  }

  @Test("The shorter of the two times ends the action", arguments: [(3, 5), (5, 3)])
  func theShorterOne(total: Int, attempt: Int) async throws {
    let plan = Plan.concurrent.timeout(.seconds(total)).attemptTimeout(.seconds(attempt))
    let receipt = store.send(a.action(plan))
    try await a.waitForStart()
    await store.pass(.seconds(2), on: clock)
    #expect(await store.log == ["a begins"])
    await store.pass(.seconds(1), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    a.open()
  }

  @Test("S1: a drain that ends early leaves no task asleep: not for its deadline, and not for those of what it drained")
  func noTaskIsLeftAsleep() async throws {
    let receipt = store.send(a.action(.serial(key: "k").timeout(.seconds(90))))
    try await a.waitForStart()
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    try await clock.waitForSleepers()
    a.open()
    #expect(await shutdown.value.isClean)
    #expect(await receipt.outcome.kind == .finished)
    clock.checkSuspended()
    #expect(clock.sleepers == 0)
  }

  /// The runs of attempts whose handlers stay until the gate opens, cancelled or not, and then emit once more.
  private func sendStubborn(_ plan: Plan, _ gate: MillraceTesting.Gate, late: Recorder<Bool>) -> (
    Receipt, Recorder<Run<ScriptedInteractor>>
  ) {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        runs.record(run)
        if run.attempt < 3 {
          await gate.enterIgnoringCancellation()
          late.record(run.emit("late"))
        } else {
          run.emit("third")
        }
      }.closed().planned(plan))
    return (receipt, runs)
  }

  @Test("R3: a mutation of an attempt that was given up changes nothing, though the next attempt runs")
  func lateEmitsOfAnAttempt() async throws {
    let gate = Gate()
    let late = Recorder<Bool>()
    let plan = Plan.serial(key: "k").attemptTimeout(.seconds(5)).retry(3, backoff: .none)
    let (receipt, runs) = sendStubborn(plan, gate, late: late)
    let first = try await runs.next()
    await store.pass(.seconds(5), on: clock)
    let second = try await runs.next()
    #expect(!first.emit("from the first attempt"))
    #expect(await store.metrics.inFlight == 1)
    await store.pass(.seconds(5), on: clock)
    let third = try await runs.next()
    #expect(!second.emit("from the second attempt"))
    #expect(await receipt.outcome.kind == .finished)
    #expect(!third.emit("from the third attempt"))
    #expect([first, second, third].map(\.attempt) == [1, 2, 3])
    #expect(Set([first, second, third].map(\.idempotencyKey)).count == 1)
    #expect(Set([first, second, third].map(\.id)) == [receipt.id])

    // R4: the turn is free when the handlers of all attempts have returned.
    let next = store.send(b.action(.serial(key: "k")))
    #expect(await store.log == ["third"])
    #expect(await store.metrics.notReturned == 1)
    gate.open()
    #expect(try await late.next(2) == [false, false])
    b.open()
    #expect(await next.outcome.kind == .finished)
    #expect(await store.log == ["third", "b begins", "b done"])
    #expect(await store.keyCount == 0)
    #expect(await store.metrics.notReturned == 0)
    #expect(await store.metrics.lateEmits == 5)
  }

  @Test(
    "R3: mutations that an attempt queued behind another thread's step are committed in their place, and none after it was given up"
  )
  func leftMutationsOfAnAttempt() async throws {
    let gate = Gate()
    let late = Recorder<Bool>()
    let (receipt, runs) = sendStubborn(.concurrent.attemptTimeout(.seconds(5)), gate, late: late)
    let run = try await runs.next()
    let (latch, thread) = try await store.block()
    #expect(run.emit("left"))
    latch.open()
    await thread.value
    #expect(await store.log == ["block", "left"])
    await store.pass(.seconds(5), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    gate.open()
    #expect(try await !late.next())
    #expect(await store.log == ["block", "left", "closed: timedOut"])
  }
}

/// A random source that takes nothing away, and tells each draw.
private struct Draws: RandomNumberGenerator, Sendable {
  let draws: Recorder<Void>

  mutating func next() -> UInt64 {
    draws.record(())
    return 0
  }
}
