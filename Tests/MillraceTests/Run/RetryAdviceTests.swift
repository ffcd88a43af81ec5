import MillraceTesting
import Testing

@testable import Millrace

@Suite("Retry with judgement", .timeLimit(.minutes(1)))
struct RetryAdviceTests {
  /// The answer of a gateway that failed, with the delay that it asks for.
  struct Answer: RetryAfter, Equatable {
    let status: Int
    var retryAfter: Duration?
  }

  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let seen = Recorder<Int>()

  init() {
    store = Store(StoreConfiguration(clock: clock, random: SeededGenerator(seed: 7)))
  }

  /// An action whose attempts throw these errors in turn, and then finish.
  func action(_ answers: Answer..., plan: Plan) -> ScriptedInteractor.Action {
    ScriptedInteractor.Action.handle { [seen] run in
      seen.record(run.attempt)
      if run.attempt <= answers.count { throw answers[run.attempt - 1] }
      run.emit("done")
    }.closed().planned(plan)
  }

  /// The status of the error that the action failed with.
  func status(_ receipt: Receipt) async -> Int? {
    if case .failed(let error) = await receipt.outcome { (error as? Answer)?.status } else { nil }
  }

  /// Waits until an attempt has failed, and checks that the next one begins after exactly this rest.
  func expectRest(_ rest: Duration, after attempt: Int) async throws {
    #expect(try await seen.next() == attempt)
    try await clock.waitForSleepers()
    await store.settle()
    await store.pass(rest - .nanoseconds(1), on: clock)
    #expect(seen.recorded.count == attempt)
    await store.pass(.nanoseconds(1), on: clock)
  }

  @Test("An error that the plan does not try again ends the run: no retry is counted, and the budget keeps its token")
  func refusedErrors() async {
    let isRetryable: @Sendable (any Error) -> Bool = { ($0 as? Answer)?.status != 404 }
    let plan = Plan.serial(key: "k").retry(
      3, if: isRetryable, backoff: .none, budget: Plan.RetryBudget(capacity: 1, refill: .seconds(10)))
    #expect(await status(store.send(action(Answer(status: 404), plan: plan))) == 404)
    #expect(await store.log == ["closed: failed"])
    #expect(await store.metrics.retries == 0)
    #expect(await store.send(action(Answer(status: 503), plan: plan)).outcome.kind == .finished)
    #expect(seen.recorded == [1, 1, 2])
  }

  @Test("The plan is asked once for each error before the last attempt")
  func askedOnce() async {
    let asked = Notes<Int>()
    let plan = Plan.concurrent.retry(
      3,
      if: { error in
        asked.note((error as? Answer)?.status ?? 0)
        return true
      }, backoff: .none)
    let failing = action(Answer(status: 501), Answer(status: 502), Answer(status: 503), plan: plan)
    #expect(await status(store.send(failing)) == 503)
    #expect(asked.all == [501, 502])
  }

  @Test(
    "The plan is asked in the task of the handler and without the lock: what it sends is committed before it answers")
  func askedWithoutTheLock() async {
    let asked = Notes<String>()
    let plan = Plan.concurrent.retry(
      2,
      if: { [store] _ in
        asked.note(RunContext.current == nil ? "in no run" : "in the run")
        asked.note(store.core.lock.isHeldHere ? "with the lock" : "without the lock")
        asked.note(store.send(.commit("judged")).hasFinishedAtOnce ? "committed" : "queued")
        return true
      }, backoff: .none)
    #expect(await store.send(action(Answer(status: 503), plan: plan)).outcome.kind == .finished)
    #expect(asked.all == ["in the run", "without the lock", "committed"])
    #expect(await store.log == ["judged", "done"])
  }

  @Test("An attempt that is given up has thrown no error: another one follows, and the plan is not asked")
  func givenUp() async throws {
    let asked = Notes<String>()
    let plan = Plan.concurrent.attemptTimeout(.seconds(5)).retry(
      2,
      if: { error in
        asked.note("\(error)")
        return false
      }, backoff: .none)
    let (store, gate) = (
      Store(StoreConfiguration(clock: clock, limits: StoreConfiguration.Limits(runsInFlight: 1))), Gate()
    )
    let receipt = store.send(
      ScriptedInteractor.Action.handle { [seen] run in
        seen.record(run.attempt)
        if run.attempt == 1 { try await gate.enter() }
      }.planned(plan))
    try await gate.waitForArrivals()
    await store.pass(.seconds(5), on: clock)
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [1, 2])
    // Both handlers have returned when their slot is free.
    #expect(await store.send(.handle { _ in }).outcome.kind == .finished)
    #expect(asked.all == [])
  }

  @Test(
    "R3: the plan is not asked about the error of an attempt that is over, nor about an attempt that has thrown none")
  func lateErrors() async throws {
    let (asked, gate) = (Notes<String>(), Gate())
    let isRetryable: @Sendable (any Error) -> Bool = { error in
      asked.note("\(error)")
      return false
    }
    let receipt = store.send(
      ScriptedInteractor.Action.handle { _ in try await gate.enter() }.planned(.concurrent.retry(2, if: isRetryable)))
    try await gate.waitForArrivals()
    let attempt = try #require(await store.onRuns { $0?.tables.records.first??.record.attempt })
    #expect(attempt.advice(after: .finished).allowsRetry)
    #expect(attempt.advice(after: .rejected(.notHandled)).allowsRetry)
    #expect(asked.all == [])
    #expect(!attempt.advice(after: .failed(Mishap())).allowsRetry)
    #expect(asked.all == ["a mishap"])
    attempt.willEnd()
    #expect(attempt.advice(after: .failed(Mishap())).allowsRetry)
    #expect(asked.all == ["a mishap"])
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("The breaker counts an error that is not tried again")
  func theBreakerCounts() async {
    let plan = Plan.concurrent.retry(3, if: { _ in false }).breaker(Plan.Breaker(failures: 1), key: "gateway")
    #expect(await status(store.send(action(Answer(status: 404), plan: plan))) == 404)
    #expect(await store.send(action(plan: plan)).rejectionKind == .breakerOpen)
  }

  @Test("The delay of an error replaces the rest by the backoff, longer or shorter; without one the backoff counts")
  func theDelayReplacesTheRest() async throws {
    let backoff = Plan.Backoff.constant(.seconds(10))
    let answers = [
      Answer(status: 429, retryAfter: .seconds(60)), Answer(status: 429, retryAfter: .seconds(1)), Answer(status: 503),
    ]
    let plan = Plan.concurrent.retry(4, backoff: backoff, jitter: 0)
    let receipt = store.send(action(answers[0], answers[1], answers[2], plan: plan))
    try await expectRest(.seconds(60), after: 1)
    try await expectRest(.seconds(1), after: 2)
    try await expectRest(.seconds(10), after: 3)
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("Jitter makes the delay of an error longer, by a part of the backoff that is drawn from the store's source")
  func jitterAddsToTheDelay() async throws {
    var random = SeededGenerator(seed: 7)
    _ = (random.next(), random.next())  // The idempotency keys of the store.
    let backoff = Plan.Backoff.constant(.seconds(10))
    let rest = backoff.delay(after: 1, asked: .seconds(60), jitter: 0.5, random: &random)
    #expect(rest > .seconds(60) && rest < .seconds(65))
    let plan = Plan.concurrent.retry(2, backoff: backoff, jitter: 0.5)
    let receipt = store.send(action(Answer(status: 429, retryAfter: .seconds(60)), plan: plan))
    try await expectRest(.nanoseconds(rest.nanoseconds), after: 1)
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("A delay of zero or less is none at all", arguments: [0, -5])
  func noDelay(seconds: Int) async {
    let plan = Plan.concurrent.retry(2, backoff: .constant(.seconds(10)), jitter: 0)
    let receipt = store.send(action(Answer(status: 503, retryAfter: .seconds(seconds)), plan: plan))
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("A delay that never ends does not trap, and the plan's timeout ends the run")
  func anEndlessDelay() async throws {
    let plan = Plan.serial(key: "k").retry(2).timeout(.seconds(9))
    let receipt = store.send(action(Answer(status: 503, retryAfter: .seconds(Int64.max)), plan: plan))
    #expect(try await seen.next() == 1)
    try await clock.waitForSleepers()
    await store.pass(.seconds(9), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.log == ["closed: timedOut"])
    #expect(await store.keyCount == 0)
  }

  @Test("An interceptor that replaces rests is given the delay of the error, and replaces it")
  func anInterceptorReplacesIt() async throws {
    let halving = Halving()
    let store = Store(
      initial: ScriptedInteractor.State(), interactor: ScriptedInteractor(),
      configuration: StoreConfiguration(clock: clock), interceptors: [halving])
    let plan = Plan.concurrent.retry(2, jitter: 0)
    let receipt = store.send(action(Answer(status: 429, retryAfter: .seconds(60)), plan: plan))
    #expect(try await seen.next() == 1)
    try await clock.waitForSleepers()
    await store.pass(.seconds(30), on: clock)
    #expect(await receipt.outcome.kind == .finished)
    #expect(halving.drawn.all == [.seconds(60)])
  }
}

/// Halves each rest.
private final class Halving: Interceptor, EventSink {
  typealias I = ScriptedInteractor

  let drawn = Notes<Duration>()

  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    self.drawn.note(drawn)
    return drawn / 2
  }
}
