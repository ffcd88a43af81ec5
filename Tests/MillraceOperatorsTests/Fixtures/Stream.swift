/// A sequence that has these elements at once, and cannot fail.
func stream<Element: Sendable>(_ elements: Element...) -> AsyncStream<Element> {
  AsyncStream { source in
    for element in elements { source.yield(element) }
    source.finish()
  }
}

extension AsyncSequence {
  /// All elements, to the end.
  func all() async throws(Failure) -> [Element] {
    var elements: [Element] = []
    for try await element in self { elements.append(element) }
    return elements
  }
}
