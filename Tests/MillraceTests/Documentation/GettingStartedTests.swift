import Dispatch
import Millrace
import MillraceTesting
import Testing

/// An interactor's methods, spelled as docs/getting-started.md spells them; the compiler checks that each is a requirement.
private protocol Spelled: Interactor where Mutations == Effect<Self> {
  // snippet.handle
  func handle(_ action: Action, state: State) async -> Effect<Self>
  static func reduce(into state: inout State, mutation: Mutation)
  func decide(_ action: Action, state: State) -> Decision<Mutation>
  func plan(for action: Action, state: State) -> Plan
  func closing(_ action: Action, outcome: Outcome) -> Mutation?
  // snippet.end
}

extension GettingStarted.Stock: Spelled {}

@Suite("Getting started", .timeLimit(.minutes(1)))
struct GettingStartedTests {
  private struct Orchard: GettingStarted.StockGateway {
    func order(_ item: String, count: Int) async throws -> Int { count }
  }

  private typealias Stock = GettingStarted.Stock

  @Test("A store is made, sent to and looked at")
  func makeSendLook() async {
    let printed = Notes<String>()
    await GettingStarted.makeSendLook(Orchard()) { printed.note("\($0)") }
    #expect(printed.all == ["finished", "finished", "[\"apples\": 9]"])
  }

  @Test("Where nothing is left, taking is rejected")
  func soldOut() async {
    let store = Store(initial: Stock.State(), interactor: Stock(gateway: Orchard()))
    #expect(await store.send(.take("apples")).outcome.kind != .finished)
    #expect(await store.state == Stock.State())
  }

  @Test("A receipt has the revisions of what its action committed")
  func receipts() async {
    let store = Store(initial: Stock.State(), interactor: Stock(gateway: Orchard()))
    let ordered = store.send(.order("apples", count: 10))
    #expect(await ordered.firstCommit == 1)
    #expect(await ordered.lastRevision == 2)
    let rejected = store.send(.take("pears"))
    #expect(await rejected.outcome.rejectionKind == .decided)
    #expect(await rejected.lastRevision == nil)
  }

  @Test("A request returns what its action led to")
  func answers() async throws {
    let store = Store(initial: Stock.State(), interactor: Stock(gateway: Orchard()))
    #expect(try await GettingStarted.answer(store) == 10)
  }

  @Test("The mutations of an effect are had without a store")
  func effects() async throws {
    let printed = Notes<String>()
    try await GettingStarted.alone(Orchard()) { printed.note("\($0)") }
    #expect(printed.all == [#"ordered("apples", count: 10)"#])
  }

  @Test("An effect reads the newest state, and a part of the argument that was copied out")
  func parts() async throws {
    let (state, counts) = (GettingStarted.Stock.State(counts: ["apples": 3]), Notes<Int>())
    let effect = GettingStarted.orderMissing("apples", count: 10, state: state, Orchard()) { counts.note($0) }
    for try await _ in effect.mutations(state: state) {}
    #expect(counts.all == [10])
  }

  /// Waits for nothing, and so does not suspend.
  @concurrent private func proceed() async {}

  @Test("A handler runs on the sender's thread up to its first suspension, and so before send returns")
  func beforeTheFirstSuspension() async {
    let (store, notes) = (Store<ScriptedInteractor>(), Notes<String>())
    let gate = Gate()
    let receipt = store.send(
      .handle { _ in
        await proceed()
        notes.note("begun")
        try await gate.enter()
        notes.note("went on")
      })
    notes.note("sent")
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(notes.all == ["begun", "sent", "went on"])
  }

  @Test("A handler's child task blocks no sender")
  func childTask() async {
    let isSent = DispatchSemaphore(value: 0)
    let prices = GettingStarted.PriceList { file in
      // It is signalled after `send` has returned; on the sender's thread nothing would.
      isSent.wait(timeout: .now() + 20) == .success ? [file: 3] : [:]
    }
    let store = Store(initial: [:], interactor: prices)
    let receipt = store.send("apples")
    isSent.signal()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state == ["apples": 3])
  }

  @Test("A handler that starts on the pool blocks no sender")
  func onPool() async {
    let isSent = DispatchSemaphore(value: 0)
    let store = Store(
      initial: [:],
      interactor: GettingStarted.ParsedPrices { file in
        // It is signalled after `send` has returned; on the sender's thread nothing would.
        isSent.wait(timeout: .now() + 20) == .success ? [file: 3] : [:]
      })
    let receipt = store.send("apples")
    isSent.signal()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state == ["apples": 3])
    let other = GettingStarted.storeOnPool(GettingStarted.PriceList { file in [file: 3] })
    #expect(await other.send("pears").outcome.kind == .finished)
    #expect(await other.state == ["pears": 3])
  }

  @Test("A store is observed until it is shut down in order")
  func observeAndEnd() async throws {
    let store = Store(initial: Stock.State(counts: ["apples": 1]), interactor: Stock(gateway: Orchard()))
    let printed = Recorder<String>()
    let observing = Task { try await GettingStarted.observe(store) { printed.record("\($0)") } }
    #expect(try await printed.next() == "[\"apples\": 1]")
    await GettingStarted.end(store)
    try await observing.value
    #expect(printed.recorded.dropFirst().first == "1")
  }

  @Test("Final classes and actors are interactors")
  func classesAndActors() async {
    let mailer = Store(initial: 1, interactor: GettingStarted.Mailer())
    #expect(await mailer.send(2).outcome.kind == .finished)
    #expect(await mailer.state == 3)
    let meter = Store(initial: 1, interactor: GettingStarted.Meter())
    #expect(await meter.send(2).outcome.kind == .finished)
    #expect(await meter.state == 3)
  }

  @Test("A test clock replaces the store's")
  func time() async throws {
    #expect(try await GettingStarted.remind())
  }
}
