/// The origin of a mutation that is committed, which says which children the commit may have removed.
@usableFromInline
enum CommitOrigin {
  /// The store's interactor: any child that has runs, or those that a scope names.
  case whole
  /// A run of this child: it and its own children.
  case run(of: RemovableChild)
  /// A decision that a scope has forwarded for the child with this mark: it and its own children.
  case decision(of: ChildMark)

  /// The origin of the mutations of a decision of this child.
  @inlinable
  init(_ child: ChildMark) {
    self = child == .none ? .whole : .decision(of: child)
  }
}

/// A child that exists.
@usableFromInline
struct ExistingChild: Sendable {
  /// The child, for the mutations that its runs emit; nil outside a store.
  @usableFromInline let child: RemovableChild?

  @usableFromInline
  init(_ child: RemovableChild?) {
    self.child = child
  }
}
