/// Locates a child that its parent may lack.
///
/// ```swift
/// enum DialogScope: OptionalScope {
///   typealias Parent = App
///   typealias Child = Dialog
///
///   static func state(of parent: App.State) -> Dialog.State? { parent.dialog }
///   static func mutation(_ mutation: Dialog.Mutation) -> App.Mutation { .dialog(mutation) }
///   static func update(_ parent: inout App.State, _ body: (inout Dialog.State) -> Void) {
///     if parent.dialog != nil { body(&parent.dialog!) }
///   }
/// }
/// ```
///
/// It belongs to one position in the parent; see ``Scope``.
public protocol OptionalScope<Parent, Child>: SingleChildScope {
  /// The child's part of the parent's state, or nil when there is no child.
  ///
  /// Called with the store's lock, once after a commit that may remove the child while runs of it are in flight: quick and free of
  /// effects.
  static func state(of parent: Parent.State) -> Child.State?

  /// Whether a mutation of the parent may remove the child: false for one that removes none, whatever the state is.
  ///
  /// Optional: without it each mutation may. It saves the search for removed children, which the store makes after each commit while runs
  /// of such children are in flight: a commit that may remove none costs the same with one child as with thousands.
  ///
  /// The store asks about each mutation that it commits, except those that these children decide or their runs emit, if the parent is
  /// the store's interactor or a part of it by ``Combined``. A parent that is itself a child is not asked, because the store commits mutations of
  /// another type: each commit may remove its children. If this returns false for a mutation that removes a child, the runs of
  /// that child end later, with a commit that may remove it.
  ///
  /// Called with the store's lock: quick and free of effects.
  static func mayRemoveChild(_ mutation: Parent.Mutation) -> Bool

  /// Changes the child's state in place by `body`; does nothing when there is no child.
  static func update(_ parent: inout Parent.State, _ body: (inout Child.State) -> Void)
}

extension OptionalScope {
  /// Applies a mutation of the child: the line for the parent's `reduce`.
  ///
  /// A mutation of a child that is gone changes nothing.
  @inlinable
  public static func reduce(into parent: inout Parent.State, mutation: Child.Mutation) {
    update(&parent) { Child.reduce(into: &$0, mutation: mutation) }
  }

  /// Returns true: each mutation may.
  public static func mayRemoveChild(_ mutation: Parent.Mutation) -> Bool { true }
}

extension Scoped where S: OptionalScope {
  /// The decision of the child on its part of the state; rejects as ``Rejection/missingChild(_:)`` when the child is missing.
  @inlinable
  @inline(__always)
  public func decide(_ action: S.Child.Action, state: S.Parent.State) -> Decision<S.Parent.Mutation> {
    guard let part = S.state(of: state) else {
      return .reject(Rejection.MissingChild(of: S.Parent.self, child: S.Child.self))
    }
    return child.decide(action, state: part).mapMutations { S.mutation($0) }
      .marked(ChildMark(scope: S.self)) { inner in
        { Self.conditions(around: inner?() ?? []) }
      }
  }

  /// The child's `handle` as an effect of the parent that ends with the child.
  ///
  /// The child's `handle` is called when the effect runs, with the child's newest state. ``Run/state`` throws `CancellationError` once
  /// the child is gone.
  @inlinable
  public func handle(_ action: S.Child.Action, state: S.Parent.State) async -> Effect<S.Parent> {
    child.effect(of: action, as: ChildID(scope: S.self, of: S.Parent.self, S.Child.self)) {
      Self.condition
    } part: {
      S.state(of: $0)
    } mutation: {
      S.mutation($0)
    } sent: {
      try S.action($0)
    }
  }

  /// The child's plan on its part of the state; its keys belong to this scope, so that equal keys of other children are others.
  ///
  /// It is ``Plan/concurrent`` if the child does not exist, because `decide(_:state:)` rejects the action.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, state: S.Parent.State) -> Plan {
    guard let part = S.state(of: state) else { return .concurrent }
    return child.plan(for: action, state: part).within(PlanKey(scope: S.self)) { Self.conditions(around: $0) }
  }

  /// A plan of the parent's own for an action of the child, which ends with the child as one with the child's plan does.
  ///
  /// ```swift
  /// case .dialog: dialog.plan(.serial(key: "dialog"), state: state)
  /// ```
  ///
  /// Without it, an action that waits undecided by a plan of the parent's own is decided for the child that exists by then. The keys stay
  /// the parent's. If the child does not exist, the plan is as it is, because `decide(_:state:)` rejects the action.
  @inlinable
  public func plan(_ plan: Plan, state: S.Parent.State) -> Plan {
    S.state(of: state) == nil ? plan : plan.bound(to: Self.conditions(around: []))
  }

  /// The condition that the child exists.
  @inlinable static var condition: LifetimeCondition {
    LifetimeCondition(
      ChildID(scope: S.self, of: S.Parent.self, S.Child.self),
      removals: Removals { (mutation: S.Parent.Mutation) in S.mayRemoveChild(mutation) ? nil : [] }
    ) { (state: S.Parent.State) in
      S.state(of: state) != nil
    }
  }

  /// The conditions of an action of the child: that the child exists, which those of its own children include.
  @inlinable
  @inline(never)
  static func conditions(around inner: [LifetimeCondition]) -> [LifetimeCondition] {
    if inner.isEmpty { return [condition] }
    let child = ChildID(scope: S.self, of: S.Parent.self, S.Child.self)
    return inner.map { $0.within(child) { (state: S.Parent.State) in S.state(of: state) } }
  }
}
