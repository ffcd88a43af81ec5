import Testing

@testable import MillraceSocket

@Suite("OpenConnections")
struct OpenConnectionsTests {
  private var connections = OpenConnections(limit: 2)

  private mutating func add(_ descriptors: Int32..., withInput: Set<Int32> = []) -> [OpenConnections.Admission] {
    descriptors.map { connections.add($0, hasInput: withInput.contains) }
  }

  @Test("As many connections as the limit says are served; the one that is idle the longest makes room")
  mutating func evicting() {
    let first = add(1, 2)
    #expect(first == [.serve(evicting: nil), .serve(evicting: nil)])
    let begun = connections.begin(1)
    connections.rest(1)
    let next = add(3, 4)
    #expect(begun && next == [.serve(evicting: 2), .serve(evicting: 1)])
    #expect(connections.isEvicted(2) && !connections.isEvicted(3))
    let late = connections.begin(2)
    #expect(!late)
    // The evicted ones are not closed yet.
    let waiting = add(5)
    #expect(waiting == [.wait])
    let wasEvicted = connections.remove(2)
    let room = add(5)
    #expect(wasEvicted && room == [.serve(evicting: 3)])
  }

  @Test("A busy connection and one with bytes to read are not evicted; the new one is refused, or closed beyond that")
  mutating func refusing() {
    _ = add(1, 2)
    _ = connections.begin(1)
    let refused = add(3, 4, 5, withInput: [2])
    #expect(refused == [.refuse, .refuse, .close])
    let wasEvicted = connections.remove(3)
    let evicting = add(6)
    #expect(!wasEvicted && evicting == [.serve(evicting: 2)])
    for descriptor in [1, 2, 4, 6] as [Int32] { _ = connections.remove(descriptor) }
    let empty = add(1, 2, 3)
    #expect(empty == [.serve(evicting: nil), .serve(evicting: nil), .serve(evicting: 1)])
  }

  @Test("After a stop no connection is admitted")
  mutating func stopping() {
    _ = add(1)
    #expect(connections.stop() == [1] && connections.isStopping)
    let late = add(2)
    #expect(late == [.close])
  }
}
