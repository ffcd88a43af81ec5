/// A path that is reconciled from its end: pop down to the common part, change once, push the rest.
///
/// ```swift
/// let old: ReconciledPath = ["a", "b", "c"]
/// old.operations(toward: ["a", "d", "e"])   // pop "c" at 2, change "b" to "d" at 1, push "e" at 2
/// ```
///
/// The operations are as in ReSwift-Router: the common beginning of both paths does not change. The element after that is changed
/// where both have one; those behind it are popped first, the last one first, and pushed afterwards.
public struct ReconciledPath<Element: Equatable & Sendable>: Reconcilable, ExpressibleByArrayLiteral {
  /// One step along the path; positions are counted from 0.
  public enum Operation: Sendable, Equatable {
    /// Takes away the last element, which stands at this position.
    case pop(Element, at: Int)
    /// Puts another element in the place of the last one, which stands at this position.
    case change(at: Int, from: Element, to: Element)
    /// Adds an element behind the last one, so that it stands at this position.
    case push(Element, at: Int)
  }

  /// The elements, the root first.
  public var elements: [Element]

  /// A path of these elements, the root first.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
  }

  /// A path of these elements, the root first.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }

  /// The pops, at most one change, and the pushes that lead to the desired path, in this order.
  public func operations(toward desired: ReconciledPath) -> [Operation] {
    let old = elements
    let new = desired.elements
    let common = zip(old, new).prefix { $0 == $1 }.count
    // The first element after the common part is changed where both have one, so it is neither popped nor pushed.
    let isChanged = common < old.count && common < new.count
    let kept = isChanged ? common + 1 : common
    var operations: [Operation] = old.indices.dropFirst(kept).reversed().map { .pop(old[$0], at: $0) }
    if isChanged { operations.append(.change(at: common, from: old[common], to: new[common])) }
    operations += new.indices.dropFirst(kept).map { .push(new[$0], at: $0) }
    return operations
  }

  /// Applies an operation that was performed to this path; one whose position does not fit changes nothing.
  public mutating func apply(_ operation: Operation) {
    switch operation {
    case .pop(_, let position):
      if position >= 0, position == elements.count - 1 { elements.removeLast() }
    case .change(let position, _, let element):
      if elements.indices.contains(position) { elements[position] = element }
    case .push(let element, let position):
      if position == elements.count { elements.append(element) }
    }
  }
}

extension ReconciledPath: Hashable where Element: Hashable {}
