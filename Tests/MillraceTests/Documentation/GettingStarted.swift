import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/getting-started.md, as they stand there.
enum GettingStarted {
  // snippet.StockGateway
  protocol StockGateway: Sendable {
    func order(_ item: String, count: Int) async throws -> Int
  }

  struct Stock: Interactor {
    struct State: Sendable, Equatable {
      var counts: [String: Int] = [:]
      var isOrdering = false
      var failure: String?
    }

    enum Action: Sendable {
      case take(String)
      case order(String, count: Int)
    }

    enum Mutation: Sendable {
      case taken(String)
      case ordering
      case ordered(String, count: Int)
      case failed(String)
    }

    struct SoldOut: Error {}

    let gateway: any StockGateway

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .take(let item):
        state.counts[item, default: 0] > 0 ? .mutate(.taken(item)) : .reject(SoldOut())
      case .order:
        .mutate(.ordering, thenHandle: true)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      guard case .order(let item, let count) = action else { return .none }
      return Effect { run in
        let delivered = try await gateway.order(item, count: count)
        run.emit(.ordered(item, count: delivered))
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      guard case .order = action else { return nil }
      return .failed("\(outcome)")
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .taken(let item): state.counts[item, default: 0] -= 1
      case .ordering:
        state.isOrdering = true
        state.failure = nil
      case .ordered(let item, let count):
        state.counts[item, default: 0] += count
        state.isOrdering = false
      case .failed(let reason):
        state.isOrdering = false
        state.failure = reason
      }
    }
  }
  // snippet.end

  static func makeSendLook(_ gateway: any StockGateway, _ print: (Any) -> Void) async {
    // snippet.make-store
    let store = Store(initial: Stock.State(), interactor: Stock(gateway: gateway))

    let receipt = store.send(.order("apples", count: 10))
    print(await receipt.outcome)

    print(await store.send(.take("apples")).outcome)
    print(await store.state.counts)
    // snippet.end
  }

  static func answer(_ store: Store<Stock>) async throws -> Int? {
    // snippet.request
    let apples = try await store.request(.order("apples", count: 10), returning: { $0.counts["apples"] })
    // snippet.end
    return apples
  }

  /// Iterates an effect without a store.
  static func alone(_ gateway: any StockGateway, _ print: (Any) -> Void) async throws {
    // snippet.effects
    let effect = await Stock(gateway: gateway).handle(.order("apples", count: 10), state: Stock.State())
    for try await mutation in effect.mutations(state: Stock.State()) { print(mutation) }
    // snippet.end
  }

  /// Orders the part of `count` that is not in stock.
  static func orderMissing(
    _ item: String, count: Int, state: Stock.State, _ gateway: any StockGateway,
    _ print: @escaping @Sendable (Int) -> Void
  ) -> Effect<Stock> {
    // snippet.parts
    let inStock = state.counts[item, default: 0]  // A part of the argument, copied before the effect.
    return Effect { run in
      let delivered = try await gateway.order(item, count: count - inStock)
      run.emit(.ordered(item, count: delivered))
      print(try await run.state.counts[item, default: 0])  // The newest state, held no longer than this line.
    }
    // snippet.end
  }

  /// Keeps the prices of a file that has to be parsed.
  struct PriceList: Interactor {
    enum Mutation: Sendable {
      case priced([String: Int])
    }

    let parse: @Sendable (String) throws -> [String: Int]

    func handle(_ file: String, state: [String: Int]) async -> Effect<Self> {
      // snippet.blocking
      Effect { run in
        async let prices = parse(file)
        run.emit(.priced(try await prices))
      }
      // snippet.end
    }

    static func reduce(into state: inout [String: Int], mutation: Mutation) {
      switch mutation {
      case .priced(let prices): state = prices
      }
    }
  }

  /// Parses in its handler, which starts on the pool.
  struct ParsedPrices: Interactor {
    enum Mutation: Sendable {
      case priced([String: Int])
    }

    let parse: @Sendable (String) throws -> [String: Int]

    // snippet.plan
    func plan(for file: String, state: [String: Int]) -> Plan { .serial(key: file).starting(.onPool) }
    // snippet.end

    func handle(_ file: String, state: [String: Int]) async -> Effect<Self> {
      Effect { run in run.emit(.priced(try parse(file))) }
    }

    static func reduce(into state: inout [String: Int], mutation: Mutation) {
      switch mutation {
      case .priced(let prices): state = prices
      }
    }
  }

  static func storeOnPool(_ prices: PriceList) -> Store<PriceList> {
    // snippet.on-pool
    let store = Store(initial: [:], interactor: prices, configuration: StoreConfiguration(handlersStart: .onPool))
    // snippet.end
    return store
  }

  /// Runs until the store is shut down.
  static func observe(_ store: Store<Stock>, _ print: (Any) -> Void) async throws {
    // snippet.observe
    for await state in store.states where !state.isOrdering {
      print(state.counts)
    }

    for await count in store.values(of: \.counts.count) {
      print(count)
    }

    let stocked = try await store.wait(until: { $0.counts["apples", default: 0] > 0 }, timeout: .seconds(5))
    // snippet.end
    print(stocked)
  }

  static func end(_ store: Store<Stock>) async {
    // snippet.end-order
    await store.shutdown()
    // snippet.end
  }

  // snippet.Mailer
  final class Mailer: Interactor {
    func handle(_ action: Int, state: Int) async -> Effect<Mailer> {
      .just(action)
    }

    static func reduce(into state: inout Int, mutation: Int) {
      state += mutation
    }
  }
  // snippet.end

  // snippet.Meter
  actor Meter: Interactor {
    func handle(_ action: Int, state: Int) async -> Effect<Meter> {
      .just(action)
    }

    static func reduce(into state: inout Int, mutation: Int) {
      state += mutation
    }
  }
  // snippet.end

  struct Reminder: Interactor {
    struct State: Sendable {
      var isReminded = false
    }

    enum Action: Sendable {
      case remind(after: Duration)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .remind(let delay) = action else { return }
        try await run.clock.sleep(for: delay)
        run.emit(true)
      }
    }

    static func reduce(into state: inout State, mutation: Bool) {
      state.isReminded = mutation
    }
  }

  static func remind() async throws -> Bool {
    // snippet.time
    let clock = TestClock()
    let store = Store(
      initial: Reminder.State(), interactor: Reminder(), configuration: StoreConfiguration(clock: clock))
    let receipt = store.send(.remind(after: .seconds(60)))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    _ = await receipt.outcome
    // snippet.end
    return await store.state.isReminded
  }
}
