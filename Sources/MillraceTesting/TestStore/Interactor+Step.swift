import Millrace

extension Interactor {
  /// The mutations of the one step of a decision: its own, or, if it rejects the action, the closing mutation.
  ///
  /// An action for a missing child is never taken up, and is not closed.
  func step(of action: Action, decidedAs decision: Decision<Mutation>) -> [Mutation] {
    guard let error = decision.rejection else { return decision.mutations }
    if error is MissingChild { return [] }
    return closing(action, outcome: .rejected(.decided(error))).map { [$0] } ?? []
  }
}
