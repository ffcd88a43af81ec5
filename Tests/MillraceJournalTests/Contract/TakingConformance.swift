import MillraceJournal
import Testing

extension JournalConformance {
  private static let first = JournalEpoch(host: "first", process: 1, time: 1_000)
  private static let second = JournalEpoch(host: "second", process: 2, time: 1_795_542_000_000)

  /// Two writers, of which the second one has taken the log over: records 1 to 4.
  private static func taken(_ journal: any Journal) async throws {
    _ = await journal.append([.epoch(first, writer: 1), JournalBatch(1, "1")], to: "a", after: .start)
    let result = await journal.append(
      [.epoch(second, writer: 2), JournalBatch(1, ["2"], writer: 2)], to: "a", after: 2)
    #expect(result.last == 4)
  }

  static let taking = [
    JournalConformance("D4: The append of a writer whose log was taken over fails, and names the newcomer") { fixture in
      let journal = try await fixture.open()
      try await taken(journal)
      for batch in [JournalBatch(2, "lost"), JournalBatch(2)] {
        let result = await journal.append([batch], to: "a", after: 2)
        let error = try #require(result.failure)
        #expect(result.stored == 0 && error.code == .conflict && error.newcomer == second && !error.isTransient)
        #expect(
          error.description == """
            The log of "a" ends at 4 and not at 2, because another writer took it over: process 2 on second, since \
            2026-11-24T17:40:00Z; this writer has to stop; open the store again where it is to continue.
            """)
      }
      #expect(await journal.append([JournalBatch(2, ["3"], writer: 2)], to: "a", after: 4).last == 5)
      #expect(try await journal.all("a").compactMap { record throws in try record.epoch(of: "a") } == [first, second])
    },
    JournalConformance("D4: The newcomer is named after its epoch was truncated and the journal opened again") {
      fixture in
      var journal = try await fixture.open()
      try await taken(journal)
      try await journal.store(JournalSnapshot(sequence: 4, revision: 2, payload: [1]), of: "a")
      try await journal.truncate("a", through: 4)
      journal = try await fixture.reopen(journal)
      #expect(await journal.append([JournalBatch(2, "lost")], to: "a", after: 2).failure?.newcomer == second)
    },
    JournalConformance("D4: A conflict behind the newest epoch names no newcomer") { fixture in
      let journal = try await fixture.open()
      try await taken(journal)
      let error = await journal.append([JournalBatch(2, ["late"], writer: 2)], to: "a", after: 3).failure
      #expect(error?.code == .conflict && error?.newcomer == nil)
    },
    JournalConformance("An epoch that no program can read is an error with its sequence and the fix") { fixture in
      let journal = try await fixture.open()
      let batch = JournalBatch(id: .init(writer: 1, number: 1), entries: [JournalEntry(kind: .epoch, payload: [123])])
      _ = await journal.append([batch], to: "a", after: .start)
      let error = try #require(await journal.append([JournalBatch(2, "x")], to: "a", after: .start).failure)
      #expect(error.code == .corrupt && error.sequence == 1)
      #expect(
        error.description == """
          Record 1 of "a" is whole and cannot be read: it is no JSON, because its column 2 is the end, and something is \
          missing; read it with the version of the program that wrote it.
          """)
    },
    JournalConformance("An append with an unknown result is resolved by the id of its batch") { fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      // The writer has not heard of this one, and asks.
      _ = await journal.append([JournalBatch(2, "2", "3"), JournalBatch(3, "4")], to: "a", after: 1)
      let found = try #require(try await journal.batch(JournalBatch.ID(writer: 1, number: 2), of: "a", after: 1))
      #expect(found.map(\.text) == ["2", "3"] && found.map(\.sequence) == [2, 3])
      #expect(try await journal.batch(JournalBatch.ID(writer: 1, number: 3), of: "a", after: 1)?.map(\.text) == ["4"])
      #expect(try await journal.batch(JournalBatch.ID(writer: 1, number: 4), of: "a", after: 1) == nil)
      #expect(try await journal.batch(JournalBatch.ID(writer: 2, number: 2), of: "a", after: 1) == nil)
      #expect(try await journal.batch(JournalBatch.ID(writer: 1, number: 1), of: "a", after: 1) == nil)
      #expect(try await journal.batch(JournalBatch.ID(writer: 1, number: 1), of: "b", after: .start) == nil)
      try await journal.store(JournalSnapshot(sequence: 3, revision: 2, payload: []), of: "a")
      try await journal.truncate("a", through: 3)
      let error = try await failure {
        _ = try await journal.batch(JournalBatch.ID(writer: 1, number: 2), of: "a", after: 1)
      }
      #expect(error.code == .truncated && error.sequence == 3)
    },
  ]
}
