import MillraceOperators
import MillraceTesting
import Testing

@Suite("combineLatest", .timeLimit(.minutes(1)))
struct CombineLatestTests {
  @Test("It begins when both have an element, with the newest, and continues with each; it ends when both have ended")
  func two() async throws {
    let (numbers, words) = (Tap<Int>(), Tap<String>())
    let combined = Recorder<String>()
    let task = combined.record(from: combineLatest(numbers, words).map { "\($0)\($1)" })
    try await numbers.asks.next()
    try await numbers.feed(1)
    try await numbers.feed(2)
    words.offer(["a"])
    #expect(try await combined.next() == "2a")
    words.offer(["b"])
    #expect(try await combined.next() == "2b")
    words.finish()
    numbers.offer([3])
    #expect(try await combined.next() == "3b")
    numbers.finish()
    try await task.value
    #expect(combined.recorded == ["2a", "2b", "3b"])
  }

  @Test("Three begin when all have an element")
  func three() async throws {
    let (first, second, third) = (Tap<Int>(), Tap<Int>(), Tap<Int>())
    let combined = Recorder<[Int]>()
    let task = combined.record(from: combineLatest(first, second, third).map { [$0, $1, $2] })
    for tap in [first, second, third] { try await tap.asks.next() }
    try await third.feed(3)
    try await first.feed(1)
    second.offer([2])
    #expect(try await combined.next() == [1, 2, 3])
    third.offer([4])
    #expect(try await combined.next() == [1, 2, 4])
    for tap in [first, second, third] { tap.finish() }
    try await task.value
  }

  @Test("It ends at once when a base ends without an element, and the other one is read no more")
  func impossible() async throws {
    let (first, second) = (Tap(1), Tap<Int>())
    let task = Recorder<Int>().record(from: combineLatest(first, second).map { $0 + $1 })
    _ = try await first.asks.next(2)
    second.finish()
    try await task.value
    try await first.gone.enter()
  }

  @Test("Once complete, each element makes a combination, however slow the consumer is")
  func slowConsumer() async throws {
    let (first, second) = (Tap(1), Tap<Int>())
    let complete = Gate()
    let sums = Task {
      var sums: [Int] = []
      for try await (first, second) in combineLatest(first, second) {
        sums.append(first + second)
        try await complete.enter()
      }
      return sums
    }
    // The first element was taken, since another one is asked for.
    _ = try await first.asks.next(2)
    second.offer([10])
    try await complete.waitForArrivals()
    second.offer([20, 30])
    second.finish()
    first.finish()
    complete.open()
    #expect(try await sums.value == [11, 21, 31])
  }

  @Test("nil is an element, and completes a combination")
  func optionals() async {
    let pairs = await combineLatest(stream(nil as Int?), stream(1)).all()
    #expect(pairs.map(\.1) == [1])
    #expect(pairs.map(\.0) == [nil])
  }

  @Test("The error of a base comes after the combinations before it")
  func failure() async throws {
    let (first, second) = (Tap(1), Tap(2))
    var iterator = combineLatest(first, second).makeAsyncIterator()
    #expect(try await iterator.next()! == (1, 2))
    first.finish(throwing: Mishap())
    await #expect(throws: Mishap()) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    try await second.gone.enter()
  }
}
