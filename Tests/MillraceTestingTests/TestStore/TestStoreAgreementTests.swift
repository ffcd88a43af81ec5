import Millrace
import Testing

@testable import MillraceTesting

/// A test store runs the store as it is: what comes of actions is the same as in a store that nobody asserts.
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

    func plan(for action: Action) -> Plan {
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

  /// What came of a list of actions: of each its outcome and revisions, and all that was committed.
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

  @Test("Random actions have the same outcomes, revisions and states in both", arguments: 0..<50 as Range<UInt64>)
  func agree(seed: UInt64) async {
    var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let actions = (0..<30).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Walk.Action.allCases[Int(random >> 33) % Walk.Action.allCases.count]
    }
    let plain = Store(initial: Walk.State(), interactor: Walk())
    let expected = await trace(actions, plain) { plain.send($0) }
    let tested = TestStore(initial: Walk.State(), interactor: Walk(), exhaustivity: .off)
    let actual = await trace(actions, tested.store) { await tested.send($0) }
    #expect(actual == expected)
    #expect(expected.revision == expected.log.count)
    // The mutations that the test may receive are those that were committed, in order.
    let unasserted = tested.log.withContent { $0.takeAll() }
    #expect(unasserted.map(\.mutation) == Array(expected.log.suffix(unasserted.count)))
    #expect(tested.log.withContent { $0.open.isEmpty })
    await tested.finish()
  }
}
