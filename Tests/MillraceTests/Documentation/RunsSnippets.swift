import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/runs.md, as they stand there.
enum RunsSnippets {
  protocol Warehouse: Sendable {
    func order(_ item: String, count: Int, idempotencyKey: String) async throws
  }

  struct Shop: Interactor {
    enum Action: Sendable {
      case search(String)
      case order(String, count: Int)
      case preview
      case export
      case refresh
      case scroll
    }

    enum Mutation: Sendable {
      case ordered(String, count: Int, attempts: Int)
    }

    struct State: Sendable, Equatable {
      var orders: [String] = []
    }

    let warehouse: any Warehouse

    func plan(for action: Action) -> Plan {
      switch action {
      case .search: .latest(key: "search").debounce(.milliseconds(300)).timeout(.seconds(5))
      case .order(let item, _): .serial(key: item).retry(3).breaker(Breaker(failures: 5), key: "warehouse")
      case .preview: .concurrent(max: 4, key: "preview")
      case .export: .exclusive(key: "export")
      case .refresh: .shared(key: "refresh").attemptTimeout(.seconds(2)).retry(2)
      case .scroll: .concurrent
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .order(let item, let count) = action else { return }
        try await warehouse.order(item, count: count, idempotencyKey: run.idempotencyKey)
        run.emit(.ordered(item, count: count, attempts: run.attempt))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .ordered(let item, let count, let attempts):
        state.orders.append("\(count) \(item), attempt \(attempts)")
      }
    }
  }

  static func setLimits(_ store: Store<Shop>) {
    store.setLimit(1, for: "preview")
    store.setLimit(nil, for: "preview")
  }
}

/// What docs/runs.md says of each overlap, pace and time, on actions that carry their plans.
@Suite("Runs", .timeLimit(.minutes(1)))
struct RunsSnippetsTests {
  private typealias Action = Chores.Action

  private struct Offline: Error {}

  /// Fails twice, and notes the keys it is given.
  private struct Flaky: RunsSnippets.Warehouse {
    let keys = Notes<String>()

    func order(_ item: String, count: Int, idempotencyKey: String) async throws {
      keys.note(idempotencyKey)
      if keys.all.count < 3 { throw Offline() }
    }
  }

  private func makeStore(_ clock: TestClock = TestClock()) -> Store<Chores> {
    Store(initial: [], interactor: Chores(), configuration: StoreConfiguration(clock: clock))
  }

  @Test("An order is tried three times with one key, and rests in between")
  func order() async throws {
    let clock = TestClock()
    let warehouse = Flaky()
    let store = Store(
      initial: RunsSnippets.Shop.State(), interactor: RunsSnippets.Shop(warehouse: warehouse),
      configuration: StoreConfiguration(clock: clock))
    RunsSnippets.setLimits(store)
    let receipt = store.send(.order("pear", count: 2))
    for _ in 1...2 {
      try await clock.waitForSleepers(1)
      clock.run()
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.orders == ["2 pear, attempt 3"])
    #expect(Set(warehouse.keys.all).count == 1)
    for action in [RunsSnippets.Shop.Action.preview, .export, .refresh, .scroll] {
      #expect(await store.send(action).outcome.kind == .finished)
    }
  }

  @Test("R4: `.concurrent(max:)` lets so many in, the others wait undecided")
  func concurrent() async throws {
    let store = makeStore()
    let gate = Gate()
    let plan = Plan.concurrent(max: 2, key: 1)
    for name in ["A", "B", "C"] { store.send(Action(name, plan, begins: true) { _ in try await gate.enter() }) }
    try await gate.waitForArrivals(2)
    #expect(await store.state == ["A", "B"])
    #expect(await store.metrics.waiting == 1)
    store.setLimit(3, for: 1)
    try await gate.waitForArrivals(3)
    #expect(await store.state == ["A", "B", "C"])
    gate.open()
  }

  @Test("R4: `.serial` keeps its turn until a cancelled handler has returned")
  func serial() async throws {
    let store = makeStore()
    let gate = Gate()
    let first = store.send(Action("A", .serial(key: 1)) { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals(1)
    let second = store.send(Action("B", .serial(key: 1), begins: true))
    first.cancel()
    #expect(await first.outcome.kind == .cancelled)
    #expect(await store.state == ["A cancelled"])
    #expect(await store.metrics.notReturned == 1)
    gate.open()
    #expect(await second.outcome.kind == .finished)
    #expect(await store.state == ["A cancelled", "B"])
  }

  @Test("R2, R4: `.latest` closes the earlier one, and starts though its handler goes on")
  func latest() async throws {
    let store = makeStore()
    let gate = Gate()
    let first = store.send(Action("A", .latest(key: 1)) { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals(1)
    let second = store.send(Action("B", .latest(key: 1), begins: true))
    #expect(await first.outcome.kind == .superseded)
    #expect(await second.outcome.kind == .finished)
    #expect(await store.state == ["A superseded", "B"])
    gate.open()
  }

  @Test("R4: `.exclusive` rejects the new one until the earlier one has its outcome")
  func exclusive() async throws {
    let store = makeStore()
    let gate = Gate()
    let first = store.send(Action("A", .exclusive(key: 1)) { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals(1)
    let second = store.send(Action("B", .exclusive(key: 1)))
    #expect(await second.outcome.rejection == .exclusive)
    first.cancel()
    #expect(await store.send(Action("C", .exclusive(key: 1))).outcome.kind == .finished)
    #expect(await store.state == ["A cancelled"])
    gate.open()
  }

  @Test("R4: `.shared` handles the first, and each has its own receipt")
  func shared() async throws {
    let store = makeStore()
    let gate = Gate()
    let plan = Plan.shared(key: 1)
    let first = store.send(Action("A", plan, begins: true) { _ in try await gate.enter() })
    try await gate.waitForArrivals(1)
    let joined = store.send(Action("B", plan, begins: true))
    let gone = store.send(Action("C", plan, begins: true))
    gone.cancel()
    #expect(await gone.outcome.kind == .cancelled)
    first.cancel()
    #expect(await first.outcome.kind == .cancelled)
    gate.open()
    #expect(await joined.outcome.kind == .finished)
    #expect(await store.state == ["A"])
  }

  @Test("R4: A shared run ends with the last who leaves it, and is closed once")
  func sharedByNobody() async throws {
    let store = makeStore()
    let gate = Gate()
    let receipts = ["A", "B"].map { store.send(Action($0, .shared(key: 1)) { _ in try await gate.enter() }) }
    try await gate.waitForArrivals(1)
    for receipt in receipts { receipt.cancel() }
    #expect(await store.state == ["A cancelled"])
  }

  @Test("A debounced action waits until none of its key comes; one that is replaced is superseded, and not closed")
  func debounce() async throws {
    let clock = TestClock()
    let store = makeStore(clock)
    let plan = Plan.latest(key: 1).debounce(.seconds(3))
    let first = store.send(Action("A", plan, begins: true))
    clock.advance(by: .seconds(2))
    let second = store.send(Action("B", plan, begins: true))
    #expect(await first.outcome.kind == .superseded)
    clock.advance(by: .seconds(2))
    #expect(await store.metrics.waiting == 1)
    clock.advance(by: .seconds(1))
    #expect(await second.outcome.kind == .finished)
    #expect(await store.state == ["B"])
  }

  @Test("One that is held counts as an earlier one for those of its key that have no pace")
  func held() async {
    let store = makeStore()
    let held = store.send(Action("A", .serial(key: 1).debounce(.seconds(3)), begins: true))
    #expect(await store.send(Action("B", .exclusive(key: 1))).outcome.rejection == .exclusive)
    #expect(await store.send(Action("C", .latest(key: 1), begins: true)).outcome.kind == .finished)
    #expect(await held.outcome.kind == .superseded)
    #expect(await store.state == ["C"])
  }

  @Test("A throttle lets the first and the last of an interval pass")
  func throttle() async throws {
    let clock = TestClock()
    let store = makeStore(clock)
    let plan = Plan.serial(key: 1).throttle(.seconds(4))
    #expect(await store.send(Action("A", plan, begins: true)).outcome.kind == .finished)
    clock.advance(by: .seconds(1))
    let second = store.send(Action("B", plan, begins: true))
    clock.advance(by: .seconds(1))
    let third = store.send(Action("C", plan, begins: true))
    #expect(await second.outcome.kind == .superseded)
    clock.advance(by: .seconds(2))
    #expect(await third.outcome.kind == .finished)
    clock.advance(by: .seconds(2))
    let fourth = store.send(Action("D", plan, begins: true))
    #expect(await store.metrics.waiting == 1)
    clock.advance(by: .seconds(2))
    #expect(await fourth.outcome.kind == .finished)
    let leading = Plan.serial(key: 2).throttle(.seconds(4), trailing: false)
    #expect(await store.send(Action("E", leading)).outcome.kind == .finished)
    #expect(await store.send(Action("F", leading)).outcome.rejection == .throttled)
    #expect(await store.state == ["A", "C", "D"])
  }

  @Test("A timeout covers all attempts, and the rests between them")
  func timeouts() async throws {
    let clock = TestClock()
    let store = makeStore(clock)
    let attempts = Recorder<Int>()
    let plan = Plan.concurrent.timeout(.seconds(8)).attemptTimeout(.seconds(3))
      .retry(5, backoff: .constant(.seconds(1)), jitter: 0)
    let receipt = store.send(
      Action("A", plan) { run in
        attempts.record(run.attempt)
        try await Gate().enter()
      })
    #expect(try await attempts.next() == 1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    // When something sleeps again, the store has given the attempt up, and the rest has begun.
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await attempts.next() == 2)
    clock.advance(by: .seconds(4))
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(attempts.recorded == [1, 2])
    #expect(await store.state == ["A timedOut"])
  }

  @Test("What an attempt commits stays, and ends the retries, unless the plan says otherwise")
  func commitsOfAttempts() async throws {
    let store = makeStore()
    for (name, afterCommits) in [("A", false), ("B", true)] {
      let plan = Plan.concurrent.retry(2, backoff: .none, afterCommits: afterCommits)
      let receipt = store.send(
        Action(name, plan) { run in
          run.emit("\(name)\(run.attempt)")
          throw Offline()
        })
      #expect(await receipt.outcome.kind == .failed)
    }
    #expect(await store.state == ["A1", "A failed", "B1", "B2", "B failed"])
  }

  @Test("A breaker opens after failures in a row, lets a probe through, and closes with its success")
  func breaker() async throws {
    let clock = TestClock()
    let store = makeStore(clock)
    let plan = Plan.serial(key: 1).breaker(Breaker(failures: 2, openFor: .seconds(30)), key: "gateway")
    for name in ["A", "B"] {
      #expect(await store.send(Action(name, plan) { _ in throw Offline() }).outcome.kind == .failed)
    }
    #expect(await store.send(Action("C", plan)).outcome.rejection == .breakerOpen)
    clock.advance(by: .seconds(30))
    let gate = Gate()
    let probe = store.send(Action("D", plan) { _ in try await gate.enter() })
    try await gate.waitForArrivals(1)
    let other = Plan.serial(key: 2).breaker(Breaker(failures: 2, openFor: .seconds(30)), key: "gateway")
    #expect(await store.send(Action("E", other)).outcome.rejection == .breakerOpen)
    gate.open()
    #expect(await probe.outcome.kind == .finished)
    #expect(await store.send(Action("F", other)).outcome.kind == .finished)
  }

  @Test("`.latest` replaces nothing when its breaker rejects it")
  func latestAtAnOpenBreaker() async throws {
    let store = makeStore()
    let gate = Gate()
    let first = store.send(Action("A", .latest(key: 1)) { _ in try await gate.enter() })
    try await gate.waitForArrivals(1)
    let plan = Plan.concurrent.breaker(Breaker(failures: 1), key: "gateway")
    _ = await store.send(Action("B", plan) { _ in throw Offline() }).outcome
    let second = store.send(Action("C", .latest(key: 1).breaker(Breaker(failures: 1), key: "gateway")))
    #expect(await second.outcome.rejection == .breakerOpen)
    gate.open()
    #expect(await first.outcome.kind == .finished)
  }

  @Test(
    "Each mistake of a plan is told and traps nowhere",
    arguments: [
      Plan.concurrent(max: 0, key: 1), .serial(key: Double.nan), .concurrent.debounce(.seconds(1)),
      .latest(key: 1).debounce(.seconds(1)).throttle(.seconds(1)),
      .latest(key: 1).throttle(.seconds(1), leading: false, trailing: false), .concurrent.timeout(.zero),
      .concurrent.retry(0), .concurrent.retry(2, backoff: .exponential(factor: 0.5)), .concurrent.retry(2, jitter: 2),
      .serial(key: 1).retry(2, budget: RetryBudget(capacity: 0, refill: .seconds(1))),
      .serial(key: 1).breaker(Breaker(failures: 0)),
    ])
  func mistakes(plan: Plan) async {
    let store = Store(initial: [], interactor: Chores())
    #expect(await store.send(Action("A", plan)).outcome.rejection == .invalidPlan)
    #expect(await store.state == [])
  }

  @Test("Timeouts and retries need no key, a breaker may have its own")
  func valid() async {
    let store = makeStore()
    let plan = Plan.concurrent.timeout(.seconds(1)).attemptTimeout(.seconds(1)).retry(2).breaker(key: "gateway")
    #expect(await store.send(Action("A", plan)).outcome.kind == .finished)
  }
}
