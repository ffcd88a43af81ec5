import Testing

@testable import Millrace

@Suite("Ring")
struct RingTests {
  @Test(
    "The last elements are kept in order, and each one that makes room is given back",
    arguments: [
      (3, 0, [], []), (3, 2, [1, 2], []), (3, 3, [1, 2, 3], []), (3, 4, [2, 3, 4], [1]),
      (3, 8, [6, 7, 8], [1, 2, 3, 4, 5]),
      (1, 2, [2], [1]), (0, 2, [2], [1]), (-5, 1, [1], []),
    ] as [(Int, Int, [Int], [Int])])
  func keeps(capacity: Int, count: Int, kept: [Int], gone: [Int]) {
    var ring = Ring<Int>(capacity: capacity)
    let given = (0..<count).compactMap { ring.append($0 + 1) }
    #expect(ring.elements == kept)
    #expect(given == gone)
    #expect(ring.capacity == max(1, capacity))
  }
}
