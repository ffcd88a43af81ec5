import MillraceTesting
import Testing

@testable import Millrace

@Suite("Time remaining", .timeLimit(.minutes(1)))
struct TimeRemainingTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let seen = Recorder<Duration?>()
  let gate = Gate()

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// An action whose handler notes the remaining time when it begins and after it has passed the gate.
  func action(_ plan: Plan) -> ScriptedInteractor.Action {
    ScriptedInteractor.Action.handle { [seen, gate] run in
      seen.record(run.timeRemaining)
      await gate.enterIgnoringCancellation()
      seen.record(run.timeRemaining)
    }.planned(plan)
  }

  @Test(
    "Without a timeout there is none",
    arguments: [.concurrent, .serial(key: "k"), .shared(key: "k").timeout(.seconds(9)), .concurrent.retry(2)] as [Plan])
  func withoutATimeout(plan: Plan) async {
    gate.open()
    #expect(await store.send(action(plan)).outcome.kind == .finished)
    #expect(seen.recorded == [nil, nil])
  }

  @Test(
    "It is the earlier of the action's timeout and the attempt's, and becomes less as time goes by",
    arguments: [
      .concurrent.timeout(.seconds(8)), .concurrent.attemptTimeout(.seconds(8)),
      .serial(key: "k").timeout(.seconds(8)).attemptTimeout(.seconds(20)),
      .concurrent.timeout(.seconds(20)).retry(2).attemptTimeout(.seconds(8)),
      .shared(key: "k").timeout(.seconds(5)).attemptTimeout(.seconds(8)),
    ] as [Plan])
  func theEarlier(plan: Plan) async throws {
    let receipt = store.send(action(plan))
    #expect(try await seen.next() == .seconds(8))
    await store.pass(.seconds(3), on: clock)
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await seen.next() == .seconds(5))
  }

  @Test("Time that the action has waited is gone from its timeout")
  func waiting() async throws {
    let first = Probe("first")
    store.send(first.action(.serial(key: "k")))
    try await first.waitForStart()
    store.send(action(.serial(key: "k").timeout(.seconds(8))))
    await store.pass(.seconds(3), on: clock)
    first.open()
    #expect(try await seen.next() == .seconds(5))
    gate.open()
  }

  @Test("Each attempt has its own time anew, and never more than the action")
  func attempts() async throws {
    let plan = Plan.concurrent.timeout(.seconds(8)).attemptTimeout(.seconds(3)).retry(
      9, backoff: .constant(.seconds(1)), jitter: 0)
    let delays = DelayRecorder()
    let store = Store(
      initial: ScriptedInteractor.State(), interactor: ScriptedInteractor(),
      configuration: StoreConfiguration(clock: clock), interceptors: [delays])
    let receipt = store.send(
      ScriptedInteractor.Action.handle { [seen] run in
        seen.record(run.timeRemaining)
        throw Mishap()
      }.planned(plan))
    for second in 0..<8 {
      #expect(try await seen.next() == .seconds(min(3, 8 - second)))
      // The clock's sleepers do not tell: one sleeps for the timeout all the while.
      try await delays.drawn.next()
      await store.pass(.seconds(1), on: clock)
    }
    #expect(await receipt.outcome.kind == .timedOut)
  }

  @Test("It is zero once the time is over, and never negative", arguments: [true, false])
  func over(isOfTheAttempt: Bool) async throws {
    let plan = Plan.concurrent
    let receipt = store.send(
      action(isOfTheAttempt ? plan.attemptTimeout(.seconds(8)) : plan.timeout(.seconds(8))))
    #expect(try await seen.next() == .seconds(8))
    await store.pass(.seconds(20), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    gate.open()
    #expect(try await seen.next() == .zero)
  }

  @Test("It is known on any thread while another one has the store's lock")
  func whileTheLockIsTaken() async throws {
    let runs = Recorder<Run<ScriptedInteractor>>()
    store.send(
      ScriptedInteractor.Action.handle { [gate] run in
        runs.record(run)
        try await gate.enter()
      }.planned(.concurrent.timeout(.seconds(8))))
    let run = try await runs.next()
    let (latch, thread) = try await store.block()
    #expect(run.timeRemaining == .seconds(8))
    latch.open()
    await thread.value
    gate.open()
  }

  @Test("An effect outside a store has none")
  func alone() async throws {
    let effect = Effect<ScriptedInteractor> { [seen] run in seen.record(run.timeRemaining) }
    for try await _ in effect.mutations(state: ScriptedInteractor.State(), clock: clock) {}
    #expect(seen.recorded == [nil])
  }
}

/// Records each delay between two attempts, when it is drawn.
private final class DelayRecorder: Interceptor, EventSink {
  typealias I = ScriptedInteractor

  let drawn = Recorder<Void>()

  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    self.drawn.record(())
    return drawn
  }
}
