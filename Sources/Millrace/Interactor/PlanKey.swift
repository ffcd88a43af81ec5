/// What actions that meet have in common, compared together with its type.
///
/// Without the type `1` and `1.0` would be one key, as they are for `AnyHashable`.
@usableFromInline
package struct PlanKey: Hashable, @unchecked Sendable {  // What it wraps was Sendable when it came in.
  private let value: AnyHashable
  private let type: ObjectIdentifier

  @usableFromInline
  package init<Key: Hashable & Sendable>(_ key: Key) {
    value = AnyHashable(key)
    type = ObjectIdentifier(Swift.type(of: key))
  }

  /// The place of a child: its scope.
  @usableFromInline
  @inline(never)
  package init(scope: any Any.Type) {
    self.init(ObjectIdentifier(scope))
  }

  /// The place of a child: its scope, and which one it is there.
  @usableFromInline
  @inline(never)
  package init(scope: any Any.Type, id: some Hashable & Sendable) {
    self.init(ChildPlace(ObjectIdentifier(scope), id))
  }
}
