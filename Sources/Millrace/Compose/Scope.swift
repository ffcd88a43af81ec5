/// Names the parent and the child: the common part of ``Scope``, ``OptionalScope`` and ``EachScope``.
///
/// A scope conforms to one of these three.
public protocol ChildScope<Parent, Child>: SendableMetatype {
  /// The interactor that has the child or the children.
  associatedtype Parent: Interactor

  /// The interactor that the child, or each of the children, is.
  associatedtype Child: Interactor
}

/// Converts the mutations and actions of a single child: the common part of ``Scope`` and ``OptionalScope``.
public protocol SingleChildScope<Parent, Child>: ChildScope {
  /// The parent's mutation that carries one of the child.
  ///
  /// With an ``OptionalScope`` the parent's `reduce` may remove the child by it, and that child's own children, but no other child:
  /// after a mutation that the child has decided or its run has emitted the store looks for no other. Runs of another child that is
  /// removed nevertheless end with the next commit that is not one of a child.
  static func mutation(_ mutation: Child.Mutation) -> Parent.Mutation

  /// The parent's action that carries one of the child: for the actions that the child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action) throws -> Parent.Action
}

extension SingleChildScope {
  /// Throws an error that names the missing method.
  public static func action(_ action: Child.Action) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:)")
  }
}

/// Locates a child in its parent: which part of the state is the child's, and which mutation carries one of its own.
///
/// A scope is a type without values; its functions are static, so that the compiler sees through any number of levels:
///
/// ```swift
/// enum ProfileScope: Scope {
///   typealias Parent = App
///   typealias Child = Profile
///
///   static func state(of parent: App.State) -> Profile.State { parent.profile }
///   static func mutation(_ mutation: Profile.Mutation) -> App.Mutation { .profile(mutation) }
/// }
/// ```
///
/// It belongs to one position in the parent. Two children of the same type have two scopes, because its scope tells the keys of a child's
/// plans apart from the keys of other children.
public protocol Scope<Parent, Child>: SingleChildScope {
  /// The child's part of the parent's state.
  ///
  /// Called with the store's lock: quick and free of effects.
  static func state(of parent: Parent.State) -> Child.State
}

/// Forwards to the child, or the children of one kind, that a scope names in their parent.
///
/// It is not an interactor: it takes the child's actions and the parent's state, and the parent calls it where it says
/// what becomes of an action that is the child's.
///
/// **A ``Scope``** has a child that is always there. The parent's `reduce` calls the child's own `reduce(into:
/// &state.profile, mutation: mutation)`. A level costs a few nanoseconds an action, if the parent asks with `switch`,
/// for `if case` copies the action. Where a key path and a closure are enough, see ``KeyPathScoped``.
///
/// **An ``OptionalScope``** has a child that its parent may have or not have, and beyond that:
///
/// - **An action for a child that is not there** is rejected as ``Rejection/missingChild(_:)`` and never taken up.
/// - **An action belongs to the child** that exists when the action is accepted, if the parent forwards `plan` and `decide`, whatever
///   the action waits for after that.
/// - **The commit that removes the child** ends its actions in the same step. One that was taken up ends as ``Outcome/cancelled``: the task of
///   its handler is cancelled, and nothing it emits later is committed. One that waits undecided ends as
///   ``Rejection/missingChild(_:)``. A later child gets nothing of them.
/// - **Its later mutations** change nothing, because ``OptionalScope/reduce(into:mutation:)`` finds no child. The closing mutation of a run
///   that ended with the child is one of them; if another child is in its place, ``closing(_:outcome:)`` returns nil.
///
/// The store sees whether the child exists after each mutation: a child that one mutation replaces by another is the same child.
///
/// **An ``EachScope``** has children that are told apart by their ids, with the same guarantees for each.
///
/// **Cost.** The number of runs that one child has costs a commit nothing. A mutation that a child of an ``EachScope`` decides or its
/// run emits costs one call of ``EachScope/state(of:in:)``; any other commit costs one for each child that has runs, or for each of
/// them that ``EachScope/mayRemoveChildren(_:)`` names.
@frozen
public struct Scoped<S: ChildScope>: Sendable {
  @usableFromInline let child: S.Child

  /// Creates a forwarder to `child`, which `S` names in its parent; it handles the actions of every child there.
  @inlinable
  public init(_ child: S.Child) {
    self.child = child
  }
}

extension Scoped where S: SingleChildScope {
  /// The child's closing mutation; nil if the child was removed and another one is in its place.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, outcome: Outcome) -> S.Parent.Mutation? {
    if ReplacedChild.has(ChildMark(scope: S.self)) { return nil }
    return child.closing(action, outcome: outcome).map { S.mutation($0) }
  }

  /// The name of a key of the child's plans in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:key:)``.
  ///
  /// Of a child of a child it is made from the inner one: `outer.key(inner.key("search"))`.
  public func key(_ key: some Hashable & Sendable) -> some Hashable & Sendable {
    ScopedKey(scope: PlanKey(scope: S.self), key: PlanKey(key))
  }
}

extension Scoped where S: Scope {
  /// The decision of the child on its part of the state.
  @inlinable
  @inline(__always)
  public func decide(_ action: S.Child.Action, state: S.Parent.State) -> Decision<S.Parent.Mutation> {
    child.decide(action, state: S.state(of: state))
      .mapMutations(ofPart: UInt(bitPattern: ObjectIdentifier(S.self))) {
        S.mutation($0)
      } _: { inner in
        { Self.conditions(around: inner()) }
      }
  }

  /// Returns the child's `handle` as an effect of the parent; both have one task and its cancellation.
  ///
  /// ``Run/state`` of the child is its part of the parent's newest state. Id, attempt, idempotency key, clock and context are
  /// those of the parent's run; ``Run/send(_:)`` of the child sends what ``SingleChildScope/action(_:)`` makes of its action. A child that
  /// returns another sequence than an ``Effect`` is called when the effect runs, with the newest state; errors pass through.
  @inlinable
  public func handle(_ action: S.Child.Action, state: S.Parent.State) async -> Effect<S.Parent> {
    await child.effect(of: action, at: .scope(ObjectIdentifier(S.self)), state: S.state(of: state)) {
      S.state(of: $0)
    } mutation: {
      S.mutation($0)
    } sent: {
      try S.action($0)
    }
  }

  /// The child's plan on its part of the state; its keys belong to this scope, so that equal keys of other children are others.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, state: S.Parent.State) -> Plan {
    child.plan(for: action, state: S.state(of: state)).within(PlanKey(scope: S.self)) { Self.conditions(around: $0) }
  }

  /// The conditions of an action of the child for the parent.
  @inlinable
  @inline(never)
  static func conditions(around inner: [LifetimeCondition]) -> [LifetimeCondition] {
    inner.map { $0.within(.scope(ObjectIdentifier(S.self))) { (state: S.Parent.State) in S.state(of: state) } }
  }
}
