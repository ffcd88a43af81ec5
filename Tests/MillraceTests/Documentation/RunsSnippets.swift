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
      case build(String, tenant: String)
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

    // snippet.plan
    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .search: .latest(key: "search").debounce(.milliseconds(300)).timeout(.seconds(5))
      case .order(let item, _): .serial(key: item).retry(3).breaker(Plan.Breaker(failures: 5), key: "warehouse")
      case .preview: .concurrent(max: 4, key: "preview")
      case .export: .exclusive(key: "export")
      case .build(let artifact, let tenant): .serial(key: artifact).limited(to: 8, key: tenant)
      case .refresh: .shared(key: "refresh").attemptTimeout(.seconds(2)).retry(2)
      case .scroll: .concurrent
      }
    }
    // snippet.end

    // snippet.handle
    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .order(let item, let count) = action else { return }
        try await warehouse.order(item, count: count, idempotencyKey: run.idempotencyKey)
        run.emit(.ordered(item, count: count, attempts: run.attempt))
      }
    }
    // snippet.end

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .ordered(let item, let count, let attempts):
        state.orders.append("\(count) \(item), attempt \(attempts)")
      }
    }
  }

  /// Sends actions from its handler.
  struct Shelf: Interactor {
    enum Action: Sendable {
      case restock([String])
      case order(String, count: Int)
      case refresh
    }

    enum Mutation: Sendable {
      case ordered(String, count: Int)
      case refreshed
      case restocked
    }

    func decide(_ action: Action, state: [String]) -> Decision<Mutation> {
      switch action {
      case .restock: .handle
      case .order(let item, let count): .mutate(.ordered(item, count: count))
      case .refresh: .mutate(.refreshed)
      }
    }

    // snippet.sending-from-handler
    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .restock(let items) = action else { return }
        for item in items { run.send(.order(item, count: 1)) }
        let receipt = run.send(.refresh)
        guard case .finished = await receipt.outcome else { return }
        run.emit(.restocked)
      }
    }
    // snippet.end

    static func reduce(into state: inout [String], mutation: Mutation) {
      state.append("\(mutation)")
    }
  }

  /// Plans by its state.
  struct Prices: Interactor {
    enum Action: Sendable {
      case price(String)
      case order(String)
    }

    enum Mutation: Sendable {
      case priced(String, Int)
      case sold(String)
    }

    struct State: Sendable, Equatable {
      var prices: [String: Int] = [:]
      var stock: [String: Int] = [:]
    }

    struct SoldOut: Error {}

    let gate: Gate

    // snippet.plan-state
    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .price(let item): state.prices[item] == nil ? .shared(key: item) : .concurrent
      case .order(let item): .serial(key: item)
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .price(let item): state.prices[item] == nil ? .handle : .ignore
      case .order(let item): state.stock[item, default: 0] > 0 ? .mutate(.sold(item)) : .reject(SoldOut())
      }
    }
    // snippet.end

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .price(let item) = action else { return }
        try await gate.enter()
        run.emit(.priced(item, 5))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .priced(let item, let price): state.prices[item] = price
      case .sold(let item): state.stock[item, default: 0] -= 1
      }
    }
  }

  /// Fetches artifacts, each once for all who ask for it at the same time.
  struct Depot: Interactor {
    struct State: Sendable {
      var artifacts: [String: String] = [:]
    }

    enum Action: Sendable {
      case fetch(String)
    }

    enum Mutation: Sendable {
      case fetched(String, String)
    }

    let download: @Sendable (String) async throws -> String

    // snippet.answers
    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .fetch(let name): .shared(key: name).timeout(.seconds(5))
      }
    }
    // snippet.end

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .fetch(let name) = action else { return }
        run.emit(.fetched(name, try await download(name)))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .fetched(let name, let artifact): state.artifacts[name] = artifact
      }
    }
  }

  static func answer(_ store: Store<Depot>) async throws -> String? {
    // snippet.answers-request
    let artifact = try await store.request(.fetch("a"), returning: { $0.artifacts["a"] })
    // snippet.end
    return artifact
  }

  static func answer(_ store: Store<Depot>, _ name: String) async throws -> String? {
    // snippet.answers-fetch
    do {
      return try await store.request(.fetch(name), cancelsAction: true, returning: { $0.artifacts[name] })
    } catch let error as StoreError where error.outcome?.kind == .timedOut {
      return nil
    }
    // snippet.end
  }

  // snippet.Refusal
  struct Refusal: RetryAfter {
    let status: Int
    /// The value of the `Retry-After` header.
    let retryAfter: Duration?
  }
  // snippet.end

  static func judged(_ item: String) -> Plan {
    // snippet.retry
    .serial(key: item).timeout(.seconds(60)).retry(3, if: { ($0 as? Refusal)?.status != 404 })
    // snippet.end
  }

  static func guarded(_ item: String) -> Plan {
    // snippet.countsIf
    .serial(key: item).breaker(
      Plan.Breaker(failures: 5) { error in
        guard let status = (error as? Refusal)?.status else { return true }
        return status >= 500 || status == 408 || status == 429
      }, key: "warehouse")
    // snippet.end
  }

  struct Headers {
    // snippet.headers
    func headers<I>(of run: Run<I>) -> [String: String] {
      guard let time = run.timeRemaining else { return [:] }
      return ["Request-Timeout": "\(time.components.seconds)"]
    }
    // snippet.end
  }

  static func setLimits(_ store: Store<Shop>) {
    // snippet.keys
    store.setLimit(1, key: "preview")
    store.setLimit(nil, key: "preview")
    // snippet.end
  }
}

/// The interactor of docs/runs.md; what the page says of overlaps, paces and times has its tests in Run/.
@Suite("Runs", .timeLimit(.minutes(1)))
struct RunsSnippetsTests {
  private struct Offline: Error {}

  /// Fails twice, and notes the keys it is given.
  private struct Flaky: RunsSnippets.Warehouse {
    let keys = Notes<String>()

    func order(_ item: String, count: Int, idempotencyKey: String) async throws {
      keys.note(idempotencyKey)
      if keys.all.count < 3 { throw Offline() }
    }
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
    let outcome = try await clock.run(until: { await receipt.outcome }, within: .seconds(30))
    #expect(outcome.kind == .finished)
    #expect(await store.state.orders == ["2 pear, attempt 3"])
    #expect(Set(warehouse.keys.all).count == 1)
    for action in [RunsSnippets.Shop.Action.preview, .export, .build("core", tenant: "t"), .refresh, .scroll] {
      #expect(await store.send(action).outcome.kind == .finished)
    }
  }

  @Test("A request returns what was fetched, nil when its time is over, and throws otherwise")
  func answers() async throws {
    let clock = TestClock()
    let gate = Gate()
    let store = Store(
      initial: RunsSnippets.Depot.State(),
      interactor: RunsSnippets.Depot { name in
        if name == "c" { throw Offline() }
        if name == "b" { try await gate.enter() }
        return "artifact \(name)"
      }, configuration: StoreConfiguration(clock: clock))
    #expect(try await RunsSnippets.answer(store) == "artifact a")
    let late = Task.immediate { try await RunsSnippets.answer(store, "b") }
    try await gate.waitForArrivals()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(try await late.value == nil)
    let error = await #expect(throws: StoreError.self) { try await RunsSnippets.answer(store, "c") }
    #expect(error?.outcome?.kind == .failed)
  }

  @Test("A price that is missing is asked for once, and one that is there at no cost")
  func plansOnTheState() async throws {
    let gate = Gate()
    let store = Store(
      initial: RunsSnippets.Prices.State(stock: ["pear": 1]), interactor: RunsSnippets.Prices(gate: gate))
    let receipts = (0..<3).map { _ in store.send(.price("pear")) }
    try await gate.waitForArrivals()
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(gate.arrivals == 1)
    #expect(await store.send(.price("pear")).outcome.kind == .finished)
    #expect(gate.arrivals == 1)
    #expect(await store.send(.order("pear")).outcome.kind == .finished)
    #expect(await store.send(.order("pear")).outcome.kind == .rejected)
    #expect(await store.state == RunsSnippets.Prices.State(prices: ["pear": 5], stock: ["pear": 0]))
  }

  @Test("A warehouse says when to come back, and which orders it never takes", arguments: [503, 404])
  func refusals(status: Int) async throws {
    let clock = TestClock()
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
    let begun = Notes<Duration>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        begun.note(clock.now.offset)
        if run.attempt == 1 { throw RunsSnippets.Refusal(status: status, retryAfter: .seconds(20)) }
      }.planned(RunsSnippets.judged("pear")))
    let outcome = try await clock.run(until: { await receipt.outcome }, within: .seconds(30))
    #expect(outcome.kind == (status == 404 ? .failed : .finished))
    #expect(begun.all.count == (status == 404 ? 1 : 2))
    #expect(begun.all.dropFirst().allSatisfy { $0 >= .seconds(20) })
  }

  @Test(
    "Answers of 408, 429 and 5xx are failures for the breaker, and so is a lost connection",
    arguments: [
      (404, false), (403, false), (408, true), (429, true), (500, true), (503, true), (nil, true),
    ])
  func countedErrors(status: Int?, counts: Bool) async {
    let store = Store(StoreConfiguration(clock: TestClock()))
    for _ in 0..<5 {
      let failing = ScriptedInteractor.Action.handle { _ in
        if let status { throw RunsSnippets.Refusal(status: status, retryAfter: nil) } else { throw Mishap() }
      }
      #expect(await store.send(failing.planned(RunsSnippets.guarded("pear"))).outcome.kind == .failed)
    }
    let next = store.send(ScriptedInteractor.Action.handle { _ in }.planned(RunsSnippets.guarded("apple")))
    #expect(await next.outcome.rejectionKind == (counts ? .breakerOpen : nil))
  }

  @Test("A handler passes on the seconds that remain", arguments: [nil, 8])
  func headers(seconds: Int?) async {
    let store = Store(StoreConfiguration(clock: TestClock()))
    let seen = Notes<[String: String]>()
    let action = ScriptedInteractor.Action.handle { seen.note(RunsSnippets.Headers().headers(of: $0)) }
    let plan = seconds.map { Plan.concurrent.timeout(.seconds($0)) } ?? .concurrent
    #expect(await store.send(action.planned(plan)).outcome.kind == .finished)
    #expect(seen.all == [seconds.map { ["Request-Timeout": "\($0)"] } ?? [:]])
  }

  @Test("A handler sends actions of its store in order, and waits for one of them")
  func sending() async {
    let store = Store(initial: [], interactor: RunsSnippets.Shelf())
    #expect(await store.send(.restock(["pear", "fig"])).outcome.kind == .finished)
    #expect(
      await store.state == [
        "ordered(\"pear\", count: 1)", "ordered(\"fig\", count: 1)", "refreshed", "restocked",
      ])
  }
}
