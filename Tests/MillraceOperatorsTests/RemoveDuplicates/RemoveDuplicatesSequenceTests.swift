import MillraceOperators
import MillraceTesting
import Testing

@Suite("removeDuplicates", .timeLimit(.minutes(1)))
struct RemoveDuplicatesSequenceTests {
  @Test("An element that equals the last one delivered is left out")
  func equal() async {
    #expect(await stream(1, 1, 2, 2, 1).removeDuplicates().all() == [1, 2, 1])
  }

  @Test("nil is an element: one that comes first is delivered, and equal ones are left out")
  func optionals() async {
    #expect(await stream(nil, nil, 1, nil, nil).removeDuplicates().all() == [nil, 1, nil])
  }

  @Test("A closure compares with the last one delivered, not with the last one that came")
  func closure() async {
    #expect(await stream(1, 2, 3, 4).removeDuplicates { $1 - $0 < 2 }.all() == [1, 3])
  }

  @Test("A base is asked when the consumer demands, and its error passes")
  func failure() async throws {
    let tap = Tap(1, 1, 2)
    tap.finish(throwing: Mishap())
    var iterator = tap.removeDuplicates().makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(tap.asks.recorded.count == 1)
    #expect(try await iterator.next() == 2)
    #expect(tap.asks.recorded.count == 3)
    await #expect(throws: Mishap()) { try await iterator.next() }
  }
}
