/// A run whose mutations do not go straight into a store: into a state of its own, or through the run of a parent.
@usableFromInline
final class ForwardedRun<I: Interactor>: Sendable {
  /// See ``Run/emit(_:through:)``.
  @usableFromInline let emit: @Sendable (I.Mutation, RemovableChild?) -> Bool
  @usableFromInline let state: @Sendable () async -> I.State

  /// See ``Run/endWhen(notHolding:)``.
  @usableFromInline let endWhen: EndWhen
  @usableFromInline let send: @Sendable (I.Action) -> Receipt
  @usableFromInline let submit: @Sendable (I.Action) async throws -> Receipt
  @usableFromInline let environment: any RunEnvironment

  @usableFromInline
  typealias EndWhen = @Sendable (LifetimeCondition<I.State, I.Mutation>) async -> ExistingChild<I.State>?

  @inlinable
  init(
    _ environment: any RunEnvironment, emit: @escaping @Sendable (I.Mutation, RemovableChild?) -> Bool,
    state: @escaping @Sendable () async -> I.State,
    endWhen: @escaping EndWhen,
    send: @escaping @Sendable (I.Action) -> Receipt,
    submit: @escaping @Sendable (I.Action) async throws -> Receipt
  ) {
    self.emit = emit
    self.state = state
    self.endWhen = endWhen
    self.send = send
    self.submit = submit
    self.environment = environment
  }
}

/// What a run is told besides the state; the same for the run of a parent and that of its child.
@usableFromInline
protocol RunEnvironment: Sendable {
  var id: ActionID { get }
  var attempt: Int { get }
  var idempotencyKey: String { get }
  var clock: any Clock<Duration> { get }
  var context: RunContext? { get }

  /// Rejects an action that the run cannot send.
  func refuse(_ reason: String) -> Receipt
}

/// What a run outside a store is told.
struct LoneEnvironment: RunEnvironment {
  let id: ActionID
  let attempt: Int
  let idempotencyKey: String
  let clock: any Clock<Duration>
  let context: RunContext?

  func refuse(_ reason: String) -> Receipt {
    Receipt(notSent: reason)
  }
}
