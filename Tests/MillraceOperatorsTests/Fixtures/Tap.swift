import MillraceTesting

/// A sequence for one reader, to which a test adds elements; the test sees when it is asked and when it is released.
final class Tap<Element: Sendable>: AsyncSequence, Sendable {
  typealias Failure = any Error

  /// One for each time that it was asked for an element.
  let asks = Recorder<Void>()
  /// Opens when the iterator was dropped.
  let gone = Gate()
  /// Opens when nothing holds the sequence any more.
  private let freed: Gate
  private let stream: AsyncThrowingStream<Element, any Error>
  private let source: AsyncThrowingStream<Element, any Error>.Continuation

  init(_ elements: Element..., freed: Gate = Gate()) {
    self.freed = freed
    (stream, source) = AsyncThrowingStream.makeStream()
    offer(elements)
  }

  deinit { freed.open() }

  /// Adds elements for the reader.
  func offer(_ elements: [Element]) {
    for element in elements { source.yield(element) }
  }

  /// Delivers an element to the consumer, and waits until the consumer asks for the next one.
  func feed(_ element: Element) async throws {
    offer([element])
    try await asks.next()
  }

  /// Ends behind what was offered.
  func finish(throwing error: (any Error)? = nil) {
    source.finish(throwing: error)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(asks: asks, visit: Visit(gone), base: stream.makeAsyncIterator())
  }

  /// Lives as long as the iterator.
  final class Visit: Sendable {
    private let gone: Gate

    init(_ gone: Gate) { self.gone = gone }

    deinit { gone.open() }
  }

  struct Iterator: AsyncIteratorProtocol {
    let asks: Recorder<Void>
    let visit: Visit
    var base: AsyncThrowingStream<Element, any Error>.Iterator

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      asks.record(())
      return try await base.next(isolation: actor)
    }

    mutating func next() async throws -> Element? {
      try await next(isolation: #isolation)
    }
  }
}
