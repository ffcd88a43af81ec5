import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/feedback.md, as they stand there, and what the page says of them.
@Suite("FeedbackSnippets", .timeLimit(.minutes(1)))
struct FeedbackSnippets {
  protocol Index: Sendable {
    func hits(of query: String) -> AsyncStream<String>
  }

  struct Search: Interactor {
    struct State: Sendable, Equatable {
      var query: String?
      var feeds: Set<String> = []
      var hits: [String] = []
      var user = ""
      var refreshes = 0
      var isRestored = false
    }

    enum Action: Sendable {
      case restore
      case refresh
      case look(for: String?)
      case follow(Set<String>)
      case found(String)
      case userChanged(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

    func handle(_ action: Action, state: State) async -> Effect<Self> { .none }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .restore: state.isRestored = true
      case .refresh: state.refreshes += 1
      case .look(let query): (state.query, state.hits) = (query, [])
      case .follow(let feeds): state.feeds = feeds
      case .found(let hit): state.hits.append(hit)
      case .userChanged(let user): state.user = user
      }
    }
  }

  struct FakeIndex: Index {
    let asked = Recorder<String>()

    func hits(of query: String) -> AsyncStream<String> {
      asked.record(query)
      return AsyncStream { continuation in
        continuation.yield("\(query) 1")
        continuation.yield("\(query) 2")
      }
    }
  }

  // snippet.follow
  static func follow(_ feeds: [String], over time: Duration) -> Store<Search>.Thunk {
    { access in
      for feed in feeds {
        access.send(.follow([feed]))
        try await access.clock.sleep(for: time)
      }
    }
  }
  // snippet.end

  static func followThunk(_ store: Store<Search>) -> Task<Void, any Error> {
    // snippet.thunks-send
    store.send(thunk: follow(["news", "weather"], over: .seconds(60)))
    // snippet.end
  }

  static func search(
    _ index: any Index, account: Store<Search>, clock: any Clock<Duration>
  ) -> Store<Search> {
    // snippet.feedback
    let store = Store(
      initial: Search.State(), interactor: Search(), configuration: StoreConfiguration(clock: clock),
      feedbacks: [
        .start(.restore),
        .every(.seconds(30)) { .refresh },
        .actions(from: account.values(of: \.user)) { .userChanged($0) },
        .react(to: \.query) { query, access in
          for await hit in index.hits(of: query) { access.send(.found(hit)) }
        },
        .react(toEach: \.feeds) { feed, access in
          for await hit in index.hits(of: feed) { access.send(.found(hit)) }
        },
      ])
    // snippet.end
    return store
  }

  static func following(_ index: any Index) -> Feedback<Search.State, Search.Action> {
    // snippet.loop
    .react(toEach: \.feeds) { feed, access in
      while !Task.isCancelled {
        for await hit in index.hits(of: feed) { access.send(.found(hit)) }
        try? await access.clock.sleep(for: .seconds(5))
      }
    }
    // snippet.end
  }

  static func refreshUnlessThere(_ store: Store<Search>) -> Task<Void, any Error> {
    // snippet.thunks
    let refreshing = store.send { access in
      guard await access.state.hits.isEmpty else { return }
      access.send(.refresh)
    }
    // snippet.end
    return refreshing
  }

  @Test("The store restores itself, hears of the user, looks for what the state asks for, and refreshes every 30 s")
  func all() async throws {
    let (clock, index) = (TestClock(), FakeIndex())
    let account = Store(initial: Search.State(user: "Ada"), interactor: Search())
    let store = Self.search(index, account: account, clock: clock)
    #expect(await store.state.isRestored)
    try await store.wait { $0.user == "Ada" }
    account.send(.userChanged("Grace"))
    try await store.wait { $0.user == "Grace" }

    store.send(.look(for: "mill"))
    try await store.wait { $0.hits == ["mill 1", "mill 2"] }
    store.send(.look(for: "race"))
    try await store.wait { $0.hits == ["race 1", "race 2"] }
    store.send(.look(for: nil))
    store.send(.follow(["water"]))
    try await store.wait { $0.hits == ["water 1", "water 2"] }
    #expect(try await index.asked.next(3) == ["mill", "race", "water"])

    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    try await store.wait { $0.refreshes == 1 }
    try await Self.refreshUnlessThere(store).value
    #expect(await store.state.refreshes == 1)
    await store.shutdown()
  }

  /// An index that emits one hit of each query, and ends.
  struct EndingIndex: Index {
    func hits(of query: String) -> AsyncStream<String> {
      AsyncStream { continuation in
        continuation.yield(query)
        continuation.finish()
      }
    }
  }

  @Test("An effect that loops begins again, as long as its query is asked for")
  func loop() async throws {
    let clock = TestClock()
    let store = Store(
      initial: Search.State(feeds: ["water"]), interactor: Search(), configuration: StoreConfiguration(clock: clock),
      feedbacks: [Self.following(EndingIndex())])
    for hits in 1...3 {
      try await store.wait { $0.hits.count == hits }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
    }
    store.send(.follow([]))
    await store.shutdown()
  }

  @Test("A thunk with parameters sends over time")
  func parameters() async throws {
    let clock = TestClock()
    let store = Store(
      initial: Search.State(), interactor: Search(), configuration: StoreConfiguration(clock: clock))
    let thunk = FeedbackSnippets.followThunk(store)
    try await clock.advance(toNextDeadlineWithin: .seconds(60))
    #expect(try await store.wait(until: { $0.feeds == ["weather"] }).feeds == ["weather"])
    try await clock.advance(toNextDeadlineWithin: .seconds(60))
    try await thunk.value
  }

  @Test("A store that is made from a state with a query looks for it at once, and a thunk refreshes what is empty")
  func restored() async throws {
    let store = Store(
      initial: Search.State(query: "mill"), interactor: Search(),
      feedbacks: [.react(to: \.query) { query, access in access.send(.found(query)) }])
    try await store.wait { $0.hits == ["mill"] }
    store.send(.look(for: nil))
    try await Self.refreshUnlessThere(store).value
    #expect(await store.state.refreshes == 1)
  }
}
