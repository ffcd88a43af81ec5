@testable import Millrace

/// A list to which a test adds from any thread.
final class Notes<Element: Sendable>: Sendable {
  private let elements = Lock<[Element]>([])

  /// All that was noted so far.
  var all: [Element] { elements.withLock { $0 } }

  /// Notes an element.
  func note(_ element: Element) {
    elements.withLock { $0.append(element) }
  }
}
