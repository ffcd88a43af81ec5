/// A value that operations, in an order, can bring from its present to its desired form.
///
/// **The law.** For all `a` and `b`: applying each operation of `a.operations(toward: b)` to `a`, in order, makes `b`.
/// Between equal values there is none.
///
/// A ``Reconciler`` asks for the operations once a desire, and goes through them; it asks anew when the desire changes. Both
/// methods are pure and quick: they are called with a lock held, and must not use the reconciler.
public protocol Reconcilable: Sendable, Equatable {
  /// One step, which is performed and acknowledged as a whole.
  associatedtype Operation: Sendable, Equatable

  /// The operations that lead from this value to the desired one, in order.
  func operations(toward desired: Self) -> [Operation]

  /// Applies an operation that was performed to this value.
  ///
  /// An operation that does not fit this value changes nothing, or as much of it as fits; it never traps.
  mutating func apply(_ operation: Operation)
}
