import Millrace
import MillraceJournal
import Testing

/// The snippets of docs/schema-changes.md, as they stand there.
@Suite("SchemaSnippets")
struct SchemaSnippets {
  @Test("Entries and a snapshot of the first version are read by the second")
  func upcasting() async throws {
    let journal = MemoryJournal()
    let first = try await Store.open(initial: [], interactor: StockV1(), journal: journal, key: "stock")
    _ = await first.send(.count("nuts")).outcome
    await first.shutdown(drainFor: .seconds(1))
    // snippet.open
    let schema = StoreSchema<Stock>(version: 2)
      .upcasting(from: 1) { (old: StockV1.Mutation) in .counted(old.name, by: "unknown") }
      .upcastingState(from: 1) { (old: StockV1.State) in old }
    let store = try await Store.open(initial: [], interactor: Stock(), journal: journal, key: "stock", schema: schema)
    // snippet.end
    #expect(await store.state == ["nuts"])
  }
}

// snippet.first
struct StockV1: Interactor {
  typealias State = [String]

  struct Mutation: Sendable, Codable { let name: String }
  // snippet.hide

  enum Action: Sendable, Codable { case count(String) }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .count(let name): .mutate(Mutation(name: name))
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> { .none }

  static func reduce(into state: inout State, mutation: Mutation) { state.append(mutation.name) }
  // snippet.show
}
// snippet.end

// snippet.second
struct Stock: Interactor {
  typealias State = [String]

  enum Mutation: Sendable, Codable { case counted(String, by: String) }
  // snippet.hide

  enum Action: Sendable, Codable { case count(String) }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .count(let name): .mutate(.counted(name, by: "me"))
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> { .none }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .counted(let name, _): state.append(name)
    }
  }
  // snippet.show
}
// snippet.end
