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
        await journal.close()
        journal = try await fixture.open()
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
    },
    JournalConformance("A flipped bit of a payload is found, with the sequence and the fix") { fixture in
      var journal = try await fixture.open()
      let texts = (1...5).map { "payload number \($0) of five" }
      _ = await journal.append(texts.enumerated().map { JournalBatch(UInt64($0), $1) }, to: "a", after: .start)
      await journal.close()
      try await fixture.damage(texts[2])
      let error = try await failure {
        journal = try await fixture.open()
        _ = try await journal.all("a")
      }
      #expect(error.code == .corrupt && error.sequence == 3 && !error.isTransient)
      #expect(
        error.description == """
          Record 3 of "a" is missing or is not the one that was written, so the storage has damaged it; restore the journal from a \
          copy.
          """)
    },
    JournalConformance("A flipped bit of a snapshot is found, with the fix") { fixture in
      var journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      let text = "the state of this snapshot"
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: Array(text.utf8)), of: "a")
      await journal.close()
      try await fixture.damage(text)
      let error = try await failure {
        journal = try await fixture.open()
        _ = try await journal.snapshot(of: "a")
      }
      #expect(error.code == .corrupt && error.description.contains("restore the journal from a copy"))
    },
  ]
}
