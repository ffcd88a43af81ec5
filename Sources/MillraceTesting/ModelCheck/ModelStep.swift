import Millrace

/// A step from one state of a ``ModelCheck`` to the next.
public enum ModelStep<Action: Sendable, Mutation: Sendable>: Sendable, CustomStringConvertible {
  /// An action was taken up, and what was decided about it, or closes its rejection, was committed.
  case action(Action)

  /// A mutation of a handler was committed.
  case mutation(Mutation)

  /// The action or the mutation in one line.
  public var description: String {
    switch self {
    case .action(let action): "send \(ValueText.of(action, limit: 200))"
    case .mutation(let mutation): "commit \(ValueText.of(mutation, limit: 200))"
    }
  }
}
