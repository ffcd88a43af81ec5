import Millrace
import MillraceTesting
import Synchronization
import Testing

/// The snippets of docs/gates-and-recorders.md, as they stand there.
@Suite("GateSnippets", .timeLimit(.minutes(1)))
struct GateSnippets {
  struct Records: Interactor {
    enum Action: Sendable { case reload }

    struct State: Sendable, Equatable {
      var isLoading = false
      var records: [String] = []
    }

    enum Mutation: Sendable {
      case loading
      case loaded([String])
    }

    let fetch: @Sendable () async throws -> [String]

    func decide(_ action: Action, state: State) -> Decision<Mutation> { .mutate(.loading, thenHandle: true) }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in run.emit(.loaded(try await fetch())) }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .loading: state.isLoading = true
      case .loaded(let records): state = State(records: records)
      }
    }
  }

  struct Counting: Interactor {
    func decide(_ action: Int, state: Int) -> Decision<Int> { .mutate(action) }
    static func reduce(into state: inout Int, mutation: Int) { state += mutation }
  }

  @Test("A gate stops a handler")
  func gate() async throws {
    // snippet.gate
    let gate = Gate()
    let records = Records(fetch: {
      try await gate.enter()
      return ["a"]
    })
    let store = Store(initial: Records.State(), interactor: records)
    let receipt = store.send(.reload)
    try await gate.waitForArrivals()
    #expect(await store.state.isLoading)  // The handler stands at the gate,
    gate.open()
    #expect(await receipt.outcome.kind == .finished)  // and continues.
    #expect(await store.state.records == ["a"])
    // snippet.end
  }

  @Test("Two gates are two points")
  func twoGates() async throws {
    // snippet.two-gates
    let (request, response) = (Gate(), Gate())
    let records = Records(fetch: {
      try await request.enter()
      try await response.enter()
      return ["a"]
    })
    // snippet.end
    let store = Store(initial: Records.State(), interactor: records)
    // snippet.two-gates
    let receipt = store.send(.reload)
    try await request.waitForArrivals()
    request.open()
    try await response.waitForArrivals()
    response.open()
    // snippet.end
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("A handler that ignores its cancellation commits nothing more")
  func ignoring() async throws {
    // snippet.ignoring
    let gate = Gate()
    let records = Records(fetch: {
      await gate.enterIgnoringCancellation()
      return ["late"]
    })
    let store = Store(initial: Records.State(), interactor: records)
    let receipt = store.send(.reload)
    try await gate.waitForArrivals()
    receipt.cancel()
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
    await store.shutdown()
    #expect(await store.state.records == [])
    // snippet.end
  }

  @Test("A recorder keeps what code records")
  func recorder() async throws {
    // snippet.recorder
    let fetches = Recorder<String>()
    let records = Records(fetch: {
      fetches.record("fetch")
      return ["a"]
    })
    let store = Store(initial: Records.State(), interactor: records)
    store.send(.reload)
    store.send(.reload)
    #expect(try await fetches.next(2) == ["fetch", "fetch"])
    // snippet.end
  }

  @Test("A recorder iterates the states of a store")
  func recordFrom() async throws {
    let gate = Gate()
    let records = Records(fetch: {
      try await gate.enter()
      return ["a"]
    })
    // snippet.record-from
    let store = Store(initial: Records.State(), interactor: records)
    let states = Recorder<Records.State>()
    states.record(from: store.states)
    #expect(try await states.next() == Records.State())
    store.send(.reload)
    #expect(try await states.next().isLoading)
    // snippet.end
    gate.open()
    #expect(try await states.next().records == ["a"])
    await store.shutdown()
  }

  @Test("A submit is suspended, and an observer waits, when its immediate task has begun")
  func suspended() async throws {
    // snippet.suspended
    let gate = Gate()
    let records = Records(fetch: {
      try await gate.enter()
      return ["a"]
    })
    let store = Store(
      initial: Records.State(), interactor: records,
      configuration: StoreConfiguration(limits: .init(runsInFlight: 1, actionsWaiting: 0)))
    let first = store.send(.reload)
    let submit = Task.immediate { try await store.submit(.reload) }  // It is suspended by now,
    gate.open()
    #expect(await first.outcome.kind == .finished)
    #expect(try await submit.value.outcome.kind == .finished)  // and is accepted when there is room.
    // snippet.end
    await store.shutdown()
  }

  private final class Screen: Sendable {
    let title = Mutex("")

    func show(_ states: some AsyncSequence<Records.State, Never>) async {
      for await state in states { title.withLock { $0 = state.isLoading ? "…" : "\(state.records.count) records" } }
    }
  }

  @Test("An observer in the code under test has shown a state when it asks for the next one")
  func seen() async throws {
    let store = Store(initial: Records.State(), interactor: Records(fetch: { ["a"] }))
    let screen = Screen()
    // snippet.seen
    let shown = Recorder<Records.State>()
    let showing = Task { await screen.show(store.states.recorded(by: shown)) }
    _ = try await shown.next()  // The screen has shown the initial state,
    store.send(.reload)
    while try await shown.next().records != ["a"] {}  // and now the records.
    #expect(screen.title.withLock { $0 } == "1 records")
    // snippet.end
    await store.shutdown()
    await showing.value
  }

  @Test("The submit of an immediate task is suspended by the time that the task was made")
  func suspendedByThen() async throws {
    let gate = Gate()
    let records = Records(fetch: {
      try await gate.enter()
      return []
    })
    let store = Store(
      initial: Records.State(), interactor: records,
      configuration: StoreConfiguration(limits: .init(runsInFlight: 1, actionsWaiting: 0)))
    store.send(.reload)
    let submit = Task.immediate { try await store.submit(.reload) }
    #expect(await store.metrics.submitting == 1)
    submit.cancel()
    await #expect(throws: CancellationError.self) { try await submit.value }
    await store.shutdown()
  }

  @Test("A run for a duration lets each tick do its work")
  func runFor() async throws {
    // snippet.run-for
    let clock = TestClock()
    let store = Store(
      initial: 0, interactor: Counting(), configuration: StoreConfiguration(clock: clock),
      feedbacks: [.every(.seconds(1)) { 1 }])
    try await clock.run(for: .seconds(5))
    #expect(await store.state == 5)
    // snippet.end
    await store.shutdown()
  }
}
