import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-reactorkit.md, as they stand there.
enum ReactorKitSnippets {
  // snippet.Counter
  struct Counter: Interactor {
    enum Action: Sendable {
      case increase
      case decrease
    }

    enum Mutation: Sendable {
      case increased
      case decreased
      case setLoading(Bool)
      case alert(String)
    }

    struct State: Sendable, Equatable {
      var value = 0
      var isLoading = false
      var alert = Pulse<String?>(nil)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        run.emit(.setLoading(true))
        try await run.clock.sleep(for: .milliseconds(500))
        switch action {
        case .increase:
          run.emit(.increased)
          run.emit(.alert("increased!"))
        case .decrease:
          run.emit(.decreased)
          run.emit(.alert("decreased!"))
        }
        run.emit(.setLoading(false))
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      .setLoading(false)
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .increased: state.value += 1
      case .decreased: state.value -= 1
      case .setLoading(let isLoading): state.isLoading = isLoading
      case .alert(let message): state.alert.value = message
      }
    }
  }
  // snippet.end

  static func bind(_ store: Store<Counter>, label: (String) -> Void) async {
    // snippet.counter
    for await value in store.values(of: \.value) { label("\(value)") }
    // snippet.end
  }

  static func alerts(_ store: Store<Counter>, showAlert: (String) -> Void) async {
    // snippet.counter-values
    for await alert in store.values(of: \.alert) {
      if let message = alert.value { showAlert(message) }
    }
    // snippet.end
  }

  static func global(_ users: AsyncStream<String>) -> [Feedback<Session.State, Session.Action>] {
    // snippet.counter-actions
    let feedbacks: [Feedback<Session.State, Session.Action>] = [
      .actions(from: users) { .setUser($0) }
    ]
    // snippet.end
    return feedbacks
  }

  struct Session: Interactor {
    struct State: Sendable {
      var user = ""
    }

    enum Action: Sendable {
      case setUser(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

    static func reduce(into state: inout State, mutation: Action) {
      if case .setUser(let user) = mutation { state.user = user }
    }
  }
}

@Suite("The counter, coming from ReactorKit", .timeLimit(.minutes(1)))
struct ReactorKitSnippetsTests {
  private typealias Counter = ReactorKitSnippets.Counter
  private let clock = TestClock()

  private func store() -> Store<Counter> {
    Store(initial: Counter.State(), interactor: Counter(), configuration: StoreConfiguration(clock: clock))
  }

  @Test("An action is loading for half a second, then the value changes, then it is not loading")
  func everyState() async throws {
    let store = store()
    var states = store.snapshots(.every()).makeAsyncIterator()
    let receipt = store.send(.increase)
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(500))
    #expect(await receipt.outcome.kind == .finished)
    var seen: [[Int]] = []
    for _ in 0..<5 {
      let state = try #require(await states.next()).state
      seen.append([state.value, state.isLoading ? 1 : 0])
    }
    #expect(seen == [[0, 0], [0, 1], [1, 1], [1, 1], [1, 0]])
  }

  @Test("A cancelled action is closed: it does not stay loading")
  func closed() async throws {
    let store = store()
    let receipt = store.send(.decrease)
    try await clock.waitForSleepers(1)
    #expect(await store.state.isLoading)
    receipt.cancel()
    #expect(await store.state == Counter.State())
  }

  @Test("The same message twice is two alerts, and other changes are none")
  func pulses() async throws {
    let store = store()
    let (alerts, labels) = (Recorder<String>(), Recorder<String>())
    let tasks = [
      Task { await ReactorKitSnippets.alerts(store, showAlert: alerts.record) },
      Task { await ReactorKitSnippets.bind(store, label: labels.record) },
    ]
    #expect(try await labels.next() == "0")
    for action in [Counter.Action.increase, .increase, .decrease] {
      let receipt = store.send(action)
      try await clock.waitForSleepers(1)
      clock.advance(by: .milliseconds(500))
      _ = await receipt.outcome
      #expect(try await alerts.next() == (action == .increase ? "increased!" : "decreased!"))
      _ = try await labels.next()
    }
    await store.shutdown()
    for task in tasks { await task.value }
    #expect(alerts.recorded == ["increased!", "increased!", "decreased!"])
    #expect(labels.recorded == ["0", "1", "2", "1"])
  }

  @Test("A sequence from outside is merged in as actions")
  func global() async throws {
    let (users, continuation) = AsyncStream.makeStream(of: String.self)
    let store = Store(
      initial: ReactorKitSnippets.Session.State(), interactor: ReactorKitSnippets.Session(),
      feedbacks: ReactorKitSnippets.global(users))
    continuation.yield("Ada")
    #expect(try await store.wait(until: { $0.user == "Ada" }).user == "Ada")
    continuation.finish()
  }
}
