import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-reswift.md, as they stand there.
enum CounterSnippets {
  // snippet.Counter
  struct Counter: Interactor {
    struct State: Sendable, Equatable {
      var counter = 0
      var presses = 0
    }

    enum Action: Sendable, Equatable {
      case increase
      case decrease
    }

    func decide(_ action: Action, state: State) -> Decision<Action> {
      .mutate(action)
    }

    static func reduce(into state: inout State, mutation: Action) {
      state.presses += 1
      switch mutation {
      case .increase: state.counter += 1
      case .decrease: state.counter = max(0, state.counter - 1)
      }
    }
  }
  // snippet.end

  // snippet.Props
  struct Props: Sendable, Equatable {
    var text: String
    var canDecrease: Bool

    init(_ state: Counter.State) {
      text = "Counter: \(state.counter)"
      canDecrease = state.counter > 0
    }
  }
  // snippet.end

  static func show(_ store: Store<Counter>, _ show: (Props) -> Void) async {
    // snippet.counter-props
    for await props in store.values(of: Props.init) { show(props) }
    // snippet.end
  }

  static func thunk(_ store: Store<Counter>) -> Task<Void, any Error> {
    // snippet.thunks
    let thunk = store.send { access in
      guard await access.state.counter < 10 else { return }
      access.send(.increase)
      try await access.clock.sleep(for: .seconds(1))
      access.send(.increase)
    }
    // snippet.end
    return thunk
  }

  // snippet.increase
  static func increase(times: Int) -> Store<Counter>.Thunk {
    { access in
      for _ in 0..<times { access.send(.increase) }
    }
  }
  // snippet.end

  static func parametrised(_ store: Store<Counter>) -> Task<Void, any Error> {
    // snippet.thunks-send
    store.send(thunk: increase(times: 3))
    // snippet.end
  }

  /// A middleware that knows no state: presses of the button that decreases are turned around.
  static func reverse(_ store: Store<Counter>) {
    // snippet.middleware
    store.setInterceptors([ActionInterceptor { action, _ in action == .decrease ? .replace(.increase) : .pass }])
    // snippet.end
  }

  static func record(_ store: Store<Counter>, _ count: Int, _ ready: () -> Void) async throws -> [Counter.Action] {
    var transitions = store.transitions().makeAsyncIterator()
    ready()
    // snippet.recorded
    var recorded: [Counter.Action] = []
    while recorded.count < count, let transition = await transitions.next() {
      recorded.append(transition.mutation)
    }
    // snippet.end
    return recorded
  }

  static func keep(_ store: Store<Counter>, _ send: () -> Void) -> ([Counter.Action], String) {
    // snippet.recorded-later
    let history = TransitionHistory<Counter>(keeping: 1_000)
    store.setInterceptors([history])
    // snippet.end
    send()
    // snippet.recorded-actions
    let mutations = history.kept.map(\.mutation)
    let reason = history.why(2)
    // snippet.end
    return (mutations, reason)
  }

  static func travel(_ recorded: [Counter.Action], to revision: Int) -> Counter.State {
    // snippet.recorded-prefix
    let state = recorded.prefix(revision).reduce(into: Counter.State()) { state, mutation in
      Counter.reduce(into: &state, mutation: mutation)
    }
    // snippet.end
    return state
  }
}

@Suite("The counter, coming from ReSwift", .timeLimit(.minutes(1)))
struct CounterSnippetsTests {
  private typealias Counter = CounterSnippets.Counter
  private let clock = TestClock()

  private func store(
    _ interceptors: [any Interceptor<Counter>] = []
  ) -> Store<Counter> {
    Store(
      initial: Counter.State(), interactor: Counter(), configuration: StoreConfiguration(clock: clock),
      interceptors: interceptors)
  }

  @Test("Props are derived from the state, and told of only when they differ")
  func props() async throws {
    let store = store()
    let props = Recorder<CounterSnippets.Props>()
    let task = Task { await CounterSnippets.show(store, props.record) }
    let first = try await props.next()
    #expect(first.text == "Counter: 0" && !first.canDecrease)
    store.send(.decrease)  // Changes the state, and no prop.
    store.send(.increase)
    let second = try await props.next()
    #expect(second.text == "Counter: 1" && second.canDecrease)
    store.send(.decrease)
    #expect(try await props.next() == first)
    await store.shutdown()
    await task.value
    #expect(props.recorded == [first, second, first])
    #expect(await store.state.presses == 3)
  }

  @Test("An observer never gets two equal values in a row, though another one corrects the state meanwhile")
  func correction() async throws {
    let store = store()
    let (corrected, seen) = (Recorder<Int>(), Recorder<Int>())
    let task = Task {
      for await counter in store.values(of: \.counter) {
        if counter > 2 { store.send(.decrease) }
        corrected.record(counter)
      }
    }
    seen.record(from: store.values(of: \.counter))
    #expect(try await corrected.next() == 0)
    for _ in 0..<3 { store.send(.increase) }
    _ = try await store.wait(until: { $0.presses == 4 })
    await store.shutdown()
    await task.value
    #expect(zip(seen.recorded, seen.recorded.dropFirst()).allSatisfy { $0 != $1 })
    #expect(await store.state.counter == 2)
  }

  @Test("A send from an observer is served after the current commit: enter A, exit A, enter B, exit B")
  func nothingRecurses() async {
    struct Echo: Interceptor {
      typealias I = Counter

      let told: Notes<String>
      let send: @Sendable (Counter.Action) -> Void

      func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
        told.note("enter \(revision)")
        if revision == 1 { send(.increase) }
        told.note("exit \(revision)")
      }
    }
    let told = Notes<String>()
    let store = store()
    store.setInterceptors([Echo(told: told) { [weak store] in store?.send($0) }])
    store.send(.increase)
    #expect(await store.state.counter == 2)
    #expect(told.all == ["enter 1", "exit 1", "enter 2", "exit 2"])
  }

  @Test("Sends from many threads are no error")
  func concurrentSends() async {
    let store = store()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<100 { store.send(.increase) } } }
    }
    #expect(await store.state.counter == 800)
  }

  @Test("A thunk reads the live state, sends now and later, and can be awaited or cancelled")
  func thunk() async throws {
    let store = store()
    let thunk = CounterSnippets.thunk(store)
    try await clock.waitForSleepers(1)
    #expect(await store.state.counter == 1)
    clock.advance(by: .seconds(1))
    try await thunk.value
    #expect(await store.state.counter == 2)

    let cancelled = CounterSnippets.thunk(store)
    try await clock.waitForSleepers(1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(await store.state.counter == 3)
  }

  @Test("A thunk with parameters is a function that returns one")
  func parametrised() async throws {
    let store = store()
    try await CounterSnippets.parametrised(store).value
    #expect(await store.state.counter == 3)
  }

  @Test("An interceptor replaces an action")
  func middleware() async {
    let store = store()
    CounterSnippets.reverse(store)
    store.send(.increase)
    store.send(.decrease)
    #expect(await store.state.counter == 2)
  }

  @Test("A history keeps the mutations, and says what brought each about")
  func history() async {
    let store = store()
    let (mutations, reason) = CounterSnippets.keep(store) {
      store.send(.increase)
      store.send(.decrease)
    }
    #expect(mutations == [.increase, .decrease])
    #expect(reason.hasPrefix("revision 2: decrease, by decrease ("))
    #expect(reason.hasSuffix("\nsent from outside of any run, without a trace"))
  }

  @Test("The recorded actions replay to each state")
  func timeTravel() async throws {
    let store = store()
    let recorded = try await CounterSnippets.record(store, 4) {
      store.send(.increase)
      store.send(.increase)
      store.send(.decrease)
      store.send(.increase)
    }
    #expect(recorded == [.increase, .increase, .decrease, .increase])
    #expect((0...4).map { CounterSnippets.travel(recorded, to: $0).counter } == [0, 1, 2, 1, 2])
    #expect(await store.state == CounterSnippets.travel(recorded, to: 4))
  }
}
