/// Forwards to a child that its parent may have or not have.
///
/// As ``Scoped``, and beyond it:
///
/// - **An action for a child that is not there** is rejected as ``Rejection/decided(_:)`` with ``MissingChild``, and the first
///   one is reported as ``Incident/Kind/missingChild``.
/// - **The commit that removes the child** ends its runs as ``Outcome/cancelled`` in the same step: what the state shows, the
///   receipts say. The tasks of their handlers are cancelled, and nothing they emit later is committed. A run that has not
///   called the child's `handle` by then ends without calling it.
/// - **Its later mutations** change nothing, for ``OptionalScope/reduce(into:mutation:)`` finds no child; the closing mutation
///   of a run that ended with the child is one of them.
///
/// Whether the child is there is all that is looked at: one that is replaced by another within one commit is the same child.
/// A run belongs to the child from when it calls this ``handle(_:state:)``'s effect until it ends, whatever else it does.
@frozen
public struct OptionalScoped<S: OptionalScope>: Sendable {
  /// The child.
  public let child: S.Child

  /// Makes a forwarder to `child`, which stands where `S` says.
  @inlinable
  public init(_ child: S.Child) {
    self.child = child
  }

  /// What the child decides on its part of the state; rejects with ``MissingChild`` when it is not there.
  @inlinable
  @inline(__always)
  public func decide(_ action: S.Child.Action, state: S.Parent.State) -> Decision<S.Parent.Mutation> {
    guard let part = S.state(of: state) else {
      return .reject(MissingChild(of: S.Parent.self, child: S.Child.self, scope: S.self))
    }
    return child.decide(action, state: part).mapMutations { S.mutation($0) }
  }

  /// What the child's `handle` does, as an effect of the parent that ends with the child.
  ///
  /// The child's `handle` is called when the effect runs, with the child's newest state. ``Run/state`` of a child that is gone is
  /// the last that the run saw of it; the run keeps that state until it returns, which costs one copy of what changes.
  @inlinable
  public func handle(_ action: S.Child.Action, state: S.Parent.State) async -> Effect<S.Parent> {
    child.effect(of: action, as: ChildID(scope: S.self)) {
      S.state(of: $0)
    } mayRemove: {
      S.mayRemoveChild($0)
    } mutation: {
      S.mutation($0)
    } sent: {
      try S.action($0)
    }
  }

  /// The child's plan; its keys are those of this scope, so that they meet no equal keys of others.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action) -> Plan {
    child.plan(for: action).within(PlanKey(scope: S.self))
  }

  /// The child's closing mutation.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, outcome: Outcome) -> S.Parent.Mutation? {
    child.closing(action, outcome: outcome).map { S.mutation($0) }
  }

  /// What a key of the child's plans is called in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``.
  public func key(_ key: some Hashable & Sendable) -> ScopedKey {
    ScopedKey(scope: PlanKey(scope: S.self), key: PlanKey(key))
  }
}
