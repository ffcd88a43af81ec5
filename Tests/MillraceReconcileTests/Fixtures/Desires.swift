import MillraceTesting

/// A sequence for one observer, which a test gives its elements and knows of each when it was looked at.
final class Desires<Element: Sendable>: AsyncSequence, Sendable {
  typealias Failure = Never

  private let stream: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation
  private let given = Box(0)
  /// Its arrivals are how often an element was asked for.
  private let asked = Gate()

  init() {
    (stream, continuation) = AsyncStream.makeStream()
    asked.open()
  }

  /// Delivers an element, and returns when the observer asks for the next one.
  func give(_ element: Element) async throws {
    let number = given.update {
      $0 += 1
      return $0
    }
    continuation.yield(element)
    try await asked.waitForArrivals(number + 1)
  }

  /// Ends the sequence.
  func finish() {
    continuation.finish()
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(asked: asked, elements: stream.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let asked: Gate
    fileprivate var elements: AsyncStream<Element>.Iterator

    mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await asked.enterIgnoringCancellation()
      return await elements.next(isolation: actor)
    }

    mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }
  }
}
