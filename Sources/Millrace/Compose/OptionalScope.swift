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
public protocol OptionalScope<Parent, Child>: SendableMetatype {
  /// The interactor that may have the child.
  associatedtype Parent: Interactor

  /// The interactor that is the child.
  associatedtype Child: Interactor

  /// The child's part of the parent's state, or nil when there is no child.
  ///
  /// Called with the store's lock, after each commit while a run of the child is in flight: quick and free of effects.
  static func state(of parent: Parent.State) -> Child.State?

  /// The parent's mutation that carries one of the child.
  static func mutation(_ mutation: Child.Mutation) -> Parent.Mutation

  /// The parent's action that carries one of the child: for the actions that the child's run sends by ``Run/send(_:)``.
  ///
  /// Optional: without it such an action is rejected as ``Rejection/notSent(_:)`` with a sentence that says so, and the store
  /// reports ``Incident/Kind/missingAction``. Called by the sender: quick and free of effects.
  ///
  /// - Throws: An error to reject the action with; a scope that carries every action is written without `throws`.
  static func action(_ action: Child.Action) throws -> Parent.Action

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

  /// Throws an error that says what to add.
  public static func action(_ action: Child.Action) throws -> Parent.Action {
    throw MissingAction(of: Child.Action.self, scope: Self.self, "action(_:)")
  }
}
