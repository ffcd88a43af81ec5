import Millrace

/// Tells a resimulation what happens in its store, and its clock where the runs are.
///
/// The clock first: who waits at the board moves the time on.
struct ResimulationInterceptor<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Sendable>: Interceptor {
  let board: ResimulationBoard<Action, Mutation>
  let clock: RecordedClock

  func accepted(_ cause: Cause<Action>) {
    clock.accepted(cause.context)
    board.note { $0.runs.accept(cause) }
  }

  func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {
    clock.goesOn(cause.context.run)
    board.note { $0.runs.commit(mutation, of: cause.context.run) }
  }

  func ended(_ cause: Cause<Action>, outcome: Outcome) {
    clock.ended(cause.context)
    board.note { $0.runs.end(cause, outcome.kind) }
  }
}

extension ResimulationInterceptor: EventSink {
  /// Replaces the rest before the next attempt of a run by the recorded rest.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<Action>) -> Duration {
    board.note { $0.runs.rest(drawn, after: attempt, of: cause.context.run) }
  }
}
