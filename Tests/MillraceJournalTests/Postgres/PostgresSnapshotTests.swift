#if Postgres
  import Millrace
  import MillracePostgresServer
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Snapshots in PostgreSQL", .timeLimit(.minutes(2)))
  struct PostgresSnapshotTests {
    private let fixture = PostgresFixture()

    private func large(_ byte: UInt8, at sequence: JournalSequence, megabytes: Int = 3) -> JournalSnapshot {
      JournalSnapshot(
        sequence: sequence, revision: Int(byte), payload: Array(repeating: byte, count: megabytes << 20 + 1))
    }

    @Test("A large snapshot is stored in parts, and those of the one before are removed")
    func parts() async throws {
      let journal = try await fixture.journal()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      _ = await journal.append([JournalBatch(1, "1", "2", "3")], to: "a", after: .start)
      for (byte, sequence, megabytes) in [(1, 1, 3), (2, 2, 1), (3, 3, 4)] as [(UInt8, UInt64, Int)] {
        let snapshot = large(byte, at: JournalSequence(sequence), megabytes: megabytes)
        try await journal.store(snapshot, of: "a")
        #expect(try await journal.snapshot(of: "a") == snapshot)
        #expect(try plain.run("select part::text from \(fixture.schema).journal_snapshot").count == megabytes + 1)
      }
      // One that is older is not stored, and leaves no part.
      try await journal.store(large(9, at: 2), of: "a")
      #expect(try await journal.snapshot(of: "a")?.revision == 3)
      #expect(try plain.run("select part::text from \(fixture.schema).journal_snapshot").count == 5)
      await journal.close()
    }

    @Test("The end of a log is read together with its snapshot, whether that is small, large or missing")
    func beginning() async throws {
      let journal = try await fixture.journal()
      #expect(try await journal.beginning(of: "a").last == .start)
      _ = await journal.append([JournalBatch(1, "1", "2", "3")], to: "a", after: .start)
      #expect(try await journal.beginning(of: "a").last == JournalSequence(3))
      let small = JournalSnapshot(sequence: JournalSequence(1), revision: 1, payload: [1])
      for snapshot in [small, large(2, at: JournalSequence(2))] {
        try await journal.store(snapshot, of: "a")
        let beginning = try await journal.beginning(of: "a")
        #expect(beginning.snapshot == snapshot && beginning.last == JournalSequence(3))
      }
      await journal.close()
    }

    @Test("A snapshot of which another writer has removed a part is unavailable, and the one before stays")
    func removedPart() async throws {
      let journal = try await fixture.journal()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      try await journal.store(large(1, at: 1), of: "a")
      try plain.run(
        """
        create function \(fixture.schema).remove() returns trigger language plpgsql as $$ begin \
        delete from \(fixture.schema).journal_snapshot where id = new.id and part = 0; return null; end $$
        """)
      try plain.run(
        """
        create trigger remove after insert on \(fixture.schema).journal_snapshot for each row when (new.part = 2) \
        execute function \(fixture.schema).remove()
        """)
      let error = try await failure { try await journal.store(large(2, at: 2), of: "a", truncatingBefore: .max) }
      #expect(error.code == .unavailable)
      #expect(error.description.contains(#"another process has stored a snapshot of "a" meanwhile"#))
      #expect(try await journal.snapshot(of: "a") == large(1, at: 1))
      try plain.run("drop trigger remove on \(fixture.schema).journal_snapshot")
      try await journal.store(large(2, at: 2), of: "a")
      #expect(try await journal.snapshot(of: "a") == large(2, at: 2))
      #expect(try plain.run("select part::text from \(fixture.schema).journal_snapshot").count == 4)
      await journal.close()
    }

    @Test("K7: A large snapshot that is stored while its key is erased leaves no part")
    func erased() async throws {
      let journals = [try await fixture.journal(), try await fixture.journal()]
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      var end = JournalSequence.start
      for number in 1...40 as ClosedRange<UInt64> {
        let last = await journals[0].append([JournalBatch(number, "1")], to: "a", after: end).last
        try #require(last > end)
        async let stored: Void = {
          do throws(JournalError) {
            try await journals[0].store(large(1, at: last, megabytes: 2), of: "a")
          } catch {
            #expect([.unavailable, .ahead].contains(error.code), "\(error)")
          }
        }()
        try await journals[1].erase("a", claim: nil)
        await stored
        #expect(try plain.run("select part::text from \(fixture.schema).journal_snapshot") == [])
        end = try await journals[0].lastSequence(of: "a")
        #expect(end == last.advanced(by: 1))
      }
      for journal in journals { await journal.close() }
    }

    @Test("Large snapshots that two writers store at the same time are whole")
    func atOnce() async throws {
      let journals = [try await fixture.journal(), try await fixture.journal()]
      _ = await journals[0].append([JournalBatch(1, (1...20).map { "\($0)" })], to: "a", after: .start)
      for sequence in 1...20 as ClosedRange<UInt64> {
        let errors = await withTaskGroup(of: JournalError?.self) { group in
          for (number, journal) in journals.enumerated() {
            group.addTask {
              do throws(JournalError) {
                try await journal.store(
                  large(UInt8(number), at: JournalSequence(sequence), megabytes: 2), of: "a", truncatingBefore: .max)
                return nil
              } catch {
                return error
              }
            }
          }
          return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(errors.count < 2 && errors.allSatisfy { $0.code == .unavailable }, "\(errors)")
        let snapshot = try #require(try await journals[0].snapshot(of: "a"))
        #expect(snapshot == large(UInt8(snapshot.revision), at: JournalSequence(sequence), megabytes: 2))
      }
      for journal in journals { await journal.close() }
    }
  }
#endif
