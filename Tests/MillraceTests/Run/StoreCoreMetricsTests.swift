import MillraceTesting
import Testing

@testable import Millrace

@Suite("The metrics of a store", .timeLimit(.minutes(1)))
struct StoreCoreMetricsTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  private let gate = Gate()

  func store(runs: Int = 100, waiting: Int = 100) -> Store<ScriptedInteractor> {
    var configuration = StoreConfiguration(
      clock: clock, limits: StoreConfiguration.Limits(runsInFlight: runs, actionsWaiting: waiting))
    configuration.report = { _ in }
    return Store(configuration)
  }

  /// An action whose handler stays at the gate.
  var stay: Action { .handle { [gate] _ in await gate.enterIgnoringCancellation() } }

  @Test("A store that has done nothing counts nothing")
  func nothingIsCounted() async {
    let metrics = await store().metrics
    #expect(metrics.sent == 0)
    #expect(metrics.accepted == 0)
    #expect(metrics.commits == 0)
    #expect(metrics.observers == 0)
    #expect(metrics.outcomes.values.allSatisfy { $0 == 0 })
    #expect(metrics.rejections.isEmpty)
    #expect(metrics.handleTime.count == 0)
  }

  @Test("A3: every outcome is counted by its kind, finished and rejected too, and nothing twice")
  func outcomesAreCounted() async throws {
    let store = store()
    store.send(contentsOf: [.commit("a"), .commit("b"), .decide { _ in .ignore }])
    let finished = store.send(.handle { $0.emit("c") })
    let planned = store.send(Action.commit("d").planned(.serial(key: 1)))
    let failed = store.send(.handle { _ in throw Mishap() })
    let (cancelled, superseded) = (store.send(stay), store.send(stay.planned(.latest(key: 2))))
    cancelled.cancel()
    let latest = store.send(Action.handle { _ in }.planned(.latest(key: 2)))
    let timedOut = store.send(Action.handle { _ in try await Gate().enter() }.planned(.concurrent.timeout(.seconds(1))))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    let rejected = store.send(.decide { _ in .reject(Mishap()) })
    #expect(
      await kinds([finished, planned, failed, cancelled, superseded, latest, timedOut, rejected])
        == [.finished, .finished, .failed, .cancelled, .superseded, .finished, .timedOut, .rejected])
    let metrics = await store.metrics
    #expect(
      metrics.outcomes.filter { $0.value > 0 }
        == [.finished: 6, .failed: 1, .cancelled: 1, .superseded: 1, .timedOut: 1, .rejected: 1])
    #expect(metrics.sent == 11)
    #expect(metrics.accepted == 10)
    #expect(metrics.commits == 4)
    gate.open()
  }

  @Test("A3: sent is what was rejected, what ended otherwise, and what is open, at each moment")
  func theSumIsRight() async throws {
    let store = store(runs: 4, waiting: 6)
    func check(open: Int, _ location: SourceLocation = #_sourceLocation) async {
      let metrics = await store.metrics
      let ended = metrics.outcomes.values.reduce(0, +)
      let rejected = metrics.outcomes[.rejected, default: 0]
      #expect(rejected == metrics.rejections.values.reduce(0, +), sourceLocation: location)
      #expect(metrics.sent == ended + open, sourceLocation: location)
      #expect(metrics.accepted == metrics.sent - rejected, sourceLocation: location)
    }
    store.send(contentsOf: [.commit("a"), stay, stay])
    await check(open: 2)
    let shared = (0..<3).map { _ in store.send(stay.planned(.shared(key: "s"))) }
    await check(open: 5)
    shared[0].cancel()
    await check(open: 4)
    shared[2].cancel()
    await check(open: 3)
    store.send(stay)
    store.send(contentsOf: [stay, stay.planned(.shared(key: "t")), stay.planned(.shared(key: "t"))])
    store.send(stay.planned(.latest(key: "d").debounce(.seconds(1))))
    store.send(stay.planned(.latest(key: "d").debounce(.seconds(1))))
    await check(open: 8)
    store.send(contentsOf: Array(repeating: stay, count: 10))
    await check(open: 9)
    shared[1].cancel()
    await check(open: 8)
    store.cancelAll()
    await check(open: 0)
    gate.open()
    await store.shutdown()
    store.send(.commit("late"))
    await check(open: 0)
  }

  @Test("A3: an action queued behind another thread's step, and cancelled there, is counted once")
  func leftActionsAreCounted() async throws {
    let store = store()
    let (latch, thread) = try await store.block()
    let left = (0..<4).map { _ in store.send(.commit("left")) }
    let cancelling = Task.immediate { await onThreadReturning { left[0].cancel() } }
    latch.open()
    await cancelling.value
    await thread.value
    let outcomes = await kinds(left)
    let metrics = await store.metrics
    #expect(metrics.sent == 5)
    #expect(metrics.outcomes[.finished, default: 0] == 1 + outcomes.count { $0 == .finished })
    #expect(metrics.outcomes[.cancelled, default: 0] == outcomes.count { $0 == .cancelled })
  }

  /// A reason, and the actions that lead to it, the last one first.
  static let reasons: [(Rejection.Kind, Action)] = [
    (.exclusive, Action.handle { _ in }.planned(.exclusive(key: "k"))),
    (.throttled, Action.handle { _ in }.planned(.exclusive(key: "k").throttle(.seconds(1), trailing: false))),
    (.breakerOpen, Action.handle { _ in }.planned(.concurrent.breaker(Plan.Breaker(failures: 1), key: "b"))),
    (.invalidPlan, Action.handle { _ in }.planned(.concurrent(max: 0, key: "k"))),
    (.decided, .decide { _ in .reject(Mishap()) }),
    (.full, Action.handle { _ in }.planned(.serial(key: "full"))),
  ]

  @Test("A3: rejected actions are counted by reason", arguments: reasons.indices)
  func rejectionsAreCounted(index: Int) async throws {
    let store = store(waiting: 0)
    let (reason, action) = StoreCoreMetricsTests.reasons[index]
    store.send(stay.planned(.exclusive(key: "k").throttle(.seconds(1), trailing: false)))
    store.setLimit(0, key: "full")
    _ = await store.send(
      Action.handle { _ in throw Mishap() }.planned(.concurrent.breaker(Plan.Breaker(failures: 1), key: "b"))
    ).outcome
    for count in 1...2 {
      #expect(await store.send(action).outcome.rejectionKind == reason)
      #expect(await store.metrics.rejections == [reason: count])
      #expect(await store.metrics.outcomes[.rejected] == count)
    }
    gate.open()
  }

  @Test("Actions that run, wait, submit or have not returned are counted as long as they do")
  func whatGoesOnIsCounted() async throws {
    let store = store(runs: 2, waiting: 1)
    let receipts = [store.send(stay), store.send(stay), store.send(stay)]
    try await gate.waitForArrivals(2)
    let submit = Task.immediate { try await store.submit(stay) }
    var metrics = await store.metrics
    #expect([metrics.inFlight, metrics.waiting, metrics.submitting, metrics.notReturned] == [2, 1, 1, 0])
    receipts[0].cancel()
    metrics = await store.metrics
    #expect([metrics.inFlight, metrics.waiting, metrics.submitting, metrics.notReturned] == [1, 1, 1, 1])
    receipts[2].cancel()
    let submitted = try await submit.value
    metrics = await store.metrics
    #expect([metrics.inFlight, metrics.waiting, metrics.submitting, metrics.notReturned] == [1, 1, 0, 1])
    gate.open()
    #expect(await submitted.outcome.kind == .finished)
    #expect(await receipts[1].outcome.kind == .finished)
    metrics = await store.metrics
    #expect([metrics.inFlight, metrics.waiting, metrics.submitting] == [0, 0, 0])
  }

  @Test("A run that rests between two attempts is in flight, and its further attempts are counted")
  func retriesAreCounted() async throws {
    let store = store()
    let attempts = Recorder<Void>()
    let receipt = store.send(
      Action.handle { run in
        attempts.record(())
        if run.attempt < 3 { throw Mishap() }
      }
      .planned(.concurrent.retry(3, backoff: .constant(.seconds(1)), jitter: 0)))
    for retries in 1...2 {
      try await attempts.next()
      try await clock.waitForSleepers()
      #expect(await store.metrics.inFlight == 1)
      #expect(await store.metrics.retries == retries)
      clock.advance(by: .seconds(1))
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.metrics.retries == 2)
    #expect(await store.metrics.handleTime.count == 3)
    #expect(await store.metrics.waitTime.count == 1)
  }

  @Test("Handlers are measured from their start to their return, and what waits until it starts, on the store's clock")
  func timesAreExact() async throws {
    let store = store(runs: 1)
    let receipt = store.send(stay)
    try await gate.waitForArrivals()
    let waiting = store.send(.handle { _ in })
    clock.advance(by: .milliseconds(1_500))
    receipt.cancel()
    clock.advance(by: .milliseconds(500))
    #expect(await store.metrics.handleTime.count == 0)
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    let metrics = await store.metrics
    #expect(metrics.handleTime.count == 2)
    #expect(metrics.handleTime.maximum == .seconds(2))
    #expect(metrics.handleTime.total == .seconds(2))
    #expect(metrics.waitTime.count == 2)
    #expect(metrics.waitTime.maximum == .seconds(2))
    #expect(metrics.waitTime.minimum == .zero)
  }

  @Test("Observers are counted while they look on, and the slowest one's lag in revisions")
  func observersAreCounted() async throws {
    let store = store()
    var fast: StoreSequence<ScriptedInteractor.State, Never>.Iterator? = store.states.makeAsyncIterator()
    var slow: StoreSequence<ScriptedInteractor.State, Never>.Iterator? = store.states.makeAsyncIterator()
    _ = await fast?.next(isolation: nil)
    _ = await slow?.next(isolation: nil)
    store.send(contentsOf: [.commit("1"), .commit("2"), .commit("3")])
    _ = await fast?.next(isolation: nil)
    var metrics = await store.metrics
    #expect(metrics.observers == 2)
    #expect(metrics.observerLag == 3)
    #expect(metrics.commits == 3)
    slow = nil
    metrics = await store.metrics
    #expect(metrics.observers == 1)
    #expect(metrics.observerLag == 0)
    fast = nil
    #expect(await store.metrics.observers == 0)
  }
}
