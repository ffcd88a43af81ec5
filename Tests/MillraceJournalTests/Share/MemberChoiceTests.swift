import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The choice of an owner")
struct MemberChoiceTests {
  private static let partitions = 256

  private func members(_ count: Int, _ random: inout SeededGenerator) -> [JournalMember.ID] {
    (0..<count).map { _ in JournalMember.ID(high: random.next(), low: random.next()) }
  }

  private func owners(_ members: [JournalMember.ID]) -> [JournalMember.ID?] {
    (0..<Self.partitions).map { JournalMember.ID.firstChoice(of: $0, among: members) }
  }

  @Test("A member that joins moves the partitions of which it is the first choice, and one that leaves its own")
  func movements() {
    var random = SeededGenerator(seed: 1)
    var moved = 0
    for _ in 0..<2_000 {
      let before = members(Int.random(in: 1...8, using: &random), &random)
      let newcomer = members(1, &random)[0]
      let (first, second) = (owners(before), owners((before + [newcomer]).shuffled(using: &random)))
      for (old, new) in zip(first, second) where old != new {
        #expect(new == newcomer)
        moved += 1
      }
    }
    #expect(moved > 2_000 * Self.partitions / 9 && moved < 2_000 * Self.partitions / 2)
  }

  @Test("Partitions are shared out evenly", arguments: [(3, 1.35), (8, 1.75)])
  func shares(_ count: Int, _ limit: Double) {
    var random = SeededGenerator(seed: UInt64(count))
    var even = 0
    for _ in 0..<1_000 {
      let found = Dictionary(grouping: owners(members(count, &random)), by: \.self).mapValues(\.count)
      #expect(found.count == count)
      if Double(found.values.max() ?? 0) <= limit * Double(Self.partitions) / Double(count) { even += 1 }
    }
    // A choice at random is even in most cases, and not in all.
    #expect(even >= 995)
  }

  @Test("No member is the choice among none")
  func none() {
    #expect(JournalMember.ID.firstChoice(of: 0, among: [JournalMember.ID]()) == nil)
  }
}
