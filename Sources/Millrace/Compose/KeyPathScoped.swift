/// Forwards to a child at a key path of its parent's state: ``Scoped`` without a scope type.
///
/// ```swift
/// let profile = KeyPathScoped<App, Profile>(Profile(), state: \.profile) { .profile($0) }
/// ```
///
/// The compiler does not see through a key path and a closure, so each level costs some 30 nanoseconds an action.
public struct KeyPathScoped<Parent: Interactor, Child: Interactor>: Sendable {
  /// The parts of a forwarder in one object, so that each copy of a forwarder costs one reference.
  @usableFromInline let content: Content

  /// Creates a forwarder to `child`.
  ///
  /// - Parameters:
  ///   - child: the child.
  ///   - state: the key path of its state, which also tells the keys of its plans apart from the keys of other children.
  ///   - mutation: the parent's mutation that carries one of the child.
  ///   - action: the parent's action that carries one of the child, for actions that the child's run sends; without it they
  ///     are rejected as ``Rejection/notSent(_:)``, as they are with the error that this throws.
  @inlinable
  public init(
    _ child: Child, state: any KeyPath<Parent.State, Child.State> & Sendable,
    mutation: @escaping @Sendable (Child.Mutation) -> Parent.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> Parent.Action = { _ in
      throw MissingAction(of: Child.Action.self, fix: "pass `action` to its `KeyPathScoped`.")
    }
  ) {
    content = Content(child, state, mutation, action)
  }

  /// The decision of the child on its part of the state.
  @inlinable
  @inline(__always)
  public func decide(_ action: Child.Action, state parent: Parent.State) -> Decision<Parent.Mutation> {
    content.child.decide(action, state: content.part(of: parent)).mapMutations(
      ofPart: content.position, content.mutation
    ) { inner in
      { conditions(around: inner()) }
    }
  }

  /// Returns the child's `handle` as an effect of the parent, as ``Scoped`` does; both have one task and its cancellation.
  @inlinable
  public func handle(_ action: Child.Action, state parent: Parent.State) async -> Effect<Parent> {
    await content.child.effect(
      of: action, at: .keyPath(content.state), state: content.part(of: parent),
      newest: { [content] in content.part(of: $0) },
      mutation: content.mutation, sent: content.action)
  }

  /// The child's plan on its part of the state; its keys belong to this key path, so that equal keys of other children are others.
  @inlinable
  @inline(__always)
  public func plan(for action: Child.Action, state parent: Parent.State) -> Plan {
    content.child.plan(for: action, state: content.part(of: parent)).within(PlanKey(content.state)) {
      conditions(around: $0)
    }
  }

  /// The conditions of an action of the child for the parent.
  @inlinable
  @inline(never)
  func conditions(around inner: [LifetimeCondition]) -> [LifetimeCondition] {
    inner.map { $0.within(.keyPath(content.state)) { [content] in content.part(of: $0) } }
  }

  /// The child's closing mutation.
  @inlinable
  public func closing(_ action: Child.Action, outcome: Outcome) -> Parent.Mutation? {
    content.child.closing(action, outcome: outcome).map(content.mutation)
  }

  /// The name of a key of the child's plans in the parent's, for ``Store/cancel(key:)`` and ``Store/setLimit(_:key:)``.
  ///
  /// Of a child of a child it is made from the inner one: `outer.key(inner.key("search"))`.
  public func key(_ key: some Hashable & Sendable) -> some Hashable & Sendable {
    ScopedKey(scope: PlanKey(content.state), key: PlanKey(key))
  }
}

extension KeyPathScoped {
  /// A child, and where it stands in its parent.
  @usableFromInline
  final class Content: Sendable {
    @usableFromInline let child: Child
    @usableFromInline let state: any KeyPath<Parent.State, Child.State> & Sendable
    @usableFromInline let mutation: @Sendable (Child.Mutation) -> Parent.Mutation
    @usableFromInline let action: @Sendable (Child.Action) throws -> Parent.Action

    /// The position of the child for marks of its own children.
    @usableFromInline let position: UInt

    /// The number of bytes before the part in its parent, if it is stored there; nil for one that has to be computed.
    @usableFromInline let offset: Int?

    @inlinable
    init(
      _ child: Child, _ state: any KeyPath<Parent.State, Child.State> & Sendable,
      _ mutation: @escaping @Sendable (Child.Mutation) -> Parent.Mutation,
      _ action: @escaping @Sendable (Child.Action) throws -> Parent.Action
    ) {
      self.child = child
      self.state = state
      self.mutation = mutation
      self.action = action
      position = PartPosition.keyPath(state).bits
      offset = MemoryLayout<Parent.State>.offset(of: state)
    }

    /// The child's part of the state.
    ///
    /// A stored part is read where it stands: for such a part alone `MemoryLayout.offset(of:)` answers an offset. Ten levels take
    /// 38 times a decided action this way, and 209 times by their key paths.
    @inlinable
    @inline(__always)
    func part(of parent: Parent.State) -> Child.State {
      guard let offset else { return parent[keyPath: state] }
      return withUnsafePointer(to: parent) { parent in
        UnsafeRawPointer(parent).advanced(by: offset).assumingMemoryBound(to: Child.State.self).pointee
      }
    }
  }
}
