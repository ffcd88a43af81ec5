/// What is changed in values before they are recorded, so that secrets do not leave the process.
///
/// ```swift
/// let redaction = Redaction<Shop.Action, Shop.Mutation, Shop.State>(
///   mutation: { mutation in
///     if case .loggedIn = mutation { .loggedIn(token: "") } else { mutation }
///   },
///   state: { state in
///     var state = state
///     state.token = state.token.map { _ in "" }
///     return state
///   })
/// ```
///
/// **Consistency.** A replay begins with the redacted state, reduces redacted mutations, and compares with the hashes of
/// redacted states. So a redaction has to be *consistent*: to reduce redacted mutations has to lead to the redacted state. It is
/// if it puts the same constant in place of a secret everywhere. Where the reducer derives something from the secret, redact
/// that in the state too, and give the replay the same redaction, which is then applied to its states before they are compared.
///
/// **Isolation.** The closures for actions, mutations and states are called one at a time, by whoever writes, never with the
/// store's turn. Those for requests and replies are called by the task that calls the gateway, several at once.
public struct Redaction<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  /// What is recorded for an action.
  public let action: @Sendable (Action) -> Action

  /// What is recorded for a mutation.
  public let mutation: @Sendable (Mutation) -> Mutation

  /// What is recorded for a state.
  public let state: @Sendable (State) -> State

  /// What is recorded for the request of a call: its name, and the request.
  public let request: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  /// What is recorded for the reply to a call: its name, and the reply or the error.
  public let reply: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  let isRedacting: Bool

  /// Changes nothing.
  public init() {
    action = { $0 }
    mutation = { $0 }
    state = { $0 }
    request = { $1 }
    reply = { $1 }
    isRedacting = false
  }

  /// Changes what is given, and leaves the rest as it is.
  public init(
    action: @escaping @Sendable (Action) -> Action = { $0 },
    mutation: @escaping @Sendable (Mutation) -> Mutation = { $0 },
    state: @escaping @Sendable (State) -> State = { $0 },
    request: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable = { $1 },
    reply: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable = { $1 }
  ) {
    self.action = action
    self.mutation = mutation
    self.state = state
    self.request = request
    self.reply = reply
    isRedacting = true
  }
}
