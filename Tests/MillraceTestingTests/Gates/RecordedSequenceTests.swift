import Millrace
import MillraceTesting
import Testing

@Suite("RecordedSequence", .timeLimit(.minutes(1)))
struct RecordedSequenceTests {
  private struct Broken: Error {}

  @Test("An element is recorded when its consumer asks for the next one, and the last one at the end")
  func order() async throws {
    let (stream, source) = AsyncStream<Int>.makeStream()
    let (seen, gate) = (Recorder<Int>(), Gate())
    let consumer = Task { for await _ in stream.recorded(by: seen) { try await gate.enter() } }
    for number in 1...2 { source.yield(number) }
    try await gate.waitForArrivals(1)
    #expect(seen.recorded.isEmpty, "the consumer works with the first one")
    gate.open()
    #expect(try await seen.next(1) == [1])
    source.finish()
    #expect(try await seen.next(1) == [2])
    try await consumer.value
  }

  @Test("An error comes through, and the element before it is recorded")
  func failure() async throws {
    let seen = Recorder<Int>()
    let stream = AsyncThrowingStream<Int, any Error> { source in
      source.yield(1)
      source.finish(throwing: Broken())
    }
    await #expect(throws: Broken.self) { for try await _ in stream.recorded(by: seen) {} }
    #expect(seen.recorded == [1])
  }

  @Test("An element that is nil is recorded as well, and one after which the consumer breaks off is not")
  func elements() async {
    let seen = Recorder<Int?>()
    let stream = AsyncStream<Int?> { source in
      for element in [nil, 2, 3] { source.yield(element) }
    }
    for await element in stream.recorded(by: seen) where element == 3 { break }
    #expect(seen.recorded == [nil, 2])
  }
}
