import MillraceOperators
import MillraceTesting
import Testing

@Suite("merge", .timeLimit(.minutes(1)))
struct MergeTests {
  @Test("Elements come as the bases have them, and the end when all have ended")
  func order() async throws {
    let (first, second, third) = (Tap<Int>(), Tap<Int>(), Tap<Int>())
    let merged = Recorder<Int>()
    let task = merged.record(from: merge(first, second, third))
    second.offer([1])
    #expect(try await merged.next() == 1)
    first.offer([2])
    #expect(try await merged.next() == 2)
    first.finish()
    third.offer([3])
    #expect(try await merged.next() == 3)
    third.finish()
    second.offer([4])
    #expect(try await merged.next() == 4)
    second.finish()
    try await task.value
    #expect(merged.recorded == [1, 2, 3, 4])
  }

  @Test("Merging two that cannot fail cannot fail, and has all elements, each base's in its order")
  func typed() async {
    let elements = await merge(stream(1, 2, 3), stream(10, 20, 30)).all()
    #expect(elements.filter { $0 < 10 } == [1, 2, 3])
    #expect(elements.filter { $0 >= 10 } == [10, 20, 30])
    #expect(await merge(stream(1), stream(2), stream(3)).all().sorted() == [1, 2, 3])
  }

  @Test("A base is not asked again before the consumer has taken its element and demands another one")
  func backpressure() async throws {
    let (first, second) = (Tap(1, 2), Tap<Int>())
    var iterator = merge(first, second).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(first.asks.recorded.count == 1)
    #expect(try await iterator.next() == 2)
    #expect(first.asks.recorded.count == 2)
    try await second.asks.next()
    #expect(second.asks.recorded.count == 1)
  }

  @Test("Elements before an error are delivered, then the error of its own type, then the end")
  func typedFailure() async throws {
    var iterator = merge(Failing(after: 2), Failing(after: 2)).makeAsyncIterator()
    do throws(Mishap) {
      var elements: [Int] = []
      while let element = try await iterator.next() { elements.append(element) }
      Issue.record("It has to fail, and gave \(elements)")
    } catch {
      #expect(error == Mishap())
    }
    #expect(try await iterator.next() == nil)
  }

  @Test("A base that cannot fail is merged with one that can, through a function that might throw")
  func differentFailures() async throws {
    @Sendable func pass(_ number: Int) throws -> Int { number }
    let failing = Tap(2)
    failing.finish()
    #expect(try await merge(stream(1).map { try pass($0) }, failing).all().sorted() == [1, 2])
  }

  @Test("nil is an element")
  func optionals() async {
    #expect(await merge(stream(nil as Int?), stream(nil)).all() == [nil, nil])
  }
}

/// Numbers from 0 on, then an error.
private struct Failing: AsyncSequence, Sendable {
  var after: Int

  func makeAsyncIterator() -> Iterator { Iterator(rest: after) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Int

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Mishap) -> Int? {
      rest -= 1
      guard rest >= 0 else { throw Mishap() }
      return rest
    }

    mutating func next() async throws(Mishap) -> Int? {
      try await next(isolation: #isolation)
    }
  }
}
