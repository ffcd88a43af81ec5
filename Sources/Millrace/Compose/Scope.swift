/// Says where a child stands in its parent: which part of the state is the child's, and which mutation carries one of its own.
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
/// It stands for one place. Two children of the same type have two scopes, for the keys of a child's plans are told from
/// those of others by its scope.
public protocol Scope<Parent, Child>: SendableMetatype {
  /// The interactor that has the child.
  associatedtype Parent: Interactor

  /// The interactor that is the child.
  associatedtype Child: Interactor

  /// The child's part of the parent's state.
  ///
  /// Called with the store's lock: quick and free of effects.
  static func state(of parent: Parent.State) -> Child.State

  /// The parent's mutation that carries one of the child.
  static func mutation(_ mutation: Child.Mutation) -> Parent.Mutation

  /// The parent's action that carries one of the child: for the actions that the child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action) throws -> Parent.Action
}

extension Scope {
  /// Throws an error that says what to add.
  public static func action(_ action: Child.Action) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:)")
  }
}

/// Forwards to a child that stands at one place of its parent's state.
///
/// It is not an interactor: it takes the child's actions and the parent's state, and the parent calls it where it says
/// what becomes of an action that is the child's. The parent's `reduce` calls the child's own
/// `reduce(into: &state.profile, mutation: mutation)`.
///
/// A level costs a few nanoseconds an action, if the parent asks with `switch`, for `if case` copies the action. Where a
/// key path and a closure are enough, see ``KeyPathScoped``; where the child may be absent, ``OptionalScoped`` and
/// ``EachScoped``.
@frozen
public struct Scoped<S: Scope>: Sendable {
  @usableFromInline let child: S.Child

  /// Makes a forwarder to `child`, which stands where `S` says.
  @inlinable
  public init(_ child: S.Child) {
    self.child = child
  }

  /// What the child decides on its part of the state.
  @inlinable
  @inline(__always)
  public func decide(_ action: S.Child.Action, state: S.Parent.State) -> Decision<S.Parent.Mutation> {
    child.decide(action, state: S.state(of: state)).mapMutations { S.mutation($0) }
  }

  /// What the child's `handle` does, as an effect of the parent.
  ///
  /// ``Run/state`` of the child is its part of the parent's newest state. Id, attempt, idempotency key, clock and context are
  /// those of the parent's run; ``Run/send(_:)`` of the child sends what ``Scope/action(_:)`` makes of its action. A child that
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

  /// The child's plan; its keys are those of this scope, so that they meet no equal keys of others.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action) -> Plan {
    child.plan(for: action).within(PlanKey(scope: S.self))
  }

  /// The child's plan on its part of the state, with the keys of ``plan(for:)``.
  @inlinable
  @inline(__always)
  public func plan(for action: S.Child.Action, state: S.Parent.State) -> Plan {
    child.plan(for: action, state: S.state(of: state)).within(PlanKey(scope: S.self))
  }

  /// The child's closing mutation.
  @inlinable
  @inline(__always)
  public func closing(_ action: S.Child.Action, outcome: Outcome) -> S.Parent.Mutation? {
    child.closing(action, outcome: outcome).map { S.mutation($0) }
  }

  /// What a key of the child's plans is called in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``.
  ///
  /// Of a child of a child it is made from the inner one: `outer.key(inner.key("search"))`.
  public func key(_ key: some Hashable & Sendable) -> some Hashable & Sendable {
    ScopedKey(scope: PlanKey(scope: S.self), key: PlanKey(key))
  }
}
