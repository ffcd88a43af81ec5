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
