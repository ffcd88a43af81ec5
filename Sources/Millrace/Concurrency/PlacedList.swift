/// Something that knows where it stands in the one list that holds it.
protocol Placed: AnyObject {
  /// The index in that list; the list's own.
  var place: Int? { get set }
}

/// A list from which each element is taken at once, wherever it stands.
struct PlacedList<Element: Placed> {
  private(set) var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  /// Adds an element, unless it stands here.
  mutating func insert(_ element: Element) {
    guard element.place == nil else { return }
    element.place = elements.count
    elements.append(element)
  }

  /// Takes the element out, if it stands here; the last one takes its place.
  mutating func remove(_ element: Element) {
    guard let place = element.place else { return }
    element.place = nil
    let last = elements.removeLast()
    guard last !== element else { return }
    elements[place] = last
    last.place = place
  }

  mutating func takeAll() -> [Element] {
    let taken = elements
    elements = []
    for element in taken { element.place = nil }
    return taken
  }
}
