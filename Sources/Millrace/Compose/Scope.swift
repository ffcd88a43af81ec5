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
