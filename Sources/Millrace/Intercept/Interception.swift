/// What an interceptor does with an action.
@frozen
public enum Interception<Action: Sendable>: Sendable {
  /// It goes on as it is.
  case pass

  /// This one goes on in its place, under its receipt.
  case replace(Action)

  /// Nothing goes on; its outcome is ``Rejection/intercepted(_:)`` with this reason.
  case reject(String)
}
