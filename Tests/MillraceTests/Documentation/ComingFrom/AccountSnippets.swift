import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-rx-and-combine.md about an account, as they stand there.
enum AccountSnippets {
  // snippet.Account
  struct Account: Interactor {
    struct State: Sendable, Equatable {
      var name = "Guest"
      var token: String?
      var unread = 0

      var isSignedIn: Bool { token != nil }
    }

    enum Action: Sendable {
      case rename(String)
      case signIn(token: String)
      case signOut
      case receive(Int)
    }

    func decide(_ action: Action, state: State) -> Decision<Action> {
      .mutate(action)
    }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .rename(let name): state.name = name
      case .signIn(let token): state.token = token
      case .signOut: state.token = nil
      case .receive(let count): state.unread += count
      }
    }
  }
  // snippet.end

  struct Badge: Sendable, Equatable {
    var name: String
    var unread: Int

    init(_ state: Account.State) {
      name = state.name
      unread = state.isSignedIn ? state.unread : 0
    }
  }

  static func observe(_ store: Store<Account>, _ show: (String) -> Void) async {
    // snippet.key-path
    for await name in store.values(of: \.name) { show(name) }
    // snippet.end
  }

  static func derived(_ store: Store<Account>) -> (
    StoreSequence<Bool, Never>, some AsyncSequence<Bool, Never> & Sendable,
    some AsyncSequence<String, Never> & Sendable,
    StoreSequence<Badge, Never>
  ) {
    // snippet.values
    let isSignedIn = store.values(of: \.isSignedIn)
    let signedIn = store.values(of: \.isSignedIn).filter { $0 }
    let greetings = store.values(of: \.name).map { "Hello, \($0)" }
    let badges = store.values { Badge($0) }
    // snippet.end
    return (isSignedIn, signedIn, greetings, badges)
  }
}

@Suite("An account, coming from Rx and Combine", .timeLimit(.minutes(1)))
struct AccountSnippetsTests {
  private let store = Store(initial: AccountSnippets.Account.State(), interactor: AccountSnippets.Account())

  @Test("A name is delivered when it differs, and other changes are not")
  func names() async throws {
    let names = Recorder<String>()
    let task = Task { [store] in await AccountSnippets.observe(store, names.record) }
    #expect(try await names.next() == "Guest")
    store.send(.receive(3))
    store.send(.rename("Guest"))
    store.send(.rename("Ada"))
    #expect(try await names.next() == "Ada")
    await store.shutdown()
    await task.value
    #expect(names.recorded == ["Guest", "Ada"])
  }

  @Test("A computed property, filter and map are observed like a stored one")
  func derivedValues() async throws {
    let (isSignedIn, signedIn, greetings, badges) = AccountSnippets.derived(store)
    let recorders = (Recorder<Bool>(), Recorder<Bool>(), Recorder<String>(), Recorder<AccountSnippets.Badge>())
    recorders.0.record(from: isSignedIn)
    recorders.1.record(from: signedIn)
    recorders.2.record(from: greetings)
    recorders.3.record(from: badges)
    #expect(try await recorders.0.next() == false)
    #expect(try await recorders.2.next() == "Hello, Guest")
    let badge = try await recorders.3.next()
    #expect(badge.name == "Guest" && badge.unread == 0)

    store.send(.receive(2))
    store.send(.signIn(token: "a"))
    #expect(try await recorders.0.next() == true)
    #expect(try await recorders.1.next() == true)
    #expect(try await recorders.3.next().unread == 2)
    store.send(.signIn(token: "b"))
    store.send(.signOut)
    #expect(try await recorders.0.next() == false)
    #expect(try await recorders.3.next().unread == 0)
    store.send(.rename("Ada"))
    #expect(try await recorders.2.next() == "Hello, Ada")
    #expect(try await recorders.3.next().name == "Ada")
    await store.shutdown()
    #expect(recorders.0.recorded == [false, true, false])
    #expect(recorders.1.recorded == [true])
    #expect(recorders.2.recorded == ["Hello, Guest", "Hello, Ada"])
  }

  @Test("An observer that comes late begins with the current value")
  func late() async {
    store.send(.rename("Ada"))
    var names = store.values(of: \.name).makeAsyncIterator()
    #expect(await names.next() == "Ada")
  }
}
