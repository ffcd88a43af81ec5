import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/replicas-and-projections.md, as they stand there.
@Suite("FollowingSnippets", .timeLimit(.minutes(1)))
struct FollowingSnippets {
  struct Order: Interactor {
    struct State: Codable, Sendable, Equatable {
      var total = 0
    }

    enum Action: Codable, Sendable {
      case add(price: Int)
      case rename(String)
    }

    enum Mutation: Codable, Sendable {
      case added(price: Int)
      case renamed(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .add(let price): .mutate(.added(price: price))
      case .rename(let name): .mutate(.renamed(name))
      }
    }

    func handle(_ action: Action, state: State) -> Effect<Order> { .none }

    static func reduce(into state: inout State, mutation: Mutation) {
      if case .added(let price) = mutation { state.total += price }
    }
  }

  private func orders(_ journal: MemoryJournal) async throws -> Stores<String, Order> {
    try await Stores<String, Order>.open(
      name: "orders", journal: journal, initial: { _ in Order.State() }, interactor: { _ in Order() })
  }

  @Test("A copy of a key")
  func replica() async throws {
    let journal = MemoryJournal()
    let orders = try await orders(journal)
    let firstCommit = try #require(await orders.send(.add(price: 12), to: "17").firstCommit)
    // snippet.replica
    let replica = try await Replica<Order>.open(
      initial: Order.State(), journal: journal, key: JournalKey("17", of: "orders"))
    let total = await replica.reader.state.total  // 12
    // snippet.end
    #expect(total == 12)
    // snippet.wait
    try await replica.positions.wait(until: { $0.revision >= firstCommit }, timeout: .seconds(5))
    // snippet.end
    await orders.shutdown()
    await replica.shutdown()
  }

  // snippet.Totals
  struct Totals: Interactor {
    struct State: Codable, Sendable, Equatable {
      var orders: [String: Int] = [:]
      var sum = 0
    }

    enum Action: Codable, Sendable {
      case add(String, price: Int)
      case set(String, total: Int)
      case forget(String)
    }

    enum Mutation: Codable, Sendable {
      case added(String, price: Int)
      case set(String, total: Int)
      case forgot(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .add(let order, let price): return .mutate(.added(order, price: price))
      case .set(let order, let total): return .mutate(.set(order, total: total))
      case .forget(let digest):
        let order = state.orders.keys.first { JournalKey($0, of: "orders").digest.description == digest }
        return order.map { .mutate(.forgot($0)) } ?? .ignore
      }
    }

    func handle(_ action: Action, state: State) -> Effect<Totals> { .none }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let order, let price):
        state.orders[order, default: 0] += price
        state.sum += price
      case .set(let order, let total):
        state.sum += total - state.orders[order, default: 0]
        state.orders[order] = total
      case .forgot(let order): state.sum -= state.orders.removeValue(forKey: order) ?? 0
      }
    }
  }
  // snippet.end

  @Test("A store of many stores' commits")
  func projection() async throws {
    let journal = MemoryJournal()
    let orders = try await orders(journal)
    // snippet.projection
    let totals = try await Projection<Totals>.open(
      initial: Totals.State(), interactor: Totals(), of: ProjectionSource<Order>("orders", in: journal),
      journal: journal, key: "totals"
    ) { event in
      switch event {
      case .committed(let key, .added(let price), _, _): .add(key.name, price: price)
      case .committed: nil
      case .missed(let key, let order, _): .set(key.name, total: order.total)
      case .erased(let digest): .forget(digest.description)
      }
    }
    // snippet.end
    _ = await orders.send(.add(price: 12), to: "17").outcome
    _ = await orders.send(.rename("gift"), to: "17").outcome
    _ = await orders.send(.add(price: 30), to: "18").outcome
    // snippet.read
    try await totals.catchUp()
    let sum = await totals.reader.state.sum  // 42
    // snippet.end
    #expect(sum == 42)
    // snippet.lag
    let lag = try await totals.lag()
    if lag.time > .seconds(60) { print("\(lag.records) records behind") }
    // snippet.end
    #expect(lag.records == 0)
    try await orders.erase("17")
    try await totals.catchUp()
    #expect(await totals.reader.state == Totals.State(orders: ["18": 30], sum: 30))
    await orders.shutdown()
    await totals.shutdown()
  }
}
