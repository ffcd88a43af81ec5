import Millrace
import MillraceTesting
import Testing

@Suite("Sender", .timeLimit(.minutes(1)))
struct SenderTests {
  /// Whether the sender is the store's own, or sends other actions through two others.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case whole, scoped

    func sender(of store: Store<ScriptedInteractor>) -> Sender<ScriptedInteractor.Action> {
      switch self {
      case .whole: store.sender
      case .scoped:
        store.sender
          .scope { (action: (ScriptedInteractor.Action, Int)) in action.0 }
          .scope { (action: ScriptedInteractor.Action) in (action, 1) }
      }
    }

    var testDescription: String { rawValue }
  }

  private let store = Store<ScriptedInteractor>()

  private static func suspended(
    _ sender: Sender<ScriptedInteractor.Action>, _ action: ScriptedInteractor.Action
  ) -> Task<Receipt, any Error> {
    Task.immediate { try await sender.submit(action) }
  }

  @Test("A sender's action is committed, and the receipt is the store's", arguments: Way.allCases)
  func send(_ way: Way) async {
    let receipt = way.sender(of: store).send(.commit("a"))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receipt.lastRevision == 1)
    #expect(await store.log == ["a"])
  }

  @Test("A sender of other actions makes the store's action of each, through all the scopes")
  func scopes() async {
    let texts = store.sender.scope { (text: String) in
      ScriptedInteractor.Action.commit(ScriptedInteractor.Mutation(text))
    }
    let numbers = texts.scope { (number: Int) in "number \(number)" }
    texts.send("text")
    numbers.send(contentsOf: [1, 2])
    #expect(await store.log == ["text", "number 1", "number 2"])
  }

  @Test("Actions of one call are committed in order and have one receipt", arguments: Way.allCases)
  func sendContents(_ way: Way) async {
    let batch = way.sender(of: store).send(contentsOf: [
      .commit("a"), .decide { _ in .reject(Mishap()) }, .commit("b"),
    ])
    #expect(await batch.outcomes.map(\.kind) == [.finished, .rejected, .finished])
    #expect(await store.log == ["a", "b"])
  }

  @Test("The trace travels with the action", arguments: Way.allCases)
  func context(_ way: Way) async throws {
    let traces = Recorder<TraceContext?>()
    let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    way.sender(of: store).send(.handle { _ in traces.record(RunContext.current?.trace) }, context: trace)
    #expect(try await traces.next() == trace)
  }

  @Test("A1: submit suspends while the store is full", arguments: Way.allCases)
  func submit(_ way: Way) async throws {
    let limits = StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)
    let store = Store<ScriptedInteractor>(StoreConfiguration(limits: limits))
    let gate = Gate()
    store.send(.handle { _ in try await gate.enter() })
    try await gate.waitForArrivals()
    let submit = Self.suspended(way.sender(of: store), .handle { run in run.emit("submitted") })
    #expect(await store.metrics.submitting == 1)
    gate.open()
    #expect(try await submit.value.outcome.kind == .finished)
    #expect(await store.log == ["submitted"])
  }

  @Test("S1: a suspended submit throws when the store is shut down, and a send is rejected", arguments: Way.allCases)
  func shutdown(_ way: Way) async throws {
    let limits = StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)
    let store = Store<ScriptedInteractor>(StoreConfiguration(limits: limits))
    let gate = Gate()
    store.send(.handle { _ in try await gate.enter() })
    try await gate.waitForArrivals()
    let sender = way.sender(of: store)
    let submit = Self.suspended(sender, .handle { _ in })
    await store.shutdown()
    #expect(await #expect(throws: StoreError.self) { try await submit.value }?.code == .shutDown)
    #expect(await sender.send(.commit("late")).rejectionKind == .shuttingDown)
    #expect(await sender.send(contentsOf: [.commit("late")]).outcomes.map(\.kind) == [.rejected])
  }

  @Test("R6: a sender holds its store, and lets it go", arguments: Way.allCases)
  func aSenderHoldsTheStore(_ way: Way) async {
    var store: Store<ScriptedInteractor>? = Store<ScriptedInteractor>()
    weak let weakStore = store
    var sender = store.map(way.sender)
    store = nil
    #expect(weakStore != nil)
    #expect(await sender?.send(.commit("a")).outcome.kind == .finished)
    sender = nil
    #expect(weakStore == nil)
  }
}
