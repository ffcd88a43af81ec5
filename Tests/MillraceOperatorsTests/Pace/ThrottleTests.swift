import MillraceOperators
import MillraceTesting
import Testing

@Suite("throttle", .timeLimit(.minutes(1)))
struct ThrottleTests {
  private let clock = TestClock()
  private let tap = Tap<Int>()
  private let delivered = Recorder<Int>()

  private func begin(latest: Bool) async throws -> Task<Void, any Error> {
    let task = delivered.record(from: tap.throttle(for: .seconds(3), clock: clock, latest: latest))
    try await tap.asks.next()
    return task
  }

  @Test(
    "The first comes at once, then one at the end of each interval: the newest, or the first", arguments: [true, false])
  func intervals(latest: Bool) async throws {
    let task = try await begin(latest: latest)
    try await tap.feed(1)
    #expect(try await delivered.next() == 1)
    try await tap.feed(2)
    try await tap.feed(3)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    #expect(try await delivered.next() == (latest ? 3 : 2))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    // An interval in which nothing came: the next one passes at once.
    try await tap.feed(4)
    #expect(try await delivered.next() == 4)
    tap.finish()
    try await task.value
    #expect(clock.now.offset == .seconds(6))
  }

  @Test("An element that waits is delivered at once when the base ends, then the end", arguments: [true, false])
  func end(latest: Bool) async throws {
    let task = try await begin(latest: latest)
    for number in 1...3 { try await tap.feed(number) }
    tap.finish()
    try await task.value
    #expect(delivered.recorded == [1, latest ? 3 : 2])
    #expect(clock.sleepers == 0)
  }

  @Test("An interval begins when the consumer gets the element")
  func slowConsumer() async throws {
    var iterator = tap.throttle(for: .seconds(3), clock: clock).makeAsyncIterator()
    tap.offer([1])
    #expect(try await iterator.next() == 1)
    _ = try await tap.asks.next(2)
    try await tap.feed(2)
    clock.advance(by: .seconds(10))
    #expect(try await iterator.next() == 2)
    try await tap.feed(3)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    try await tap.feed(4)
    clock.advance(by: .seconds(1))
    #expect(try await iterator.next() == 4)
  }

  @Test("It gives the newest unless it is told otherwise")
  func standard() async {
    #expect(await stream(1, 2, 3).throttle(for: .seconds(3600)).all() == [1, 3])
  }
}
