/// Why an action was rejected.
public enum Rejection: Sendable {
  /// The store was shut down before the action was sent.
  case shuttingDown

  /// The interactor decided `.handle` for the action and has no `handle`.
  case notHandled

  /// The interactor decided against the action, with this error.
  case decided(any Error)
}

extension Rejection: CustomStringConvertible {
  /// The reason as a sentence, with the fix where there is one.
  public var description: String {
    switch self {
    case .shuttingDown:
      "The store is shut down and takes no more actions; send to a store that is running."
    case .notHandled:
      "The interactor has no `handle` for this action; write `handle`, or return another decision than `.handle` from `decide`."
    case .decided(let error):
      "The interactor decided against the action: \(error)"
    }
  }
}
