import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-tca.md about features made of features, as they stand there.
enum TCACompositionSnippets {
  typealias Feature = TCASnippets.Feature

  // snippet.RowScope
  enum RowScope: EachScope {
    typealias Parent = Facts
    typealias Child = Feature

    static func state(of id: Int, in parent: Facts.State) -> Feature.State? { parent.rows[id] }
    static func mutation(_ mutation: Feature.Mutation, of id: Int) -> Facts.Mutation { .row(id, mutation) }
    static func update(_ id: Int, in parent: inout Facts.State, _ body: (inout Feature.State) -> Void) {
      guard let place = parent.rows.index(forKey: id) else { return }
      body(&parent.rows.values[place])
    }
  }
  // snippet.end

  // snippet.Facts
  struct Facts: Interactor {
    struct State: Sendable, Equatable {
      var rows: [Int: Feature.State] = [:]
    }

    enum Action: Sendable {
      case add(Int)
      case remove(Int)
      case row(Int, Feature.Action)
    }

    enum Mutation: Sendable {
      case added(Int)
      case removed(Int)
      case row(Int, Feature.Mutation)
    }

    let rows: Scoped<RowScope>

    func plan(for action: Action, state: State) -> Plan {
      if case .row(let id, let action) = action { rows.plan(for: action, of: id, state: state) } else { .concurrent }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .add(let id): .mutate(.added(id))
      case .remove(let id): .mutate(.removed(id))
      case .row(let id, let action): rows.decide(action, of: id, state: state)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      guard case .row(let id, let action) = action else { return .none }
      return await rows.handle(action, of: id, state: state)
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      guard case .row(let id, let action) = action else { return nil }
      return rows.closing(action, of: id, outcome: outcome)
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let id): state.rows[id] = Feature.State(count: id)
      case .removed(let id): state.rows[id] = nil
      case .row(let id, let mutation): RowScope.reduce(into: &state, id: id, mutation: mutation)
      }
    }
  }
  // snippet.end
}

@Suite("Features made of features, coming from TCA", .timeLimit(.minutes(1)))
struct TCACompositionSnippetsTests {
  private typealias Facts = TCACompositionSnippets.Facts
  private typealias Feature = TCASnippets.Feature

  private func store(_ fact: @escaping @Sendable (Int) async throws -> String) -> Store<Facts> {
    var configuration = StoreConfiguration()
    configuration.report = { _ in }
    return Store(
      initial: Facts.State(), interactor: Facts(rows: Scoped(Feature(fact: fact))), configuration: configuration)
  }

  @Test("Each row has its own state and its own key: two load side by side")
  func rows() async throws {
    let gate = Gate()
    let store = store { number in
      try await gate.enter()
      return "\(number)!"
    }
    store.send(contentsOf: [.add(1), .add(2), .row(2, .incrementButtonTapped)])
    let loads = [1, 2].map { store.send(.row($0, .factButtonTapped)) }
    try await gate.waitForArrivals(2)
    gate.open()
    for load in loads { #expect(await load.outcome.kind == .finished) }
    #expect(
      await store.state.rows == [1: Feature.State(count: 1, fact: "1!"), 2: Feature.State(count: 3, fact: "3!")])
  }

  @Test("Removing a row cancels what it loads, in the same commit; its actions are rejected from then on")
  func removed() async throws {
    let gate = Gate()
    let store = store { number in
      try await gate.enter()
      return "\(number)!"
    }
    store.send(contentsOf: [.add(1), .add(2)])
    let loads = [1, 2].map { store.send(.row($0, .factButtonTapped)) }
    try await gate.waitForArrivals(2)
    store.send(.remove(1))
    #expect(await loads[0].outcome.kind == .cancelled)
    guard case .rejected(.missingChild) = await store.send(.row(1, .incrementButtonTapped)).outcome else {
      Issue.record("It was not rejected")
      return
    }
    gate.open()
    #expect(await loads[1].outcome.kind == .finished)
    #expect(await store.state.rows == [2: Feature.State(count: 2, fact: "2!")])
  }
}
