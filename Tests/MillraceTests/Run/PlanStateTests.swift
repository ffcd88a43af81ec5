import MillraceTesting
import Testing

@testable import Millrace

/// The state that `plan(for:state:)` sees.
@Suite("The state of a plan", .timeLimit(.minutes(1)))
struct PlanStateTests {
  private typealias Action = StatePlanner.Action

  private let planner = StatePlanner()
  private let gate = Gate()

  private func store(_ configuration: StoreConfiguration = StoreConfiguration()) -> Store<StatePlanner> {
    Store(initial: [], interactor: planner, configuration: configuration)
  }

  @Test("L2: plan sees the state of the step that takes the action from the queue", arguments: [false, true])
  func queued(isIntercepted: Bool) async throws {
    let store = store()
    if isIntercepted { store.setInterceptors([ActionInterceptor { _, _ in .pass }]) }
    let latch = Latch()
    let thread = onThread {
      store.send(
        Action(name: "first") { _ in
          latch.pass()
          return .concurrent
        })
    }
    try await latch.waitForArrival()
    let batch = store.send(contentsOf: [Action(name: "a"), Action(name: "b") { _ in .serial(key: "k") }])
    let submit = Task { try await store.submit(Action(name: "c")) }
    #expect(planner.planned.all == [[]])
    latch.open()
    await thread.value
    #expect(await batch.outcomes.map(\.kind) == [.finished, .finished])
    #expect(try await submit.value.outcome.kind == .finished)
    let states = [[], ["first"], ["first", "a"], ["first", "a", "b"]]
    #expect(planner.planned.all == states)
    #expect(planner.decided.all == states)
  }

  @Test("L2: plan sees the state of the step that admits the action of a submit")
  func submitted() async throws {
    let store = store(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)))
    store.send(Action(name: "holds", gate: gate))
    try await gate.waitForArrivals()
    let submit = Task.immediate { try await store.submit(Action(name: "submitted", gate: gate)) }
    #expect(await store.metrics.submitting == 1)
    store.send(Action(name: "newer"))
    #expect(planner.planned.all == [[], ["holds"]])
    gate.open()
    #expect(try await submit.value.outcome.kind == .finished)
    #expect(planner.planned.all.last == ["holds", "newer"])
    #expect(planner.decided.all == planner.planned.all)
  }

  @Test(
    "L2: where a plan makes an action wait for nothing, plan, decide and the commits are one step on one state",
    arguments: [
      Plan.concurrent, .concurrent.timeout(.seconds(60)), .concurrent(max: 2_000, key: "k"), .latest(key: "k"),
      .exclusive(key: "e"), .shared(key: "s"),
    ])
  func oneStep(plan: Plan) async {
    let store = store()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            let action = Action(name: "\(number)") { _ in plan }
            let receipt = number % 2 == 0 ? store.send(action) : try? await store.submit(action)
            #expect(await receipt?.outcome.kind == .finished)
          }
        }
      }
    }
    #expect(planner.planned.all.map(\.count) == Array(0..<200))
    #expect(planner.decided.all == planner.planned.all)
  }

  @Test("L2: an action that its plan makes wait is decided anew, on the state of a later step")
  func decidedAnew() async throws {
    let store = store()
    store.send(Action(name: "first", gate: gate) { _ in .serial(key: "k") })
    try await gate.waitForArrivals()
    let waiting = store.send(Action(name: "second") { _ in .serial(key: "k") })
    store.send(Action(name: "newer"))
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    #expect(planner.planned.all == [[], ["first"], ["first"]])
    #expect(planner.decided.all == [[], ["first"], ["first", "newer"]])
  }

  @Test("L2: an action whose answer the state has is planned as concurrent, and settles as a decided one does")
  func answerThatIsThere() async throws {
    let store = store()
    @Sendable func byState(_ state: [String]) -> Plan { state.isEmpty ? .shared(key: "k") : .concurrent }
    #expect(!store.send(Action(name: "asks", plan: byState)).hasFinishedAtOnce)
    #expect(store.send(Action(name: "has it", plan: byState)).hasFinishedAtOnce)
    #expect(await store.state == ["asks", "has it"])
  }
}
