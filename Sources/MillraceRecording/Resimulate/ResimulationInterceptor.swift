import Millrace

/// Tells a resimulation what happens in its store.
struct ResimulationInterceptor<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Sendable>: Interceptor {
  let board: ResimulationBoard<Action, Mutation>

  func accepted(_ cause: Cause<Action>) {
    board.note { $0.runs.accept(cause) }
  }

  func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {
    board.note { $0.runs.commit(mutation, of: cause.context.run) }
  }

  func ended(_ cause: Cause<Action>, outcome: Outcome) {
    board.note { $0.runs.end(cause, outcome.kind) }
  }
}
