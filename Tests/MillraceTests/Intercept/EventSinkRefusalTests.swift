import MillraceTesting
import Testing

@testable import Millrace

@Suite("EventSink: refusals", .timeLimit(.minutes(1)))
struct EventSinkRefusalTests {
  /// Waits at a gate, or decides against the action.
  struct Waiting: Interactor {
    enum Action: Sendable { case wait, refuse }

    let gate: Gate

    func decide(_ action: Action, state: Int) -> Decision<String> {
      action == .wait ? .handle : .reject(CancellationError())
    }

    func plan(for action: Action, state: Int) -> Plan { action == .wait ? .serial(key: 1) : .concurrent }

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { _ in try await gate.enter() }
    }

    static func reduce(into state: inout Int, mutation: String) {}
  }

  struct Witness: Interceptor, EventSink {
    typealias I = Waiting

    let notes: Recorder<String>

    func intercept(_ action: I.Action, context: InterceptionContext<I.Action>) -> Interception<I.Action> {
      notes.record("\(action)")
      return .pass
    }

    func accepted(_ cause: Cause<Waiting.Action>) { notes.record("accepted") }

    func committed(_ mutation: String, revision: Int, cause: Cause<Waiting.Action>, state: borrowing Int) {}

    func refused(_ cause: Cause<Waiting.Action>) { notes.record("refused") }

    func ended(_ cause: Cause<Waiting.Action>, outcome: Outcome) { notes.record("\(outcome.kind)") }
  }

  private let gate = Gate()
  private let notes = Recorder<String>()

  private func store(limits: StoreConfiguration.Limits = StoreConfiguration.Limits()) -> Store<Waiting> {
    Store(initial: 0, interactor: Waiting(gate: gate), configuration: StoreConfiguration(limits: limits))
  }

  @Test("It is notified of actions never accepted, and not of those accepted and rejected then")
  func told() async {
    let store = store()
    store.setInterceptors([Witness(notes: notes)])
    _ = await store.send(.refuse).outcome
    await store.shutdown()
    _ = await store.send(.refuse).outcome
    #expect(notes.recorded == ["refuse", "accepted", "rejected", "refuse", "refused", "rejected"])
  }

  @Test("An action accepted before the interceptor was set, and shed later, is told as accepted")
  func away() async throws {
    let store = store(limits: StoreConfiguration.Limits(actionsWaiting: 1, onOverflow: .dropOldest))
    _ = store.send(.wait)
    try await gate.waitForArrivals(1)
    let shed = store.send(.wait)
    store.setInterceptors([Witness(notes: notes)])
    _ = store.send(.wait)
    #expect(await shed.outcome.kind == .rejected)
    #expect(notes.recorded == ["wait", "accepted", "rejected"])
    gate.open()
  }
}
