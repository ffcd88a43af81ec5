import Millrace

/// An interactor whose actions carry their plan and what is done for them; its state is a log of their names.
struct Chores: Interactor {
  struct Action: Sendable {
    var name: String
    var plan: Plan
    /// Whether `decide` logs the name.
    var begins: Bool
    var handles: Bool
    var body: @Sendable (Run<Chores>) async throws -> Void

    init(
      _ name: String, _ plan: Plan = .concurrent, begins: Bool = false, handles: Bool = true,
      body: @escaping @Sendable (Run<Chores>) async throws -> Void = { _ in }
    ) {
      self.name = name
      self.plan = plan
      self.begins = begins
      self.handles = handles
      self.body = body
    }
  }

  func plan(for action: Action, state: [String]) -> Plan { action.plan }

  func decide(_ action: Action, state: [String]) -> Decision<String> {
    if action.begins { return .mutate(action.name, thenHandle: action.handles) }
    return action.handles ? .handle : .ignore
  }

  func handle(_ action: Action, state: [String]) async -> Effect<Self> {
    Effect { run in try await action.body(run) }
  }

  func closing(_ action: Action, outcome: Outcome) -> String? { "\(action.name) \(outcome.kind)" }

  static func reduce(into state: inout [String], mutation: String) {
    state.append(mutation)
  }
}
