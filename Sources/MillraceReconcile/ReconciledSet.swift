/// A set that is reconciled by removing undesired elements, then adding missing ones.
///
/// ```swift
/// let subscribed: ReconciledSet = ["a", "b"]
/// subscribed.operations(toward: ["b", "d", "c"])   // remove "a", add "c", add "d"
/// ```
///
/// Elements are removed in ascending order, and then added in ascending order, so that equal sets give equal operations in
/// every process, whatever was inserted first.
public struct ReconciledSet<Element: Hashable & Comparable & Sendable>: Reconcilable, Hashable,
  ExpressibleByArrayLiteral
{
  /// One step of an element into the set or out of it.
  public enum Operation: Sendable, Hashable {
    /// Takes an element away.
    case remove(Element)
    /// Adds an element.
    case add(Element)
  }

  /// The elements.
  public var elements: Set<Element>

  /// A set of these elements; equal ones count once.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
  }

  /// A set of these elements; equal ones count once.
  public init(arrayLiteral elements: Element...) {
    self.elements = Set(elements)
  }

  /// The removals and then the additions that lead to the desired set, each in ascending order.
  public func operations(toward desired: ReconciledSet) -> [Operation] {
    let removed = elements.subtracting(desired.elements).sorted()
    let added = desired.elements.subtracting(elements).sorted()
    return removed.map { .remove($0) } + added.map { .add($0) }
  }

  /// Applies an operation that was performed to this set.
  public mutating func apply(_ operation: Operation) {
    switch operation {
    case .remove(let element): elements.remove(element)
    case .add(let element): elements.insert(element)
    }
  }
}
