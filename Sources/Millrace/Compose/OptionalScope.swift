/// Says where a child stands that its parent may have or not have.
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
/// It stands for one place; see ``Scope``.
public protocol OptionalScope<Parent, Child>: ChildScope {
  /// The child's part of the parent's state, or nil when there is no child.
  ///
  /// Called with the store's lock, once after a commit that may remove the child while runs of it are in flight: quick and free of
  /// effects.
  static func state(of parent: Parent.State) -> Child.State?

  /// The parent's mutation that carries one of the child.
  ///
  /// The parent's `reduce` may remove the child by it, and that child's own children, but no other child: after a mutation that the
  /// child's run has emitted the store looks for no other. Runs of another child that is removed nevertheless end with the next
  /// commit that is not one of a child's run.
  static func mutation(_ mutation: Child.Mutation) -> Parent.Mutation

  /// The parent's action that carries one of the child: for the actions that the child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action) throws -> Parent.Action

  /// Whether a mutation of the parent may remove the child: false for one that removes none, whatever the state is.
  ///
  /// Optional: without it each mutation may. It saves the search for removed children, which the store makes after each commit while runs
  /// of such children are in flight: a commit that may remove none costs the same with one child as with thousands.
  ///
  /// The store asks about each mutation that it commits, except those that runs of these children emit, if the parent is the store's
  /// interactor or a part of it by ``Combined``. A parent that is itself a child is not asked, because the store commits mutations of
  /// another type: each commit may remove its children. If this returns false for a mutation that removes a child, the runs of
  /// that child end later, with a commit that may remove it.
  ///
  /// Called with the store's lock: quick and free of effects.
  static func mayRemoveChild(_ mutation: Parent.Mutation) -> Bool

  /// Lets `body` change the child's state, in place; does nothing when there is no child.
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

  /// Throws an error that says what to add.
  public static func action(_ action: Child.Action) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:)")
  }
}

extension Scoped where S: OptionalScope {
  /// The decision of the child on its part of the state; rejects as ``Rejection/missingChild(_:)`` when the child is missing.
  @inlinable
  @inline(__always)
  public func decide(_ action: S.Child.Action, state: S.Parent.State) -> Decision<S.Parent.Mutation> {
    guard let part = S.state(of: state) else {
      return .reject(MissingChild(of: S.Parent.self, child: S.Child.self))
    }
    return child.decide(action, state: part).mapMutations { S.mutation($0) }
  }

  /// The child's `handle` as an effect of the parent that ends with the child.
  ///
  /// The child's `handle` is called when the effect runs, with the child's newest state. ``Run/state`` throws `CancellationError` once
  /// the child is gone.
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

  /// The child's plan on its part of the state, with the keys of `plan(for:)`; ``Plan/concurrent`` when the child is not there,
  /// because `decide(_:state:)` rejects the action.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, state: S.Parent.State) -> Plan {
    guard let part = S.state(of: state) else { return .concurrent }
    return child.plan(for: action, state: part).within(PlanKey(scope: S.self))
  }

  /// The child's closing mutation.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, outcome: Outcome) -> S.Parent.Mutation? {
    child.closing(action, outcome: outcome).map { S.mutation($0) }
  }

  /// The name of a key of the child's plans in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``.
  ///
  /// Of a child of a child it is made from the inner one: `outer.key(inner.key("search"))`.
  public func key(_ key: some Hashable & Sendable) -> some Hashable & Sendable {
    ScopedKey(scope: PlanKey(scope: S.self), key: PlanKey(key))
  }
}
