import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/backpressure.md, as they stand there.
enum BackpressureSnippets {
  struct Feed: Interactor {
    struct State: Sendable, Equatable {
      var lines = 0
    }

    enum Action: Sendable {
      case line(String)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      .just(1)
    }

    static func reduce(into state: inout State, mutation: Int) {
      state.lines += mutation
    }
  }

  static func make() -> Store<Feed> {
    let limits = StoreLimits(runsInFlight: 64, actionsWaiting: 1_000, onOverflow: .dropOldest)
    let store = Store(initial: Feed.State(), interactor: Feed(), configuration: StoreConfiguration(limits: limits))
    return store
  }

  static func feed(_ store: Store<Feed>, _ lines: AsyncStream<String>) async throws {
    for try await line in lines {
      try await store.submit(.line(line))
    }
  }
}

@Suite("Backpressure", .timeLimit(.minutes(1)))
struct BackpressureSnippetsTests {
  private typealias Action = Chores.Action

  private func makeStore(_ limits: StoreLimits) -> Store<Chores> {
    Store(initial: [], interactor: Chores(), configuration: StoreConfiguration(limits: limits))
  }

  @Test("A1: The defaults are those of the page")
  func defaults() {
    #expect(StoreLimits() == .standard)
    #expect(StoreLimits.standard.runsInFlight == 4_096)
    #expect(StoreLimits.standard.actionsWaiting == 16_384)
    #expect(StoreLimits.standard.actionsLeft == 65_536)
    #expect(StoreLimits.standard.onOverflow == .reject)
  }

  @Test("Lines are submitted as fast as they are handled")
  func feed() async throws {
    let store = BackpressureSnippets.make()
    let (lines, continuation) = AsyncStream<String>.makeStream()
    for number in 1...100 { continuation.yield("\(number)") }
    continuation.finish()
    try await BackpressureSnippets.feed(store, lines)
    try await store.wait(until: { $0.lines == 100 })
  }

  @Test(
    "A1, A3: When the room is full the policy says who is shed, and the metrics count it",
    arguments: [
      (OverflowPolicy.reject, ["finished", "finished", "rejected"], ["A", "B"]),
      (.dropOldest, ["finished", "rejected", "finished"], ["A", "B", "C", "B rejected"]),
    ])
  func overflow(policy: OverflowPolicy, outcomes: [String], log: [String]) async throws {
    let store = makeStore(StoreLimits(runsInFlight: 1, actionsWaiting: 1, onOverflow: policy))
    let gate = Gate()
    let receipts = ["A", "B", "C"].map {
      store.send(Action($0, begins: true) { _ in try await gate.enter() })
    }
    try await gate.waitForArrivals(1)
    #expect(await store.metrics.rejections[.full] == 1)
    #expect(await store.state == log)
    // What is decided at once passes.
    #expect(await store.send(Action("D", begins: true, handles: false)).outcome.kind == .finished)
    gate.open()
    for (receipt, outcome) in zip(receipts, outcomes) { #expect(await receipt.outcome.kind.rawValue == outcome) }
  }

  @Test("A1: A submit suspends while the room is full, and can be cancelled")
  func submit() async throws {
    let store = makeStore(StoreLimits(runsInFlight: 1, actionsWaiting: 1))
    let gate = Gate()
    for name in ["A", "B"] { store.send(Action(name) { _ in try await gate.enter() }) }
    try await gate.waitForArrivals(1)
    let cancelled = Task { try await store.submit(Action("C")) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let submitted = Task.immediate { try await store.submit(Action("D", begins: true)) }
    #expect(await store.metrics.submitting == 1)
    gate.open()
    #expect(await (try submitted.value).outcome.kind == .finished)
    #expect(await store.state == ["D"])
  }

  @Test("A1: Without room a submit waits for a slot; with a full room it waits though a slot is free")
  func submitWithoutRoom() async throws {
    for (limits, plan) in [
      (StoreLimits(runsInFlight: 1, actionsWaiting: 0), Plan.concurrent),
      (StoreLimits(runsInFlight: 9, actionsWaiting: 1), .serial(key: 1)),
    ] {
      let (store, gate) = (makeStore(limits), Gate())
      for _ in 0...limits.actionsWaiting { store.send(Action("A", plan) { _ in try await gate.enter() }) }
      let submitted = Task.immediate { try await store.submit(Action("B", plan)) }
      #expect(await store.metrics.submitting == 1)
      gate.open()
      #expect(await (try submitted.value).outcome.kind == .finished)
    }
  }
}
