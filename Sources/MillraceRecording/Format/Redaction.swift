public import Millrace

/// Changes values before they are recorded, so that secrets do not leave the process.
///
/// ```swift
/// let redaction = Redaction<Shop>(
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
/// **Texts of others.** The text of an error may hold a URL with a token, or the answer of a server, and a `tracestate` whatever
/// a caller has put there; neither is made by the service. So a redaction leaves them out unless it says otherwise: of an error
/// that a call throws or an action ends with, the type and its case or code is recorded, of a trace its `traceparent`. So are the values of
/// steps left out, because they are whatever a gateway has answered.
///
/// **Isolation.** The closures for actions, mutations, states and traces are called one at a time, by the writer, never with
/// the store's lock. Those for requests, replies and errors of calls are called by the task that calls the gateway, several at once.
/// That for errors is also called with the store's lock, when an action ends with an error, and has to be quick.
public struct Redaction<I: Interactor>: Sendable {
  /// Returns the value to record for an action.
  public let action: @Sendable (I.Action) -> I.Action

  /// Returns the value to record for a mutation.
  public let mutation: @Sendable (I.Mutation) -> I.Mutation

  /// Returns the value to record for a state.
  public let state: @Sendable (I.State) -> I.State

  /// Returns the value to record for a request; it gets the name of the call, and the request.
  public let request: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  /// Returns the value to record for a reply; it gets the name of the call, and the reply or the error of the named type.
  public let reply: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  /// Returns the value to record for the value of a step, or nil to leave it out; it gets the name of the step, and the value.
  public let step: @Sendable (String, any Encodable & Sendable) -> (any Encodable & Sendable)?

  /// The text that is recorded for an error: of a call, for an error of another type than the call names, with the name of the call;
  /// of a step, with its name; of an action that ends with the error, with the name of the action's case.
  public let error: @Sendable (String, any Error) -> String

  /// Returns the value to record for the trace of an action; nil for nothing.
  public let trace: @Sendable (TraceContext) -> TraceContext?

  let isRedacting: Bool

  /// Changes nothing: all values are recorded as they are, errors with their whole texts.
  public init() {
    action = { $0 }
    mutation = { $0 }
    state = { $0 }
    request = { $1 }
    reply = { $1 }
    step = { $1 }
    error = { "\($1)" }
    trace = { $0 }
    isRedacting = false
  }

  /// Changes the values that have a closure, and leaves the others as they are, but for errors and traces.
  ///
  /// - Parameters:
  ///   - action: the recorded form of an action.
  ///   - mutation: the recorded form of a mutation.
  ///   - state: the recorded form of a state.
  ///   - request: the recorded form of the request of a call, given its name.
  ///   - reply: the recorded form of a reply, or for an error of the type that the call names.
  ///   - step: the recorded form of the value of a step, given its name; nil, and a closure that returns nil, leave it out.
  ///   - error: the text that is recorded for another error of a call and for that of a step, given its name, and for the error that an
  ///     action ends with, given the name of the action's case; nil for its type with its case or code, without its payload.
  ///   - trace: the recorded form of the trace of an action; nil for only its `traceparent`.
  public init(
    action: @escaping @Sendable (I.Action) -> I.Action = { $0 },
    mutation: @escaping @Sendable (I.Mutation) -> I.Mutation = { $0 },
    state: @escaping @Sendable (I.State) -> I.State = { $0 },
    request: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable = { $1 },
    reply: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable = { $1 },
    step: (@Sendable (String, any Encodable & Sendable) -> (any Encodable & Sendable)?)? = nil,
    error: (@Sendable (String, any Error) -> String)? = nil,
    trace: (@Sendable (TraceContext) -> TraceContext?)? = nil
  ) {
    self.action = action
    self.mutation = mutation
    self.state = state
    self.request = request
    self.reply = reply
    self.step = step ?? { _, _ in nil }
    self.error = error ?? { ErrorKind.text(of: $1) }
    self.trace = trace ?? { TraceContext(traceparent: $0.traceparent) }
    isRedacting = true
  }

  /// The part that is about calls, which knows nothing of the store's types.
  var calls: CallRedaction { CallRedaction(request: request, reply: reply, error: error) }
  var steps: StepRedaction { StepRedaction(step: step, error: error, isRedacting: isRedacting) }
}

/// Changes calls before they are recorded.
struct CallRedaction: Sendable {
  let request: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable
  let reply: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable
  let error: @Sendable (String, any Error) -> String
}
