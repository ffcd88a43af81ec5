import Millrace
import Testing

@testable import MillraceRecording

@Suite("Entry ring")
struct EntryRingTests {
  typealias Ring = EntryRing<String, String, Int>

  /// An entry that may be dropped.
  func end(_ number: Int) -> Ring.Entry {
    let run = RunID(store: 1, action: ActionID(number: UInt64(number)))
    return .end(RecordedEnd(at: Int64(number), run: run, outcome: .finished))
  }

  func add(_ entry: Ring.Entry, to ring: inout Ring) {
    let isAdded = ring.add(nil, entry, nil)
    #expect(isAdded)
  }

  /// The number of entries that the ring has dropped since the last call.
  func dropped(by ring: inout Ring) -> Int {
    ring.settle().reduce(0) { $0 + $1.entries.count }
  }

  @Test("A ring is filled to its capacity, its state included, before anything is dropped")
  func full() {
    var ring = Ring(capacity: 16, start: RecordedState(at: 0, revision: 0, state: 0))
    for number in 1...15 { add(end(number), to: &ring) }
    #expect(ring.count == 16)
    #expect(dropped(by: &ring) == 0)
    add(end(16), to: &ring)
    #expect(ring.count < 16)
    #expect(dropped(by: &ring) > 0)
    #expect(dropped(by: &ring) == 0)
  }

  @Test("A ring has room for 16 entries at least", arguments: [(1, 16), (15, 16), (16, 16), (17, 17)])
  func smallest(given: Int, capacity: Int) {
    #expect(Ring(capacity: given, start: RecordedState(at: 0, revision: 0, state: 0)).capacity == capacity)
  }

  @Test("A ring wants a state when the entries behind the last one, and that one, are half of its capacity")
  func wantsState() {
    var ring = Ring(capacity: 20, start: RecordedState(at: 0, revision: 0, state: 0))
    for number in 1...8 { add(end(number), to: &ring) }
    #expect(!ring.wantsState)
    add(end(9), to: &ring)
    #expect(ring.wantsState)
    add(end(10), to: &ring)
    #expect(ring.wantsState)
  }
}
