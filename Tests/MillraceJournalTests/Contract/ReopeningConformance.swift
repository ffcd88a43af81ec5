import MillraceJournal
import Testing

extension JournalConformance {
  static let reopening = [
    JournalConformance("A journal that is opened again has what it had") { fixture in
      var journal = try await fixture.open()
      let entry = JournalEntry(kind: .decided, payload: [1, 2, 3], schemaVersion: 2, revision: 1)
      let batch = JournalBatch(id: JournalBatch.ID(writer: 7, number: 8), entries: [entry, entry])
      _ = await journal.append([batch, JournalBatch(2, "3"), JournalBatch(3, "4")], to: "a", after: .start)
      _ = await journal.append([JournalBatch(1, "x")], to: "b", after: .start)
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [5], schemaVersion: 6), of: "a")
      try await journal.truncate("a", through: 1)
      let records = try await journal.all("a", after: 1)
      for _ in 0..<2 {
        journal = try await fixture.reopen(journal)
        #expect(try await journal.all("a", after: 1) == records)
        #expect(
          try await journal.snapshot(of: "a")
            == JournalSnapshot(sequence: 1, revision: 1, payload: [5], schemaVersion: 6))
        #expect(try await failure { _ = try await journal.all("a") }.code == .truncated)
        #expect(try await journal.lastSequence(of: "a") == 4)
        #expect(try await journal.keys(after: nil) == ["a", "b"])
      }
      #expect(await journal.append([JournalBatch(4, "5")], to: "a", after: 3).failure?.code == .conflict)
      #expect(await journal.append([JournalBatch(4, "5")], to: "a", after: 4).last == 5)
      #expect(try await journal.texts("a", after: 3) == ["4", "5"])
    }
  ]
}
