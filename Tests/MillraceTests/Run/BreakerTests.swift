import MillraceTesting
import Testing

@testable import Millrace

@Suite("Breaker", .timeLimit(.minutes(1)))
struct BreakerTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let breaker = Plan.Breaker(failures: 2, within: .seconds(60), openFor: .seconds(30))
  let probe = Probe("probe")

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  var plan: Plan { Plan.concurrent(max: 9, key: "k").breaker(breaker) }

  func fail(_ plan: Plan? = nil) async -> Outcome.Kind {
    await store.send(ScriptedInteractor.Action.handle { _ in throw Mishap() }.planned(plan ?? self.plan)).outcome.kind
  }

  func succeed(_ plan: Plan? = nil) -> Receipt {
    store.send(ScriptedInteractor.Action.handle { _ in }.closed().planned(plan ?? self.plan))
  }

  /// Opens the breaker.
  func open(_ plan: Plan? = nil) async {
    for _ in 0..<breaker.figures.failures { #expect(await fail(plan) == .failed) }
  }

  @Test("Closed, open, half-open, closed: it rejects untouched and unclosed while it is open, and a success closes it")
  func closedAgain() async throws {
    await open()
    #expect(await succeed().rejectionKind == .breakerOpen)
    await store.pass(.seconds(30) - .nanoseconds(1), on: clock)
    let rejected = store.send(probe.action(plan))
    #expect(await rejected.rejectionKind == .breakerOpen)
    #expect(await rejected.firstCommit == nil)
    await store.pass(.nanoseconds(1), on: clock)
    let receipt = store.send(probe.action(plan))
    try await probe.waitForStart()
    #expect(await succeed().rejectionKind == .breakerOpen)
    probe.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await succeed().outcome.kind == .finished)
    #expect(await fail() == .failed)
    #expect(await succeed().outcome.kind == .finished)
    #expect(await store.log == ["probe begins", "probe done"])
    #expect(await store.metrics.rejections[.breakerOpen] == 3)
    #expect(await store.keyCount == 0)
  }

  @Test("A probe that fails opens it again, for the whole time")
  func openAgain() async {
    await open()
    await store.pass(.seconds(30), on: clock)
    #expect(await fail() == .failed)
    #expect(await succeed().rejectionKind == .breakerOpen)
    await store.pass(.seconds(29), on: clock)
    #expect(await succeed().rejectionKind == .breakerOpen)
    await store.pass(.seconds(1), on: clock)
    #expect(await succeed().outcome.kind == .finished)
    #expect(await succeed().outcome.kind == .finished)
  }

  @Test("A probe that is cancelled says nothing: the next one that comes is the probe")
  func aCancelledProbe() async throws {
    await open()
    await store.pass(.seconds(30), on: clock)
    let cancelled = store.send(probe.action(plan))
    try await probe.waitForStart()
    cancelled.cancel()
    let next = Probe("next")
    let receipt = store.send(next.action(plan))
    try await next.waitForStart()
    #expect(await succeed().rejectionKind == .breakerOpen)
    next.open()
    #expect(await receipt.outcome.kind == .finished)
    probe.open()
    await store.sweep("k")
    #expect(await succeed().outcome.kind == .finished)
  }

  @Test("R2: an open breaker passes what is decided at once; what it refuses has changed nothing and gets no closing")
  func whatPassesAnOpenBreaker() async throws {
    await open()
    let cached = ScriptedInteractor.Action.commit("cached").planned(plan)
    #expect(await store.send(cached).outcome.kind == .finished)
    let refused = store.send(probe.action(plan))
    #expect(await refused.rejectionKind == .breakerOpen)
    #expect(await refused.firstCommit == nil)
    #expect(
      await store.send(ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }.planned(plan)).rejectionKind
        == .decided)
    #expect(await store.log == ["cached"])
    await store.pass(.seconds(30), on: clock)
    // Nor does it become the probe.
    #expect(await store.send(cached).outcome.kind == .finished)
    _ = store.send(probe.action(plan))
    try await probe.waitForStart()
    #expect(await succeed().rejectionKind == .breakerOpen)
    probe.open()
  }

  @Test("A success begins the row of failures anew, and so does time")
  func aRowOfFailures() async {
    #expect(await fail() == .failed)
    #expect(await succeed().outcome.kind == .finished)
    #expect(await fail() == .failed)
    #expect(await store.keyCount == 1)
    await store.pass(.seconds(60) + .nanoseconds(1), on: clock)
    #expect(await store.keyCount == 0)
    #expect(await fail() == .failed)
    #expect(await succeed().outcome.kind == .finished)
    await open()
    #expect(await succeed().rejectionKind == .breakerOpen)
  }

  @Test("Retries stop when it opens: the action ends with the error it has")
  func retriesStop() async {
    let attempts = Recorder<Int>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        attempts.record(run.attempt)
        throw Mishap()
      }.closed().planned(plan.retry(9, backoff: .none)))
    #expect(await receipt.outcome.kind == .failed)
    #expect(attempts.recorded == [1, 2])
    #expect(await store.log == ["closed: failed"])
    #expect(await succeed().rejectionKind == .breakerOpen)
  }

  @Test("A key of its own is shared by plans of any keys, and leaves those without it alone")
  func aKeyOfItsOwn() async {
    let one = Plan.serial(key: 1).breaker(breaker, key: "gateway")
    let other = Plan.concurrent.breaker(breaker, key: "gateway")
    #expect(await fail(one) == .failed)
    #expect(await fail(other) == .failed)
    #expect(await succeed(one).rejectionKind == .breakerOpen)
    #expect(await succeed(other).rejectionKind == .breakerOpen)
    #expect(await succeed(.serial(key: 1)).outcome.kind == .finished)
    #expect(await succeed(Plan.serial(key: 1).breaker(breaker)).outcome.kind == .finished)
    #expect(await store.keyCount == 1)
    await store.pass(.seconds(90), on: clock)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }

  @Test("`latest` replaces at its turn, and may be refused by its breaker then")
  func latestAtAnOpenBreaker() async throws {
    let running = store.send(probe.action(.latest(key: "l")))
    try await probe.waitForStart()
    await open(Plan.concurrent.breaker(breaker, key: "gateway"))
    #expect(await succeed(Plan.latest(key: "l").breaker(breaker, key: "gateway")).rejectionKind == .breakerOpen)
    probe.open()
    #expect(await running.outcome.kind == .superseded)
    #expect(await store.log == ["probe begins", "probe: superseded"])
  }

  @Test("R2: 20 actions that wait for a slot do not reach a gateway that has failed since: each is rejected and closed")
  func askedAgainAfterAWait() async throws {
    let limits = StoreConfiguration.Limits(runsInFlight: 1)
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock, limits: limits))
    let plan = Plan.concurrent.breaker(Plan.Breaker(failures: 1, openFor: .seconds(30)), key: "gateway")
    let first = store.send(probe.action(plan, throwing: Mishap()))
    try await probe.waitForStart()
    let waiting = (0..<20).map { Probe("\($0)") }
    let receipts = waiting.map { store.send($0.action(plan)) }
    let other = store.send(ScriptedInteractor.Action.handle { $0.emit("other") })
    probe.open()
    #expect(await first.outcome.kind == .failed)
    for receipt in receipts { #expect(await receipt.rejectionKind == .breakerOpen) }
    #expect(await other.outcome.kind == .finished)
    #expect(waiting.allSatisfy { $0.starts == 0 })
    let begun = ["probe begins"] + waiting.map { "\($0.name) begins" }
    let closed = ["probe done", "probe: failed"] + waiting.map { "\($0.name): rejected" }
    #expect(await store.log == begun + closed + ["other"])
    #expect(await store.metrics.rejections == [.breakerOpen: 20])
  }

  @Test("A run that rests while its breaker opens ends with its own error")
  func openedDuringARest() async {
    let starts = Recorder<Int>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        starts.record(run.attempt)
        throw Mishap()
      }.closed().planned(plan.retry(3, backoff: .constant(.seconds(40)), jitter: 0)))
    await store.pass(.seconds(1), on: clock)
    #expect(await fail() == .failed)
    await store.pass(.seconds(39), on: clock)
    #expect(await receipt.outcome.kind == .failed)
    #expect(starts.recorded == [1])
    #expect(await store.log == ["closed: failed"])
    // The attempt that was not made has not been the probe.
    #expect(await succeed().outcome.kind == .finished)
  }

  @Test("A timeout of a run or an attempt is a failure, once; what never ran, and what was cancelled, is none")
  func whatCounts() async throws {
    let stubborn = [Probe("a"), Probe("b"), Probe("c"), Probe("d")]
    let cancelled = store.send(stubborn[0].action(plan))
    try await stubborn[0].waitForStart()
    cancelled.cancel()
    store.setLimit(0, key: "k")
    let waiting = store.send(stubborn[1].action(plan.timeout(.seconds(1))))
    await store.pass(.seconds(1), on: clock)
    #expect(await waiting.outcome.kind == .timedOut)
    store.setLimit(nil, key: "k")
    #expect(
      await store.send(ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }.planned(plan)).rejectionKind
        == .decided)

    let first = store.send(stubborn[2].action(plan.timeout(.seconds(1))))
    await store.pass(.seconds(1), on: clock)
    #expect(await first.outcome.kind == .timedOut)
    #expect(await succeedsWithoutEnding())
    let second = store.send(stubborn[3].action(plan.attemptTimeout(.seconds(1))))
    await store.pass(.seconds(1), on: clock)
    #expect(await second.outcome.kind == .timedOut)
    #expect(await succeed().rejectionKind == .breakerOpen)
    for probe in stubborn { probe.open() }
  }

  @Test(
    "A timeout of a run is counted with the attempt that it ends: of the second one as a failure, of a rest as none more",
    arguments: [true, false])
  func aTimeoutAfterAFailedAttempt(ofASecondAttempt: Bool) async throws {
    let gate = Gate()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        if run.attempt == 1 { throw Mishap() }
        await gate.enterIgnoringCancellation()
      }.planned(plan.timeout(.seconds(5)).retry(2, backoff: .constant(.seconds(ofASecondAttempt ? 1 : 10)), jitter: 0)))
    await store.pass(.seconds(1), on: clock)
    if ofASecondAttempt { try await gate.waitForArrivals() }
    await store.pass(.seconds(4), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    // Two failures in a row open it.
    if !ofASecondAttempt { #expect(await fail() == .failed) }
    #expect(await succeed().rejectionKind == .breakerOpen)
    gate.open()
  }

  /// Whether an action passes; it is cancelled, so that it counts as nothing.
  private func succeedsWithoutEnding() async -> Bool {
    let receipt = store.send(probe.action(plan))
    receipt.cancel()
    probe.open()
    return await receipt.outcome.kind == .cancelled
  }

  @Test("It is asked at the turn of an action, not when that was accepted")
  func askedAtTheTurn() async throws {
    let serial = Plan.serial(key: "k").breaker(Plan.Breaker(failures: 1, openFor: .seconds(30)))
    let first = store.send(probe.action(serial, throwing: Mishap()))
    let behind = (0..<3).map { _ in succeed(serial) }
    probe.open()
    #expect(await first.outcome.kind == .failed)
    for receipt in behind { #expect(await receipt.rejectionKind == .breakerOpen) }
    #expect(await store.log == ["probe begins", "probe done", "probe: failed"])
  }

  @Test("R5: an open breaker is forgotten when no action has come for long")
  func forgotten() async {
    await open()
    #expect(await store.keyCount == 1)
    await store.pass(.seconds(90) - .nanoseconds(1), on: clock)
    #expect(await store.keyCount == 1)
    await store.pass(.nanoseconds(1), on: clock)
    #expect(await store.keyCount == 0)
    #expect(await succeed().outcome.kind == .finished)
  }
}
