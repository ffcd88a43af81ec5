import Millrace
import MillraceTesting

/// An interactor that plans by its state, the names of what was committed, and notes the state of each plan and of each decision.
struct StatePlanner: Interactor {
  struct Action: Sendable {
    var name: String
    var gate: Gate?
    var plan: @Sendable ([String]) -> Plan = { _ in .concurrent }
  }

  let planned = Notes<[String]>()
  let decided = Notes<[String]>()

  func plan(for action: Action, state: [String]) -> Plan {
    planned.note(state)
    return action.plan(state)
  }

  func decide(_ action: Action, state: [String]) -> Decision<String> {
    decided.note(state)
    return .mutate(action.name, thenHandle: action.gate != nil)
  }

  func handle(_ action: Action, state: [String]) async -> Effect<Self> {
    Effect { _ in await action.gate?.enterIgnoringCancellation() }
  }

  static func reduce(into state: inout [String], mutation: String) {
    state.append(mutation)
  }
}
