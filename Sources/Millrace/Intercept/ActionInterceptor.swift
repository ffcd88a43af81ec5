/// An interceptor that only intercepts: a closure that passes, replaces or rejects each action.
///
/// ```swift
/// let store = Store(
///   initial: Shop.State(), interactor: Shop(),
///   interceptors: [
///     ActionInterceptor { action, _ in action.isTooLong ? .reject("an article has at most 20 letters") : .pass }
///   ])
/// ```
///
/// The compiler finds its types where it is given to a store, so that mutation and state need not be named. An interceptor
/// with state of its own is a class whose method is given: `ActionInterceptor(hours.intercept)`.
///
/// **Order and isolation.** As ``Interceptor/intercept(_:context:)``: on the sender's thread, several calls at once.
public struct ActionInterceptor<Action: Sendable, Mutation: Sendable, State: Sendable>: Interceptor {
  private let interception: @Sendable (Action, InterceptionContext<Action>) -> Interception<Action>

  /// Makes an interceptor of a closure, which is kept as long as the interceptor is.
  ///
  /// - Parameter interception: says what goes on in place of an action.
  public init(
    _ interception: @escaping @Sendable (Action, InterceptionContext<Action>) -> Interception<Action>
  ) {
    self.interception = interception
  }

  /// Calls the closure.
  public func intercept(_ action: Action, context: InterceptionContext<Action>) -> Interception<Action> {
    interception(action, context)
  }
}
