/// Says where the children of one kind stand in their parent, each by its id.
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
/// It stands for one place; see ``Scope``.
public protocol EachScope<Parent, Child, ID>: SendableMetatype {
  /// The interactor that has the children.
  associatedtype Parent: Interactor

  /// The interactor that each child is.
  associatedtype Child: Interactor

  /// What tells the children of one parent from each other.
  associatedtype ID: Hashable & Sendable

  /// A child's part of the parent's state, or nil when there is no child with this id.
  ///
  /// Called with the store's lock, after each commit once for each run of a child that is in flight: quick and free of effects.
  static func state(of id: ID, in parent: Parent.State) -> Child.State?

  /// The parent's mutation that carries one of a child.
  static func mutation(_ mutation: Child.Mutation, of id: ID) -> Parent.Mutation

  /// The parent's action that carries one of a child: for the actions that a child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action, of id: ID) throws -> Parent.Action

  /// Lets `body` change a child's state, in place; does nothing when there is no child with this id.
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

  /// Throws an error that says what to add.
  public static func action(_ action: Child.Action, of id: ID) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:of:)")
  }
}
