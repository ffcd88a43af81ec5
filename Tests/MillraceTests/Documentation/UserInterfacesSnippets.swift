import Millrace
import MillraceTesting
import Observation
import Testing

/// The snippets of docs/user-interfaces.md, as they stand there.
enum UserInterfacesSnippets {
  @MainActor
  static func observe(_ store: Store<Shop>, _ show: (String) -> Void) async {
    // snippet.user-interfaces
    let observed = ObservedStore(store)
    observed.send(.add("pears"))
    for await text in Observations({ observed.search.text }) { show(text) }
    // snippet.end
  }

  @MainActor
  static func part(_ store: Store<Shop>) -> ObservedStore<Shop.Search, Shop.SearchAction> {
    // snippet.parts
    let search = ObservedStore(
      store.reader.scope(\.search),
      store.sender.scope { .search($0) })
    // snippet.end
    return search
  }

  @MainActor
  static func readOnly(_ store: Store<Shop>) -> ObservedStore<Shop.State, Never> {
    // snippet.part-of-a-store
    let shown: ObservedStore<Shop.State, Never> = ObservedStore(store.reader)
    // snippet.end
    return shown
  }

  // snippet.other-actors
  @MainActor
  struct Screen {
    let observed = ObservedStore(Store(initial: Shop.State(), interactor: Shop()), isolation: MainActor.shared)
  }
  // snippet.end

  // snippet.Display
  actor Display {
    private var observed: ObservedStore<Shop.State, Shop.Action>?

    func start(_ store: Store<Shop>) {
      observed = ObservedStore(store)
    }

    func texts() -> Observations<String?, Never> {
      Observations { self.observed?.search.text }
    }
  }
  // snippet.end
}

@Suite("User interfaces", .timeLimit(.minutes(1)))
@MainActor
struct UserInterfacesSnippetsTests {
  private let store = Store(initial: Shop.State(), interactor: Shop())

  @Test("A user interface shows each text that it has time for")
  func observe() async throws {
    let texts = Recorder<String>()
    let task = Task { [store] in await UserInterfacesSnippets.observe(store, texts.record) }
    #expect(try await texts.next() == "")
    #expect(await store.state.cart == ["pears"])
    store.send(.search(.type("a")))
    #expect(try await texts.next() == "a")
    task.cancel()
  }

  @Test("A part shows its own state, and what it sends is there when send returns")
  func parts() {
    let search = UserInterfacesSnippets.part(store)
    search.send(.type("a"))
    #expect(search.found == ["apples"])
    #expect(UserInterfacesSnippets.readOnly(store).search.text == "a")
  }

  @Test("A property of the main actor may have one from the start")
  func property() {
    let screen = UserInterfacesSnippets.Screen()
    screen.observed.send(.add("pears"))
    #expect(screen.observed.cart == ["pears"])
  }

  @Test("An actor of its own shows the same")
  func display() async throws {
    let display = UserInterfacesSnippets.Display()
    await display.start(store)
    let texts = Recorder<String?>()
    let task = texts.record(from: await display.texts())
    #expect(try await texts.next() == "")
    store.send(.search(.type("p")))
    #expect(try await texts.next() == "p")
    task.cancel()
  }
}
