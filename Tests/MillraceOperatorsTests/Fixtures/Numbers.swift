/// The numbers from 0, counted by each iterator for itself, until its task is cancelled.
struct Numbers: AsyncSequence, Sendable {
  typealias Failure = Never

  var count: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: 0..<count)
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Range<Int>

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      Task.isCancelled ? nil : rest.popFirst()
    }

    mutating func next() async -> Int? {
      await next(isolation: #isolation)
    }
  }
}
