import Millrace
// snippet.imports
import MillraceTesting
// snippet.end
import Testing

/// The snippets of docs/testing-with-a-test-store.md, as they stand there.
@Suite("TestStoreSnippets", .timeLimit(.minutes(1)))
struct TestStoreSnippets {
  struct Records: Interactor {
    enum Action: Sendable {
      case reload
    }

    enum Mutation: Sendable, Equatable {
      case loading
      case loaded([String])
      case failure(String)
    }

    struct State: Sendable, Hashable {
      var isLoading = false
      var records: [String] = []
      var failure: String?
    }

    let fetch: @Sendable () async throws -> [String]

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      .mutate(.loading, thenHandle: true)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in run.emit(.loaded(try await fetch())) }
    }

    func plan(for action: Action, state: State) -> Plan { .serial(key: "reload").retry(3) }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      .failure("\(outcome.kind)")
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .loading: state.isLoading = true
      case .loaded(let records): state = State(records: records)
      case .failure(let reason): state = State(records: state.records, failure: reason)
      }
    }
  }

  @Test("A rejection and the cancelling of a key")
  func rejected() async {
    // snippet.rejected
    let gate = Gate()
    let interactor = Records(fetch: {
      try await gate.enter()
      return []
    })
    let store = TestStore(
      initial: Records.State(), interactor: interactor,
      configuration: StoreConfiguration(limits: .init(runsInFlight: 1, actionsWaiting: 0)))
    let first = await store.send(.reload) { $0.isLoading = true }
    await store.expect(.reload, rejectedAs: .full)
    store.cancel(key: "reload")
    await store.receive(.failure("cancelled")) { $0 = Records.State(failure: "cancelled") }
    await store.expect(first, endsWith: .cancelled)
    await store.finish()
    // snippet.end
  }

  /// Its handler fails, and nothing closes its actions.
  struct Unhandled: Interactor {
    enum Action: Sendable { case fetch }
    func handle(_ action: Action, state: Int) async -> Effect<Self> { Effect { _ in throw Offline() } }
    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }

  @Test("Incidents that a recorder takes")
  func incidents() async throws {
    // snippet.incidents
    let incidents = Recorder<Incident>()
    let store = Store(initial: 0, interactor: Unhandled(), configuration: .testing(incidents: incidents))
    store.send(.fetch)
    let incident = try await incidents.next()
    #expect(incident.kind == .unhandledFailure)
    #expect(incident.error is Offline)
    // snippet.end
  }

  @Test("A first test")
  func first() async {
    // snippet.first-test
    let store = TestStore(initial: Records.State(), interactor: Records(fetch: { ["first", "second"] }))
    await store.send(.reload) { $0.isLoading = true }
    await store.receive(.loaded(["first", "second"])) { $0 = Records.State(records: ["first", "second"]) }
    await store.finish()
    // snippet.end
  }

  @Test("A cancelled run is closed, and the closing received")
  func cancelled() async {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = TestStore(initial: Records.State(), interactor: Records(fetch: fetch))
    // snippet.failure
    let first = await store.send(.reload) { $0.isLoading = true }
    first.cancel()
    await store.receive(.failure("cancelled")) { $0 = Records.State(failure: "cancelled") }
    await store.expect(first, endsWith: .cancelled)
    await store.finish()
    // snippet.end
  }

  @Test("Time is an input")
  func time() async throws {
    // snippet.waiting
    let clock = TestClock()
    let slow = Records(fetch: {
      try await clock.sleep(for: .seconds(3))
      return ["late"]
    })
    let store = TestStore(
      initial: Records.State(), interactor: slow, configuration: StoreConfiguration(clock: clock))
    await store.send(.reload) { $0.isLoading = true }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    await store.receive(.loaded(["late"])) { $0 = Records.State(records: ["late"]) }
    await store.finish()
    // snippet.end
  }

  @Test("Without exhaustivity, what is not asserted is skipped")
  func notExhaustive() async {
    // snippet.not-everything
    let store = TestStore(
      initial: Records.State(), interactor: Records(fetch: { ["first"] }), exhaustivity: .off)
    await store.send(.reload)
    await store.receive(.loaded(["first"])) { $0.records = ["first"] }
    await store.finish()
    // snippet.end
  }

  struct FakeRecords: FakeGateway {
    let fetches = FakeCall<Void, [String]>("fetch")
  }

  @Test("A fake gateway is finished with its store")
  func fake() async {
    // snippet.fakes
    let gateway = FakeRecords()
    gateway.fetches.reply(["first"])
    let store = TestStore(
      initial: Records.State(), interactor: Records(fetch: { try await gateway.fetches() }), fakes: [gateway])
    // snippet.end
    await store.send(.reload) { $0.isLoading = true }
    await store.receive(.loaded(["first"])) { $0 = Records.State(records: ["first"]) }
    await store.finish()
  }

  private struct Offline: Error {}

  @Test("A retry is brought to its end, however long its rests are")
  func retry() async throws {
    // snippet.waiting-FakeRecords
    let (clock, gateway) = (TestClock(), FakeRecords())
    gateway.fetches.fail(Offline(), times: 2)
    gateway.fetches.reply(["third"])
    let store = TestStore(
      initial: Records.State(), interactor: Records(fetch: { try await gateway.fetches() }),
      configuration: StoreConfiguration(clock: clock), fakes: [gateway])
    let receipt = await store.send(.reload) { $0.isLoading = true }
    let outcome = try await clock.run(until: { await receipt.outcome }, within: .seconds(30))
    #expect(outcome.kind == .finished)
    await store.receive(.loaded(["third"])) { $0 = Records.State(records: ["third"]) }
    await store.finish()
    // snippet.end
  }

  @Test("Decide, reduce and closing without a store")
  func withoutStore() {
    // snippet.without-store
    Given(Records.State(), Records(fetch: { [] }))
      .when(.reload).then(.mutate(.loading, thenHandle: true)) { $0.isLoading = true }
      .when(mutation: .loaded(["a"])).then { $0 = Records.State(records: ["a"]) }
      .when(.reload, endsAs: .timedOut).then(.failure("timedOut")) { $0.failure = "timedOut" }
    // snippet.end
  }
}
