import Millrace
import MillraceJournal
import Testing

extension JournalConformance {
  /// The rules for a log that begins behind a record, as a copy of a truncated log does; `MemoryJournal` begins none so.
  static let beginning = [
    JournalConformance(
      "A log that begins behind a record continues there, and no store opens it before it has a snapshot"
    ) {
      fixture in
      var journal = try await fixture.open()
      try await checked(journal).begin("a", after: 7, wake: 5, claim: nil)
      #expect(try await journal.lastSequence(of: "a") == 7)
      #expect(try await journal.keys(after: nil) == ["a"])
      #expect(try await journal.wake(of: "a") == nil)
      #expect(try await journal.snapshot(of: "a") == .incomplete(through: 7))
      let truncated = try await failure { _ = try await journal.all("a") }
      #expect(truncated.code == .truncated && truncated.sequence == 7)
      let opening = try await failure {
        _ = try await Store.open(
          initial: Accounts.State(), interactor: Accounts { _, _ in }, journal: journal, key: "a")
      }
      #expect(
        opening.description.contains("the key is a copy from another journal that has not ended, so repeat the copy"))
      journal = try await fixture.reopen(journal)
      #expect(await journal.append([JournalBatch(1, "8", "9")], to: "a", after: 7).last == 9)
      let snapshot = JournalSnapshot(sequence: 8, revision: 3, payload: [1])
      try await journal.store(snapshot, of: "a")
      #expect(try await journal.snapshot(of: "a") == snapshot)
      #expect(try await journal.texts("a", after: 7) == ["8", "9"])
    },
    JournalConformance("A key that has records, or was erased, does not begin behind a record") { fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      _ = await journal.append([JournalBatch(1, "1")], to: "b", after: .start)
      try await journal.erase("b", claim: nil)
      for key: JournalKey in ["a", "b"] {
        #expect(
          try await failure { try await checked(journal).begin(key, after: 7, wake: nil, claim: nil) }.code == .conflict
        )
      }
      #expect(try await journal.texts("a") == ["1"])
      #expect(await journal.append([JournalBatch(2, "3")], to: "b", after: 2).last == 3)
    },
    JournalConformance(
      "A key of a partition begins behind a record by a claim, with its wake time, and readers learn of it"
    ) {
      fixture in
      let journal = try await fixture.open()
      let partition = JournalPartition(of: "orders", number: 0)
      let earlier = try await journal.claim(partition, as: .now())
      let claim = try await journal.claim(partition, as: .now())
      let (a, b) = (JournalKey("a", of: "orders"), JournalKey("b", of: "orders"))
      for (key, claim) in [(a, earlier), (a, nil), (JournalKey("a"), claim)] {
        await #expect(throws: JournalError.self) {
          try await checked(journal).begin(key, after: 7, wake: nil, claim: claim)
        }
      }
      #expect(try await journal.keys(of: "orders", prefix: "", after: nil) == [])
      try await checked(journal).begin(a, after: 7, wake: 5, claim: claim)
      try await checked(journal).begin(b, after: 2, wake: nil, claim: claim)
      #expect(
        try await failure { try await checked(journal).begin(a, after: 8, wake: 6, claim: claim) }.code == .conflict)
      #expect(try await journal.due(in: partition, before: 6, after: nil, upTo: 9).map(\.key) == [a])
      #expect(
        await journal.append([JournalKeyAppend([JournalBatch(1, "8")], to: a, after: 7)], claim: claim)[0].last == 8)
      let page = try await journal.records(ofPartition: partition, after: .start, upTo: 1 << 20)
      #expect(
        page.items.map { if case .record(_, let key) = $0 { [key] } else { [] } } == [[], [], [a]] && page.last == 3)
      #expect(Array(page.items.prefix(2)) == [.missed(a, through: 7, at: 1), .missed(b, through: 2, at: 2)])
    },
  ]
}

/// The journal with what a check and a copy need.
private func checked(_ journal: any PartitionedJournal) throws -> any CheckedJournal {
  try #require(journal as? any CheckedJournal)
}
