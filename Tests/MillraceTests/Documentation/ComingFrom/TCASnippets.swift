import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-tca.md, as they stand there.
enum TCASnippets {
  // snippet.Feature
  struct Feature: Interactor {
    struct State: Sendable, Equatable {
      var count = 0
      var fact: String?
      var isLoading = false
    }

    enum Action: Sendable {
      case decrementButtonTapped
      case incrementButtonTapped
      case factButtonTapped
      case cancelButtonTapped
    }

    enum Mutation: Sendable {
      case counted(Int)
      case loading
      case loaded(String)
      case ended
    }

    enum Key: Hashable, Sendable {
      case fact
    }

    let fact: @Sendable (Int) async throws -> String

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .factButtonTapped, .cancelButtonTapped: .latest(key: Key.fact)
      case .decrementButtonTapped, .incrementButtonTapped: .concurrent
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .decrementButtonTapped: .mutate(.counted(-1))
      case .incrementButtonTapped: .mutate(.counted(1))
      case .factButtonTapped: .mutate(.loading, thenHandle: true)
      case .cancelButtonTapped: .ignore
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      let count = state.count
      return Effect { run in run.emit(.loaded(try await fact(count))) }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      if case .factButtonTapped = action { .ended } else { nil }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .counted(let difference): state.count += difference
      case .loading:
        state.isLoading = true
        state.fact = nil
      case .loaded(let fact):
        state.isLoading = false
        state.fact = fact
      case .ended: state.isLoading = false
      }
    }
  }
  // snippet.end

  /// Returns the states that a `TestStore` asserts, step by step.
  static func steps() async throws -> (Feature.State, Feature.State, Feature.State) {
    // snippet.without-teststore
    let store = Store(
      initial: Feature.State(), interactor: Feature(fact: { "\($0) is a good number Brent" }))
    var states = store.snapshots(.every()).makeAsyncIterator()
    _ = await states.next()

    store.send(.incrementButtonTapped)
    let counted = await states.next()?.state

    store.send(.factButtonTapped)
    let loading = await states.next()?.state
    let loaded = await states.next()?.state
    // snippet.end
    return (try #require(counted), try #require(loading), try #require(loaded))
  }
}

@Suite("The number facts, coming from TCA", .timeLimit(.minutes(1)))
struct TCASnippetsTests {
  private typealias Feature = TCASnippets.Feature

  @Test("Each step leads to one state")
  func steps() async throws {
    let (counted, loading, loaded) = try await TCASnippets.steps()
    #expect(counted == Feature.State(count: 1))
    #expect(loading == Feature.State(count: 1, isLoading: true))
    #expect(loaded == Feature.State(count: 1, fact: "1 is a good number Brent"))
  }

  @Test("Only the fact that was asked for last is loaded")
  func latest() async throws {
    let (gate, asked) = (Gate(), Notes<Int>())
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // The first handler emits too late, on purpose.
    let store = Store(
      initial: Feature.State(),
      interactor: Feature { number in
        asked.note(number)
        if number == 0 { await gate.enterIgnoringCancellation() }
        return "\(number)"
      }, configuration: configuration)
    let first = store.send(.factButtonTapped)
    try await gate.waitForArrivals(1)
    store.send(.incrementButtonTapped)
    let second = store.send(.factButtonTapped)
    #expect(await first.outcome.kind == .superseded)
    #expect(await second.outcome.kind == .finished)
    gate.open()
    #expect(asked.all == [0, 1])
    #expect(await store.state == Feature.State(count: 1, fact: "1"))
  }

  @Test("An action that cancels supersedes the one in flight, which is closed")
  func cancelled() async throws {
    let gate = Gate()
    let store = Store(
      initial: Feature.State(),
      interactor: Feature { number in
        try await gate.enter()
        return "\(number)"
      })
    let receipt = store.send(.factButtonTapped)
    try await gate.waitForArrivals(1)
    #expect(await store.state.isLoading)
    #expect(await store.send(.cancelButtonTapped).outcome.kind == .finished)
    #expect(await receipt.outcome.kind == .superseded)
    #expect(await store.state == Feature.State())
  }

  @Test("A fact that fails ends its action, which is closed, and the receipt has the error")
  func failure() async {
    struct Offline: Error {}
    let store = Store(initial: Feature.State(), interactor: Feature { _ in throw Offline() })
    guard case .failed(let error) = await store.send(.factButtonTapped).outcome else {
      Issue.record("It did not fail")
      return
    }
    #expect(error is Offline)
    #expect(await store.state == Feature.State())
  }
}
