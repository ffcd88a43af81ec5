#if SQLite
  import Foundation
  import Testing

  @testable import MillraceJournal

  @Suite("Damaged rows of a partition")
  struct PartitionDamageTests {
    /// Reads everything that a partition has.
    private func read(_ path: String) async throws {
      let journal = try await SQLiteJournal(path)
      do throws(JournalError) {
        _ = try await JournalContent(journal)
        _ = try await journal.due(in: .of("orders"), before: .max, after: nil, upTo: 9)
        _ = try await journal.records(ofPartition: .of("orders"), after: .start, upTo: .max)
        _ = try await journal.lastSequence(of: .order("erased"))
      } catch {
        await journal.close()
        throw error
      }
      await journal.close()
    }

    @Test(
      "K4, K6: A changed wake time, position or row of a partition is found, and the file is left as it is",
      arguments: [
        "UPDATE keys SET wake=5 WHERE name='a'", "UPDATE keys SET removed=1 WHERE name='a'",
        "UPDATE keys SET partition=0 WHERE name='a'", "UPDATE keys SET name=CAST(name AS BLOB) WHERE name='b'",
        "UPDATE positions SET position=9 WHERE position=3",
        "UPDATE positions SET sequence=1 WHERE position=3", "UPDATE positions SET name='b' WHERE position=1",
        "UPDATE positions SET name='c' WHERE position=3", "UPDATE records SET position=9 WHERE position=3",
        "UPDATE records SET time=9 WHERE position=3", "DELETE FROM records WHERE position=3",
        "UPDATE partitions SET epoch=9", "UPDATE partitions SET position=2", "UPDATE partitions SET stores='others'",
        "UPDATE partitions SET owner=x'00'", "DELETE FROM partitions", "UPDATE erased SET last=1",
        "UPDATE erased SET position=1", "UPDATE erased SET partition=7", "UPDATE file SET erased=0",
        "UPDATE file SET partitions=0",
      ])
    func damage(_ change: String) async throws {
      let folder = try TemporaryFolder()
      let path = folder.file("journal").path
      let journal = try await SQLiteJournal(path)
      let claim = try await journal.claim(.of("orders"), as: .now())
      for number in 1...3 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        let batch = JournalBatch(
          id: .init(writer: 1, number: number), entries: [.text("\(number)")], time: 7, wake: .at(20))
        let appends = ["a", "b"].map { JournalKeyAppend([batch], to: .order($0), after: last) }
        #expect(await journal.append(appends, claim: claim).allSatisfy { $0.stored == 1 })
      }
      #expect(await journal.append([.init(1, "1", to: "erased")], claim: claim)[0].stored == 1)
      try await journal.erase(.order("erased"), claim: claim)
      await journal.close()
      try await read(path)
      let connection = try SQLiteConnection(JournalPath(path), system: nil)
      try connection.run(change)
      connection.close(leavesWAL: false)
      for _ in 0..<2 { #expect(try await failure { try await read(path) }.code == .corrupt) }
    }
  }
#endif
