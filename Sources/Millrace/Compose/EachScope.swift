/// Locates the children of one kind in their parent, each by its id.
///
/// ```swift
/// enum HouseScope: EachScope {
///   typealias Parent = Town
///   typealias Child = House
///
///   static func state(of id: Int, in parent: Town.State) -> House.State? { parent.houses[id] }
///   static func mutation(_ mutation: House.Mutation, of id: Int) -> Town.Mutation { .house(id, mutation) }
///   static func update(_ id: Int, in parent: inout Town.State, _ body: (inout House.State) -> Void) {
///     guard let place = parent.houses.index(forKey: id) else { return }
///     body(&parent.houses.values[place])
///   }
/// }
/// ```
///
/// It belongs to one position in the parent; see ``Scope``.
public protocol EachScope<Parent, Child, ID>: ChildScope {
  /// Identifies a child among the children of one parent.
  associatedtype ID: Hashable & Sendable

  /// A child's part of the parent's state, or nil when there is no child with this id.
  ///
  /// Called with the store's lock, after a commit once for each child that has runs in flight and that the commit may have
  /// removed: quick and free of effects.
  static func state(of id: ID, in parent: Parent.State) -> Child.State?

  /// The parent's mutation that carries one of a child.
  ///
  /// The parent's `reduce` may remove the child by it, and that child's own children, but no other child: after a
  /// mutation that the child has decided or its run has emitted the store looks for no other. Runs of another child that is
  /// removed nevertheless end with the next commit that is not one of a child.
  static func mutation(_ mutation: Child.Mutation, of id: ID) -> Parent.Mutation

  /// The parent's action that carries one of a child: for the actions that a child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action, of id: ID) throws -> Parent.Action

  /// The children that a mutation of the parent may remove, whatever the state is: none for an empty array, any for nil.
  ///
  /// Optional: without it each mutation may remove any child. It saves the search for removed children, which the store makes
  /// after each commit while runs of such children are in flight: a commit looks only at the children that are named, so that it
  /// costs the same with one child as with thousands. An id that no child has is passed over.
  ///
  /// The store asks about each mutation that it commits, except those that these children decide or their runs emit, if the
  /// parent is the store's interactor or a part of it by ``Combined``. A parent that is itself a child is not asked, because
  /// the store commits mutations of another type: each commit may remove its children. If a mutation removes a child that
  /// this does not name, the runs of that child end later, with a commit that may remove it.
  ///
  /// Called with the store's lock: quick and free of effects.
  static func mayRemoveChildren(_ mutation: Parent.Mutation) -> [ID]?

  /// Changes a child's state in place by `body`; does nothing when there is no child with this id.
  static func update(_ id: ID, in parent: inout Parent.State, _ body: (inout Child.State) -> Void)
}

extension EachScope {
  /// Applies a mutation of a child: the line for the parent's `reduce`.
  ///
  /// A mutation of a child that is gone changes nothing.
  @inlinable
  public static func reduce(into parent: inout Parent.State, id: ID, mutation: Child.Mutation) {
    update(id, in: &parent) { Child.reduce(into: &$0, mutation: mutation) }
  }

  /// Returns nil: each mutation may remove any child.
  public static func mayRemoveChildren(_ mutation: Parent.Mutation) -> [ID]? { nil }

  /// Throws an error that names the missing method.
  public static func action(_ action: Child.Action, of id: ID) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:of:)")
  }
}

extension Scoped where S: EachScope {
  /// The decision of a child on its part of the state; rejects as ``Rejection/missingChild(_:)`` when the child is missing.
  @inlinable
  @inline(__always)
  public func decide(
    _ action: S.Child.Action, of id: S.ID, state: S.Parent.State
  ) -> Decision<S.Parent.Mutation> {
    guard let part = S.state(of: id, in: state) else {
      return .reject(Rejection.MissingChild(of: S.Parent.self, child: S.Child.self, id: id))
    }
    return child.decide(action, state: part).mapMutations { S.mutation($0, of: id) }
      .marked(ChildMark(scope: S.self, id: id)) { inner in
        { Self.conditions(of: id, around: inner?() ?? []) }
      }
  }

  /// Returns an effect of the parent that calls the child's `handle`.
  ///
  /// When the child is removed its run is cancelled, and the outcome is ``Outcome/cancelled``. The cancellation of the parent's
  /// run is that of the child's.
  @inlinable
  public func handle(_ action: S.Child.Action, of id: S.ID, state: S.Parent.State) async -> Effect<S.Parent> {
    // An object, so that a closure that captures it takes no memory of its own.
    let key = TypedKey(id)
    return child.effect(of: action, as: ChildID(scope: S.self, id: key, of: S.Parent.self, S.Child.self)) {
      Self.condition(of: key)
    } part: {
      S.state(of: key.key, in: $0)
    } mutation: {
      S.mutation($0, of: key.key)
    } sent: {
      try S.action($0, of: key.key)
    }
  }

  /// A child's plan on its part of the state; its keys belong to this scope and this id, so that equal keys of other children are others.
  ///
  /// It is ``Plan/concurrent`` if the child does not exist, because ``decide(_:of:state:)`` rejects the action.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, of id: S.ID, state: S.Parent.State) -> Plan {
    guard let part = S.state(of: id, in: state) else { return .concurrent }
    return child.plan(for: action, state: part).within(PlanKey(scope: S.self, id: id)) {
      Self.conditions(of: id, around: $0)
    }
  }

  /// A plan of the parent's own for an action of a child, which ends with the child as one with the child's plan does.
  ///
  /// ```swift
  /// case .room(let id, _): rooms.plan(.serial(key: id), of: id, state: state)
  /// ```
  ///
  /// Without it, an action that waits undecided by a plan of the parent's own is decided for the child that exists by then. The keys stay
  /// the parent's. If the child does not exist, the plan is as it is, because ``decide(_:of:state:)`` rejects the action.
  @inlinable
  public func plan(_ plan: Plan, of id: S.ID, state: S.Parent.State) -> Plan {
    S.state(of: id, in: state) == nil ? plan : plan.bound(to: Self.conditions(of: id, around: []))
  }

  /// A child's closing mutation; nil if the child was removed and another one is in its place.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, of id: S.ID, outcome: Outcome) -> S.Parent.Mutation? {
    if ReplacedChild.has(ChildMark(scope: S.self, id: id)) { return nil }
    return child.closing(action, outcome: outcome).map { S.mutation($0, of: id) }
  }

  /// The condition that a child exists.
  @inlinable
  static func condition(of key: TypedKey<S.ID>) -> LifetimeCondition {
    LifetimeCondition(
      ChildID(scope: S.self, id: key, of: S.Parent.self, S.Child.self),
      removals: Removals { (mutation: S.Parent.Mutation) in S.mayRemoveChildren(mutation)?.map { PlanKey($0) } }
    ) { (state: S.Parent.State) in
      S.state(of: key.key, in: state) != nil
    }
  }

  /// The conditions of an action of a child: that the child exists, which those of its own children include.
  @inlinable
  @inline(never)
  static func conditions(of id: S.ID, around inner: [LifetimeCondition]) -> [LifetimeCondition] {
    let key = TypedKey(id)
    if inner.isEmpty { return [condition(of: key)] }
    let child = ChildID(scope: S.self, id: key, of: S.Parent.self, S.Child.self)
    return inner.map { $0.within(child) { (state: S.Parent.State) in S.state(of: key.key, in: state) } }
  }

  /// The name of a key of a child's plans in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:key:)``.
  ///
  /// Of a child of a child it is made from the inner one: `outer.key(inner.key("search"))`.
  public func key(_ key: some Hashable & Sendable, of id: S.ID) -> some Hashable & Sendable {
    ScopedKey(scope: PlanKey(scope: S.self, id: id), key: PlanKey(key))
  }
}
