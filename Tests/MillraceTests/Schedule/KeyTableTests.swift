import MillraceTesting
import Testing

@testable import Millrace

@Suite("KeyTable")
struct KeyTableTests {
  /// A key that has one of few hashes, so that keys stand in the buckets of others.
  private struct Colliding: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) { hasher.combine(id % 5) }
  }

  @Test("20,000 operations answer as a dictionary does, however many keys have one hash", arguments: [1, 2, 3])
  func asADictionaryDoes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = KeyTable()
    var known: [Int: Int32] = [:]
    for step in 0..<20_000 {
      // Grows for a while, then shrinks.
      let grows = step / 2_000 % 2 == 0
      let id = Int.random(in: 0..<60, using: &random)
      let key = PlanKey(Colliding(id: id))
      if table.existingIndex(of: key) != known[id] {
        Issue.record("step \(step): another index than in the dictionary")
        return
      }
      if Int.random(in: 0..<8, using: &random) < (grows ? 6 : 2) {
        let index = table.index(of: key)
        if known[id] ?? index != index || !table.isIndex(index, of: key) {
          Issue.record("step \(step): another index than before")
          return
        }
        known[id] = index
      } else if let index = known.removeValue(forKey: id) {
        table.forget(index)
      }
      if table.count != known.count || table.all.sorted() != known.values.sorted() {
        Issue.record("step \(step): other keys than in the dictionary")
        return
      }
    }
  }

  @Test("A key whose name was forgotten keeps its state, and the same key gets another one")
  func namesAreForgotten() {
    var table = KeyTable()
    let old = table.index(of: PlanKey("a"))
    table[old].users = 3
    table.forgetNames()
    let new = table.index(of: PlanKey("a"))
    table.forget(old)
    let existing = table.existingIndex(of: PlanKey("a"))
    #expect(new != old)
    #expect(existing == new, "The old key is forgotten, and not the new one.")
  }
}
