import MillraceTesting
import Testing

@testable import Millrace

@Suite("EventSink: steps", .timeLimit(.minutes(1)))
struct EventSinkStepTests {
  /// Decides, handles, and replaces what runs.
  struct Steps: Interactor {
    enum Action: Sendable { case decide, handle, latest, reject, wait }

    func decide(_ action: Action, state: Int) -> Decision<String> {
      switch action {
      case .decide: .mutate(["decided", "twice"])
      case .handle, .latest, .wait: .mutate("begun", thenHandle: true)
      case .reject: .reject(CancellationError())
      }
    }

    func plan(for action: Action, state: Int) -> Plan {
      switch action {
      case .latest: .latest(key: 1)
      case .wait: .latest(key: 2).debounce(.seconds(1))
      default: .concurrent
      }
    }

    func handle(_ action: Action, state: Int) async -> Effect<Self> {
      Effect { run in
        run.emit("emitted")
        if action == .latest { try await Gate().enter() }
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> String? { "\(outcome.kind)" }

    static func reduce(into state: inout Int, mutation: String) { state += 1 }
  }

  struct Witness: Interceptor, EventSink {
    typealias I = Steps

    let notes: Recorder<String>

    func accepted(_ cause: Cause<Steps.Action>) { notes.record("\(cause.action) accepted") }

    func committed(_ mutation: String, revision: Int, cause: Cause<Steps.Action>, state: borrowing Int) {
      notes.record(mutation)
    }

    func stepEnded(of action: ActionID) { notes.record("step over") }

    func ended(_ cause: Cause<Steps.Action>, outcome: Outcome) { notes.record("\(outcome.kind) ended") }
  }

  private func notes(_ actions: [Steps.Action]) async -> [String] {
    let notes = Recorder<String>()
    let store = Store(
      initial: 0, interactor: Steps(), configuration: StoreConfiguration(clock: TestClock()),
      interceptors: [Witness(notes: notes)])
    for action in actions { store.send(action) }
    _ = await store.state
    return notes.recorded
  }

  @Test("The step of an action holds what was decided, and nothing of its handler")
  func handled() async {
    #expect(
      await notes([.handle]) == ["handle accepted", "begun", "step over", "emitted", "finished ended"])
  }

  @Test("The step of an action holds its end if it has ended")
  func decided() async {
    #expect(
      await notes([.decide, .reject]) == [
        "decide accepted", "decided", "twice", "finished ended", "step over",
        "reject accepted", "rejected", "rejected ended", "step over",
      ])
  }

  @Test("The step of an action holds the closing of the one that it replaces")
  func replaced() async {
    #expect(
      await notes([.latest, .latest]) == [
        "latest accepted", "begun", "step over", "emitted",
        "latest accepted", "superseded", "superseded ended", "begun", "step over", "emitted",
      ])
  }

  @Test("The step of an action that waits is over before it is taken up")
  func waiting() async {
    #expect(await notes([.wait]) == ["wait accepted", "step over"])
  }
}
