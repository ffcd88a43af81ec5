/// The key of a child's plan, as the store knows it: with the child's place before it.
///
/// ``Scoped/key(_:)`` and its like make one, for ``Store/cancel(key:)`` and ``Store/setLimit(_:for:)``. Of a child of a
/// child it is made from the inner one: `outer.key(inner.key("search"))`.
public struct ScopedKey: Hashable, Sendable {
  private let scope: PlanKey
  private let key: PlanKey

  package init(scope: PlanKey, key: PlanKey) {
    self.scope = scope
    self.key = key
  }
}

/// Which of several children: what stands before its keys.
struct ChildPlace<ID: Hashable & Sendable>: Hashable, Sendable {
  private let scope: ObjectIdentifier
  private let id: ID

  init(_ scope: ObjectIdentifier, _ id: ID) {
    self.scope = scope
    self.id = id
  }
}
