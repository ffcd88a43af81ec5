import Millrace
import MillraceTesting
import Observation
import Testing

/// The snippets of docs/coming-from-redux-and-swiftui.md, as they stand there.
enum TodoListSnippets {
  // snippet.TodoList
  struct TodoList: Interactor {
    struct Item: Sendable, Equatable, Identifiable {
      let id: Int
      var text: String
      var isDone = false
    }

    struct State: Sendable, Equatable {
      var items = [Item(id: 0, text: "Try SwiftUI!")]
      var nextID = 1
    }

    enum Action: Sendable {
      case add(String)
      case delete(Item.ID)
      case done(Item.ID)
    }

    enum Mutation: Sendable {
      case added(String)
      case deleted(Item.ID)
      case done(Item.ID)
    }

    struct NoSuchItem: Error {
      let id: Item.ID
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .add(let text): text.isEmpty ? .ignore : .mutate(.added(text))
      case .delete(let id): state.has(id) ? .mutate(.deleted(id)) : .reject(NoSuchItem(id: id))
      case .done(let id): state.has(id) ? .mutate(.done(id)) : .reject(NoSuchItem(id: id))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let text):
        state.items.append(Item(id: state.nextID, text: text))
        state.nextID += 1
      case .deleted(let id):
        state.items.removeAll { $0.id == id }
      case .done(let id):
        for index in state.items.indices where state.items[index].id == id { state.items[index].isDone = true }
      }
    }
  }
  // snippet.end

  @MainActor
  static func observe(_ show: ([TodoList.Item]) -> Void) async {
    // snippet.todo-list
    let observed = ObservedStore(Store(initial: TodoList.State(), interactor: TodoList()))
    observed.send(.add("Try Millrace!"))
    show(observed.items)
    // snippet.end
  }
}

extension TodoListSnippets.TodoList.State {
  func has(_ id: TodoListSnippets.TodoList.Item.ID) -> Bool { items.contains { $0.id == id } }
}

@Suite("The todo list, coming from Redux and SwiftUI", .timeLimit(.minutes(1)))
@MainActor
struct TodoListSnippetsTests {
  private typealias TodoList = TodoListSnippets.TodoList
  private typealias Item = TodoListSnippets.TodoList.Item

  private let store = Store(initial: TodoList.State(), interactor: TodoList())

  @Test("It starts with one item, Try SwiftUI!")
  func start() async {
    #expect(await store.state.items == [Item(id: 0, text: "Try SwiftUI!")])
  }

  @Test("Items are added at the end, done and deleted, each by its id")
  func addDoneDelete() async {
    store.send(.add("Try Millrace!"))
    store.send(.add("Sleep"))
    store.send(.done(1))
    store.send(.delete(0))
    #expect(await store.state.items == [Item(id: 1, text: "Try Millrace!", isDone: true), Item(id: 2, text: "Sleep")])
    store.send(.delete(2))
    store.send(.add("Eat"))
    #expect(await store.state.items.map(\.id) == [1, 3])
  }

  @Test("An empty text adds nothing; what is not there cannot be deleted or done, and changes nothing")
  func refused() async throws {
    #expect(await store.send(.add("")).outcome.kind == .finished)
    for action in [TodoList.Action.delete(7), .done(7)] {
      let outcome = await store.send(action).outcome
      guard case .rejected(.decided(let error)) = outcome else {
        Issue.record("It ended as \(outcome)")
        continue
      }
      #expect((error as? TodoList.NoSuchItem)?.id == 7)
    }
    #expect(await store.snapshot.revision == 0)
  }

  @Test("The state shows a sent action when send returns")
  func shown() async {
    var shown: [TodoListSnippets.TodoList.Item] = []
    await TodoListSnippets.observe { shown = $0 }
    #expect(shown.map(\.text) == ["Try SwiftUI!", "Try Millrace!"])
  }

  @Test("A view of the items is told when they differ, and not when nothing does")
  func told() async throws {
    let observed = ObservedStore(store)
    let counts = Recorder<Int>()
    let task = counts.record(from: Observations { observed.items.count })
    #expect(try await counts.next() == 1)
    observed.send(.add(""))
    observed.send(.add("Eat"))
    #expect(try await counts.next() == 2)
    task.cancel()
    #expect(counts.recorded == [1, 2])
  }
}
