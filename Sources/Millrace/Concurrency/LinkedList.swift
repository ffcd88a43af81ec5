/// Something that knows its neighbours in the one list that holds it.
@usableFromInline
package protocol Linked: AnyObject {
  /// The list's own.
  var previous: Self? { get set }
  var following: Self? { get set }
}

/// A list in the order of its appends, linked through its elements, so that each is taken out at once.
///
/// An element stands in one list at most.
@usableFromInline
@frozen
package struct LinkedList<Element: Linked> {
  @usableFromInline package var first: Element?
  @usableFromInline package var last: Element?

  @inlinable
  package init() {}

  @inlinable package var isEmpty: Bool { first == nil }

  @inlinable
  package mutating func append(_ element: Element) {
    element.previous = last
    if let last { last.following = element } else { first = element }
    last = element
  }

  /// Takes the element out, if it stands in a list, which has to be this one.
  @inlinable
  package mutating func remove(_ element: Element) {
    let (previous, following) = (element.previous, element.following)
    guard previous != nil || following != nil || first === element else { return }
    if let previous { previous.following = following } else { first = following }
    if let following { following.previous = previous } else { last = previous }
    element.previous = nil
    element.following = nil
  }

  @inlinable
  package mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
    remove(element)
    return element
  }

  /// The results of `transform`, in the order of the elements.
  func map<Value>(_ transform: (Element) -> Value) -> [Value] {
    var values: [Value] = []
    var next = first
    while let element = next {
      values.append(transform(element))
      next = element.following
    }
    return values
  }
}

/// Something that knows where it stands in the one list that holds it.
protocol Indexed: AnyObject {
  /// The index in that list; the list's own.
  var index: Int? { get set }
}

/// A list from which each element is taken at once, wherever it stands.
struct IndexedList<Element: Indexed> {
  private(set) var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  /// Adds an element, unless it stands here.
  mutating func insert(_ element: Element) {
    guard element.index == nil else { return }
    element.index = elements.count
    elements.append(element)
  }

  /// Takes the element out, if it stands here; the last one takes its index.
  mutating func remove(_ element: Element) {
    guard let index = element.index else { return }
    element.index = nil
    let last = elements.removeLast()
    guard last !== element else { return }
    elements[index] = last
    last.index = index
  }

  mutating func takeAll() -> [Element] {
    let taken = elements
    elements = []
    for element in taken { element.index = nil }
    return taken
  }
}

extension IndexedList: Sendable where Element: Sendable {}
