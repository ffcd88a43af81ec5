import Millrace

/// Chooses what becomes of an action, and may send others.
struct Choosing<I: Interactor>: Interceptor {
  let choose: @Sendable (I.Action, InterceptionContext<I.Action>) -> Interception<I.Action>

  func intercept(_ action: I.Action, context: InterceptionContext<I.Action>) -> Interception<I.Action> {
    choose(action, context)
  }
}
