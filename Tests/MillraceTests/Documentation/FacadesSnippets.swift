import Millrace
import MillraceTesting
import Testing

/// A shop with a search in it.
struct Shop: Interactor {
  struct Search: Sendable, Equatable {
    var text = ""
    var found: [String] = []
  }

  struct State: Sendable, Equatable {
    var search = Search()
    var cart: [String] = []
  }

  enum SearchAction: Sendable {
    case type(String)
  }

  enum Action: Sendable {
    case search(SearchAction)
    case add(String)
  }

  enum Mutation: Sendable {
    case typed(String)
    case added(String)
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .search(.type(let text)): .mutate(.typed(text))
    case .add(let article): .mutate(.added(article))
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> { .none }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .typed(let text):
      state.search.text = text
      state.search.found = ["apples", "pears"].filter { $0.hasPrefix(text) }
    case .added(let article): state.cart.append(article)
    }
  }
}

/// The snippets of docs/facades.md, as they stand there.
enum FacadesSnippets {
  // snippet.Scanner
  struct Scanner: Sendable {
    let sender: Sender<Shop.Action>

    func scanned(_ code: String) {
      sender.send(.add(code))
    }
  }
  // snippet.end

  struct Bill: Sendable {
    let reader: StateReader<Shop.State>

    func printed() async -> String {
      await reader.state.cart.joined(separator: ", ")
    }
  }

  struct SearchField: Sendable {
    let sender: Sender<Shop.SearchAction>
    let reader: StateReader<Shop.Search>

    func typed(_ text: String) async -> [String] {
      let receipt = sender.send(.type(text))
      _ = await receipt.outcome
      return await reader.state.found
    }
  }

  static func whole(_ store: Store<Shop>) -> (Scanner, Bill) {
    // snippet.facades
    let scanner = Scanner(sender: store.sender)
    let bill = Bill(reader: store.reader)
    // snippet.end
    return (scanner, bill)
  }

  static func parts(_ store: Store<Shop>) -> SearchField {
    // snippet.parts
    let field = SearchField(
      sender: store.sender.scope { .search($0) },
      reader: store.reader.scope(\.search))
    // snippet.end
    return field
  }
}

@Suite("Facades", .timeLimit(.minutes(1)))
struct FacadesSnippetsTests {
  private let store = Store(initial: Shop.State(), interactor: Shop())

  @Test("One part sends, another reads, and neither knows the interactor")
  func whole() async {
    let (scanner, bill) = FacadesSnippets.whole(store)
    scanner.scanned("pears")
    scanner.scanned("apples")
    #expect(await bill.printed() == "pears, apples")
  }

  @Test("A feature sends its own actions and reads its own state")
  func parts() async {
    let field = FacadesSnippets.parts(store)
    #expect(await field.typed("a") == ["apples"])
    #expect(await store.state.search.text == "a")
  }
}
