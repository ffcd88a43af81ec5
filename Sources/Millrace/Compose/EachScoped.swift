/// Forwards to the children of one kind, each by its id.
///
/// As ``OptionalScoped``, with the same guarantees for each child: an action for a child that is not there is rejected with
/// ``MissingChild``, the commit that removes a child ends its runs as ``Outcome/cancelled`` in the same step, and its later
/// mutations change nothing.
///
/// The id is all that a child is known by: one that is removed and added again within one commit is the same child.
///
/// **Cost.** The number of runs that one child has costs a commit nothing. A mutation that a child's run emits costs one call of
/// ``EachScope/state(of:in:)``; any other commit costs one for each child that has runs, or none if
/// ``EachScope/mayRemoveChild(_:)`` says that it removes none.
@frozen
public struct EachScoped<S: EachScope>: Sendable {
  /// The interactor of every child.
  public let child: S.Child

  /// Makes a forwarder to the children that stand where `S` says, all handled by `child`.
  @inlinable
  public init(_ child: S.Child) {
    self.child = child
  }

  /// What a child decides on its part of the state; rejects with ``MissingChild`` when it is not there.
  @inlinable
  @inline(__always)
  public func decide(
    _ action: S.Child.Action, of id: S.ID, state: S.Parent.State
  ) -> Decision<S.Parent.Mutation> {
    guard let part = S.state(of: id, in: state) else {
      return .reject(MissingChild(of: S.Parent.self, child: S.Child.self, scope: S.self, id: id))
    }
    return child.decide(action, state: part).mapMutations { S.mutation($0, of: id) }
  }

  /// What a child's `handle` does, as an effect of the parent that ends with the child; see ``OptionalScoped/handle(_:state:)``.
  @inlinable
  public func handle(_ action: S.Child.Action, of id: S.ID, state: S.Parent.State) async -> Effect<S.Parent> {
    child.effect(of: action, as: ChildID(scope: S.self, id: id)) {
      S.state(of: id, in: $0)
    } mayRemove: {
      S.mayRemoveChild($0)
    } mutation: {
      S.mutation($0, of: id)
    } sent: {
      try S.action($0, of: id)
    }
  }

  /// A child's plan; its keys are those of this scope and this id, so that they meet no equal keys of others.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, of id: S.ID) -> Plan {
    child.plan(for: action).within(PlanKey(scope: S.self, id: id))
  }

  /// A child's closing mutation.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, of id: S.ID, outcome: Outcome) -> S.Parent.Mutation? {
    child.closing(action, outcome: outcome).map { S.mutation($0, of: id) }
  }

  /// What a key of a child's plans is called in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``.
  public func key(_ key: some Hashable & Sendable, of id: S.ID) -> ScopedKey {
    ScopedKey(scope: PlanKey(scope: S.self, id: id), key: PlanKey(key))
  }
}
