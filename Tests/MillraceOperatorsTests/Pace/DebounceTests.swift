import MillraceOperators
import MillraceTesting
import Testing

@Suite("debounce", .timeLimit(.minutes(1)))
struct DebounceTests {
  private let clock = TestClock()
  private let tap = Tap<Int>()
  private let delivered = Recorder<Int>()

  private func begin() async throws -> Task<Void, any Error> {
    let task = delivered.record(from: tap.debounce(for: .seconds(3), clock: clock))
    try await tap.asks.next()
    return task
  }

  @Test("The last element is delivered once nothing came for the interval")
  func quiet() async throws {
    let task = try await begin()
    try await tap.feed(1)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    try await tap.feed(2)
    clock.advance(by: .seconds(2))
    // The alarm of the first is set anew for the second.
    try await clock.waitForSleepers()
    #expect(delivered.recorded.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(try await delivered.next() == 2)
    try await tap.feed(3)
    clock.advance(by: .seconds(3))
    #expect(try await delivered.next() == 3)
    tap.finish()
    try await task.value
    #expect(delivered.recorded == [2, 3])
  }

  @Test("An element that waits is delivered at once when the base ends, then the end")
  func end() async throws {
    let task = try await begin()
    try await tap.feed(1)
    try await tap.feed(2)
    tap.finish()
    try await task.value
    #expect(delivered.recorded == [2])
    #expect(clock.now.offset == .zero)
    #expect(clock.sleepers == 0)
  }

  @Test("An element that waits is delivered at once when the base fails, then the error")
  func failure() async throws {
    let task = try await begin()
    try await tap.feed(1)
    tap.finish(throwing: Mishap())
    await #expect(throws: Mishap()) { try await task.value }
    #expect(delivered.recorded == [1])
  }

  @Test("Without a clock it counts by the continuous one, and a base that has ended has no interval")
  func standardClock() async {
    #expect(await stream(1, 2, 3).debounce(for: .seconds(3600)).all() == [3])
  }

  @Test("A clock of any type serves")
  func anyClock() async {
    let clock: any Clock<Duration> = clock
    #expect(await stream(1, 2, 3).debounce(for: .seconds(1), clock: clock).all() == [3])
  }
}
