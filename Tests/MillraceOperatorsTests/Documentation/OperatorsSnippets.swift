import Millrace
import MillraceOperators
import MillraceTesting
import Testing

/// The snippet of docs/operators.md, as it stands there.
enum OperatorsSnippets {
  struct Finder: Interactor {
    struct Settings: Equatable, Sendable {
      var limit = 10
    }

    struct State: Sendable {
      var query = ""
      var settings = Settings()
      var searches: [String] = []
    }

    enum Action: Sendable {
      case type(String)
      case limit(Int)
      case search(String, limit: Int)
    }

    typealias Mutation = Action

    func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .type(let query): state.query = query
      case .limit(let limit): state.settings.limit = limit
      case .search(let query, let limit): state.searches.append("\(query) \(limit)")
      }
    }
  }

  static func search(with store: Store<Finder>, clock: any Clock<Duration>) async {
    // snippet.operators
    let settings = store.values(of: \.settings)
    let queries = store.values(of: \.query).debounce(for: .milliseconds(300), clock: clock)
    for await (query, settings) in combineLatest(queries, settings) {
      store.send(.search(query, limit: settings.limit))
    }
    // snippet.end
  }
}

@Suite("Operators on a store", .timeLimit(.minutes(1)))
struct OperatorsSnippetsTests {
  private typealias Finder = OperatorsSnippets.Finder

  @Test("Searches follow the query once it rests, and the settings at once; they end with the store")
  func search() async throws {
    let clock = TestClock()
    let store = Store(initial: Finder.State(query: "a"), interactor: Finder())
    let loop = Task { await OperatorsSnippets.search(with: store, clock: clock) }
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(300))
    try await store.wait { $0.searches == ["a 10"] }
    store.send(.limit(20))
    try await store.wait { $0.searches == ["a 10", "a 20"] }
    store.send(.type("ab"))
    try await clock.waitForSleepers()
    store.send(.type("abc"))
    await store.shutdown()
    await loop.value
  }

  @Test("The end of a store delivers the value that waits, and all operators end with it")
  func end() async throws {
    let store = Store(initial: Finder.State(query: "a"), interactor: Finder())
    let texts = merge(
      store.values(of: \.query).throttle(for: .seconds(1), clock: TestClock()),
      store.values(of: \.settings.limit).map { "\($0 / 10)" }.removeDuplicates())
    let recorder = Recorder<String>()
    let task = recorder.record(from: texts)
    #expect(Set(try await recorder.next(2)) == ["a", "1"])
    store.send(.limit(12))
    store.send(.type("b"))
    await store.shutdown()
    try await task.value
    #expect(recorder.recorded.count == 3)
    #expect(recorder.recorded.last == "b")
  }
}
