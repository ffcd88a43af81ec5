/// Forwards to a child that stands at a key path of its parent's state: ``Scoped`` without a scope type.
///
/// ```swift
/// let profile = KeyPathScoped<App, Profile>(Profile(), state: \.profile) { .profile($0) }
/// ```
///
/// The compiler does not see through a key path and a closure, so each level costs several hundred nanoseconds an action.
public struct KeyPathScoped<Parent: Interactor, Child: Interactor>: Sendable {
  /// The child.
  public let child: Child

  @usableFromInline let state: any KeyPath<Parent.State, Child.State> & Sendable
  @usableFromInline let mutation: @Sendable (Child.Mutation) -> Parent.Mutation
  @usableFromInline let action: @Sendable (Child.Action) throws -> Parent.Action

  /// Makes a forwarder to `child`.
  ///
  /// - Parameters:
  ///   - child: the child.
  ///   - state: where its state stands. The keys of its plans are told from those of others by this key path.
  ///   - mutation: the parent's mutation that carries one of the child.
  ///   - action: the parent's action that carries one of the child, for those that the child's run sends; without it they
  ///     are rejected as ``Rejection/notSent(_:)``, as they are with the error that this throws.
  @inlinable
  public init(
    _ child: Child, state: any KeyPath<Parent.State, Child.State> & Sendable,
    mutation: @escaping @Sendable (Child.Mutation) -> Parent.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> Parent.Action = { _ in
      throw MissingAction(of: Child.Action.self, fix: "pass `action` to its `KeyPathScoped`.")
    }
  ) {
    self.child = child
    self.state = state
    self.mutation = mutation
    self.action = action
  }

  /// What the child decides on its part of the state.
  @inlinable
  public func decide(_ action: Child.Action, state parent: Parent.State) -> Decision<Parent.Mutation> {
    child.decide(action, state: parent[keyPath: state]).mapMutations(mutation)
  }

  /// What the child's `handle` does, as an effect of the parent; see ``Scoped/handle(_:state:)``.
  @inlinable
  public func handle(_ action: Child.Action, state parent: Parent.State) async -> Effect<Parent> {
    await child.effect(
      of: action, state: parent[keyPath: state], newest: { [state] in $0[keyPath: state] }, mutation: mutation,
      sent: self.action)
  }

  /// The child's plan; its keys are those of this key path, so that they meet no equal keys of others.
  @inlinable
  public func plan(for action: Child.Action) -> Plan {
    child.plan(for: action).within(PlanKey(state))
  }

  /// The child's closing mutation.
  @inlinable
  public func closing(_ action: Child.Action, outcome: Outcome) -> Parent.Mutation? {
    child.closing(action, outcome: outcome).map(mutation)
  }

  /// What a key of the child's plans is called in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``.
  public func key(_ key: some Hashable & Sendable) -> ScopedKey {
    ScopedKey(scope: PlanKey(state), key: PlanKey(key))
  }
}
