import Millrace
import Testing

@testable import MillraceTesting

/// A test store changes nothing in its store: actions have the same results as in a store without assertions.
@Suite("TestStore and Store", .timeLimit(.minutes(1)))
struct TestStoreAgreementTests {
  /// Remembers in its state all that was committed, with plans, handlers that emit, throw and reject, and closings.
  struct Walk: Interactor {
    enum Action: Sendable, CaseIterable {
      case add, addTwice, ignore, reject, emit, emitAfter, fail, latest, serial, limited
    }

    struct State: Sendable, Equatable {
      var log: [String] = []
    }

    struct Oops: Error {}

    func decide(_ action: Action, state: State) -> Decision<String> {
      switch action {
      case .add: .mutate("add at \(state.log.count)")
      case .addTwice: .mutate(["one", "two"])
      case .ignore: .ignore
      case .reject: .reject(Oops())
      case .emit, .serial: .handle
      case .emitAfter, .fail, .latest, .limited: .mutate("begin \(action)", thenHandle: true)
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .latest: .latest(key: 1)
      case .serial: .serial(key: 2)
      case .limited: .exclusive(key: 3)
      default: .concurrent
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        run.emit("\(action) saw \(state.log.count)")
        if action == .fail { throw Oops() }
        // Only a cut ends these.
        if action == .latest || action == .limited { try await Gate().enter() }
        run.emit("end \(action)")
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> String? { "\(action) \(outcome.kind)" }

    static func reduce(into state: inout State, mutation: String) { state.log.append(mutation) }
  }

  /// The results of a list of actions: the outcome and revisions of each, and all commits.
  struct Trace: Equatable {
    var ends: [String] = []
    var log: [String] = []
    var revision = 0
  }

  private func trace(_ actions: [Walk.Action], _ store: Store<Walk>, send: (Walk.Action) async -> Receipt) async
    -> Trace
  {
    var receipts: [Receipt] = []
    for action in actions { receipts.append(await send(action)) }
    store.cancelAll()
    var trace = Trace()
    for receipt in receipts {
      let (first, last) = (await receipt.firstCommit, await receipt.lastRevision)
      trace.ends.append("\(await receipt.outcome.kind) \(first ?? 0) \(last ?? 0)")
    }
    let snapshot = await store.snapshot
    (trace.log, trace.revision) = (snapshot.state.log, snapshot.revision)
    return trace
  }

  @Test("Random actions have the same outcomes, revisions and states in both")
  func agree() async {
    // In a world, for a handler that is cut returns on another thread otherwise, and now and then has the turn when the next
    // action is sent.
    let report = await Simulation.run(seeds: 0..<200) { world in
      let actions = world.actions(30, from: Walk.Action.allCases)
      let plain = Store(initial: Walk.State(), interactor: Walk(), configuration: world.configuration)
      let expected = await trace(actions, plain) { plain.send($0) }
      let tested = TestStore(
        initial: Walk.State(), interactor: Walk(), configuration: world.configuration, exhaustivity: .off)
      let actual = await trace(actions, tested.store) { await tested.send($0) }
      world.expect(actual == expected, "what comes of the actions is the same")
      world.expect(expected.revision == expected.log.count, "each commit has a revision")
      let unasserted = tested.log.withContent { $0.takeAll() }
      world.expect(
        unasserted.map(\.mutation) == Array(expected.log.suffix(unasserted.count)),
        "the mutations that the test may receive are those that were committed, in order")
      world.expect(tested.log.withContent { $0.open.isEmpty }, "no action is open")
      await tested.finish()
    }
    #expect(report.failingPlan == nil)
  }

  @Test("In a world a test store waits in the world's time, and what does not come fails the seed at the test's line")
  func inWorld() async throws {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seed: 1) { world in
        let store = TestStore(initial: Walk.State(), interactor: Walk(), configuration: world.configuration)
        await store.send(.limited) { $0.log = ["begin limited"] }
        await store.receive("limited saw 1") { $0.log.append("limited saw 1") }
        await store.receive("what never comes", file: "Here.swift", line: 7)
      }
    }
    #expect(report.failingPlan != nil)
    let failure = try #require(failures.recorded.first)
    #expect("\(failure.file)" == "Here.swift" && failure.line == 7)
    let lines = failure.message.split(separator: "\n")
    #expect(lines.first?.hasPrefix("Seed 1: ") == true)
    #expect(lines.contains { $0.contains("at 10.0 seconds of the world's time") })
  }
}
