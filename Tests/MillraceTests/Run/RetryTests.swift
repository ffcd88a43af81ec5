import MillraceTesting
import Testing

@testable import Millrace

@Suite("Retry", .timeLimit(.minutes(1)))
struct RetryTests {
  /// The attempt as its handler saw it.
  struct Seen: Sendable, Equatable {
    let attempt: Int
    let log: [String]
  }

  struct Numbered: Error, Equatable {
    let attempt: Int
  }

  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let seen = Recorder<Seen>()

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.random = SeededGenerator(seed: 7)
    store = Store(configuration)
  }

  /// An action that fails in its attempts up to this one, each time with its number.
  func action(failing last: Int, emitting: Bool = false, _ plan: Plan) -> ScriptedInteractor.Action {
    ScriptedInteractor.Action(handle: { [seen] run, state in
      seen.record(Seen(attempt: run.attempt, log: state.log))
      if emitting { run.emit(ScriptedInteractor.Mutation("attempt \(run.attempt)")) }
      if run.attempt <= last { throw Numbered(attempt: run.attempt) }
      run.emit("done")
    }).closed().planned(plan)
  }

  /// Waits until an attempt has failed and the next one is due: the store sleeps until then, and had nothing to sleep for.
  func waitForRest() async throws {
    try await clock.waitForSleepers()
    await store.settle()
  }

  /// The attempt in which the action failed.
  func failure(_ receipt: Receipt) async -> Int? {
    if case .failed(let error) = await receipt.outcome { (error as? Numbered)?.attempt } else { nil }
  }

  @Test(
    "As many attempts are made as the plan says, then the action is closed once, with the last error",
    arguments: [1, 2, 5])
  func asManyAttempts(attempts: Int) async throws {
    let receipt = store.send(action(failing: 9, .serial(key: "k").retry(attempts, backoff: .none)))
    #expect(await failure(receipt) == attempts)
    #expect(seen.recorded.map(\.attempt) == Array(1...attempts))
    #expect(await store.log == ["closed: failed"])
    #expect(await store.metrics.retries == attempts - 1)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }

  @Test("The first attempt that succeeds is the last one")
  func theFirstSuccess() async {
    let receipt = store.send(action(failing: 2, .concurrent.retry(9, backoff: .none)))
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded.map(\.attempt) == [1, 2, 3])
    #expect(await store.log == ["done"])
  }

  @Test("Rests grow with the backoff, on the store's clock")
  func restsGrow() async throws {
    let backoff = Plan.Backoff.exponential(initial: .seconds(1), factor: 3, maximum: .seconds(5))
    let receipt = store.send(action(failing: 9, .concurrent.retry(4, backoff: backoff, jitter: 0)))
    for (index, rest) in [1, 3, 5].enumerated() {
      #expect(try await seen.next().attempt == index + 1)
      try await waitForRest()
      await store.pass(.seconds(rest) - .nanoseconds(1), on: clock)
      #expect(seen.recorded.count == index + 1)
      await store.pass(.nanoseconds(1), on: clock)
    }
    #expect(await failure(receipt) == 4)
  }

  @Test("Jitter is drawn from the store's random source")
  func jitterIsDrawn() async throws {
    var random = SeededGenerator(seed: 7)
    _ = (random.next(), random.next())  // The idempotency keys of the store.
    let backoff = Plan.Backoff.exponential(initial: .seconds(10), factor: 2, maximum: .seconds(1_000))
    let receipt = store.send(action(failing: 9, .concurrent.retry(4, backoff: backoff, jitter: 0.5)))
    for attempt in 1...3 {
      #expect(try await seen.next().attempt == attempt)
      try await waitForRest()
      let rest = backoff.delay(after: attempt, jitter: 0.5, random: &random)
      #expect(rest < backoff.delay(after: attempt))
      await store.pass(.nanoseconds(rest.nanoseconds - 1), on: clock)
      #expect(seen.recorded.count == attempt)
      await store.pass(.nanoseconds(1), on: clock)
    }
    #expect(await failure(receipt) == 4)
  }

  @Test("After a commit no further attempt follows, unless the plan says so", arguments: [true, false])
  func afterACommit(afterCommits: Bool) async {
    let plan = Plan.concurrent.retry(3, backoff: .none, afterCommits: afterCommits)
    let receipt = store.send(action(failing: 2, emitting: true, plan))
    #expect(await receipt.outcome.kind == (afterCommits ? .finished : .failed))
    #expect(
      await store.log
        == (afterCommits ? ["attempt 1", "attempt 2", "attempt 3", "done"] : ["attempt 1", "closed: failed"]))
  }

  @Test("A commit of decide does not count as a commit of an attempt")
  func whatDecideCommitted() async {
    var action = action(failing: 1, .serial(key: "k").retry(2, backoff: .none))
    action.decide = { _ in .mutate(["decided", "twice"], thenHandle: true) }
    let receipt = store.send(action)
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["decided", "twice", "done"])
    #expect(await (receipt.firstCommit, receipt.lastRevision) == (1, 3))
  }

  @Test("L2: each attempt is handed the newest state")
  func theNewestState() async throws {
    let receipt = store.send(action(failing: 2, .concurrent.retry(3, backoff: .constant(.seconds(1)), jitter: 0)))
    for attempt in 1...2 {
      #expect(try await seen.next() == Seen(attempt: attempt, log: (1..<attempt).map { "after \($0)" }))
      try await waitForRest()
      store.send(.commit(ScriptedInteractor.Mutation("after \(attempt)")))
      await store.pass(.seconds(1), on: clock)
    }
    #expect(try await seen.next() == Seen(attempt: 3, log: ["after 1", "after 2"]))
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("R2, R3: an action cancelled while it rests is closed once, makes no further attempt, and its turn is free")
  func cancelledWhileItRests() async throws {
    let receipt = store.send(action(failing: 9, .serial(key: "k").retry(9, backoff: .constant(.seconds(1)), jitter: 0)))
    #expect(try await seen.next().attempt == 1)
    try await waitForRest()
    let next = store.send(ScriptedInteractor.Action.commit("next").planned(.serial(key: "k")))
    #expect(await store.log == [])
    receipt.cancel()
    #expect(await next.outcome.kind == .finished)
    #expect(await store.log == ["closed: cancelled", "next"])
    await store.pass(.seconds(1), on: clock)
    #expect(seen.recorded.count == 1)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.notReturned.isEmpty } == true)
  }

  @Test("An action that rests keeps its slot")
  func aRestKeepsItsSlot() async throws {
    let store = Store(StoreConfiguration(clock: clock, limits: StoreConfiguration.Limits(runsInFlight: 1)))
    let first = store.send(action(failing: 1, .concurrent.retry(2, backoff: .constant(.seconds(1)), jitter: 0)))
    #expect(try await seen.next().attempt == 1)
    try await clock.waitForSleepers()
    let second = store.send(.handle { $0.emit("second") })
    await store.settle()
    #expect(await store.metrics.inFlight == 1)
    #expect(await store.metrics.waiting == 1)
    await store.pass(.seconds(1), on: clock)
    #expect(await kinds([first, second]) == [.finished, .finished])
    #expect(await store.log == ["done", "second"])
  }

  @Test("A budget allows its number of further attempts for all runs of the key together, and more as time passes")
  func aBudget() async {
    let budget = Plan.RetryBudget(capacity: 3, refill: .seconds(10))
    let plan = Plan.concurrent(max: 9, key: "k").retry(3, backoff: .none, budget: budget)
    #expect(await failure(store.send(action(failing: 9, plan))) == 3)
    #expect(await failure(store.send(action(failing: 9, plan))) == 2)
    #expect(await failure(store.send(action(failing: 9, plan))) == 1)
    let other = Plan.concurrent(max: 9, key: "other").retry(3, backoff: .none, budget: budget)
    #expect(await failure(store.send(action(failing: 9, other))) == 3)
    await store.pass(.seconds(10), on: clock)
    #expect(await failure(store.send(action(failing: 9, plan))) == 2)
    #expect(await failure(store.send(action(failing: 9, plan))) == 1)
    // R5: a key is forgotten when its budget is full again.
    #expect(await store.keyCount == 2)
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 1)
    await store.pass(.seconds(20), on: clock)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }

  @Test("An action without a handler is not tried again")
  func notHandled() async {
    let receipt = store.send(
      ScriptedInteractor.Action.handle { [seen] run in
        seen.record(Seen(attempt: run.attempt, log: []))
        throw NotHandled()
      }.planned(.concurrent.retry(3, backoff: .none)))
    #expect(await receipt.rejectionKind == .notHandled)
    #expect(seen.recorded.count == 1)
  }

  @Test("All attempts of an action have one idempotency key, and no two actions have the same, in any two stores")
  func idempotencyKeys() async {
    let keys = Recorder<String>()
    let action = ScriptedInteractor.Action.handle { run in
      keys.record(run.idempotencyKey)
      throw Mishap()
    }.planned(.serial(key: "k").retry(3, backoff: .none))
    let other = Store()
    for store in [store, store, other] { #expect(await store.send(action).outcome.kind == .failed) }
    _ = await store.send(.handle { keys.record($0.idempotencyKey) }).outcome
    #expect(keys.recorded.count == 10)
    #expect(Set(keys.recorded).count == 4)
    #expect(Set(keys.recorded[0..<3]).count == 1)
  }

  @Test("S1: a drain waits for further attempts, and what it cuts while it rests is closed", arguments: [10, 1])
  func shutdownWhileItRests(seconds: Int) async throws {
    let receipt = store.send(action(failing: 1, .serial(key: "k").retry(2, backoff: .constant(.seconds(5)), jitter: 0)))
    #expect(try await seen.next().attempt == 1)
    try await waitForRest()
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(seconds)) }
    clock.advance(by: .seconds(5))
    #expect(await receipt.outcome.kind == (seconds > 5 ? .finished : .shutDown))
    #expect(await shutdown.value.isClean == (seconds > 5))
    #expect(await store.log == (seconds > 5 ? ["done"] : ["closed: shutDown"]))
  }
}
