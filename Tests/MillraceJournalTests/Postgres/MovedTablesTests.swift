#if Postgres
  import Millrace
  import MillracePostgresServer
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Tables of version 2 in PostgreSQL", .timeLimit(.minutes(2)))
  struct MovedTablesTests {
    /// Turns tables of version 3 into those that version 2 made.
    private static func makeVersion2(_ plain: PlainPostgres, _ schema: String) throws {
      try plain.run("drop index \(schema).journal_record_position")
      try plain.run("create index on \(schema).journal_record(partition, position) where position is not null")
      try plain.run(
        "alter table \(schema).journal_partition drop column name, drop column last_writer, drop column last_batch")
      try plain.run("update \(schema).journal_format set version = 2")
    }

    /// Tables of version 2 with two records of a key in a partition, whose claim is returned.
    private static func earlier(_ plain: PlainPostgres, _ fixture: PostgresFixture) async throws -> JournalClaim {
      let journal = try await fixture.journal()
      let claim = try await journal.claim(.of("orders"), as: .now())
      for number in 1...2 as ClosedRange<UInt64> {
        let append = JournalKeyAppend.init(number, "\(number)", to: "a", after: JournalSequence(number - 1))
        #expect(await journal.append([append], claim: claim)[0].stored == 1)
      }
      await journal.close()
      try makeVersion2(plain, fixture.schema)
      return claim
    }

    private static func columns(_ plain: PlainPostgres, _ schema: String) throws -> [String] {
      try plain.run(
        """
        select column_name::text from information_schema.columns where table_schema = '\(schema)' and table_name = 'journal_partition' \
        order by 1
        """)
    }

    @Test(
      "Tables of version 2 are moved by the first opening that may make tables, and a claim of that version is fenced")
    func moved() async throws {
      let fixture = PostgresFixture()
      let server = try await PostgresServer.shared.value
      let plain = try PlainPostgres(server)
      let before = try await Self.earlier(plain, fixture)
      var options = PostgresOptions()
      options.schema = fixture.schema
      let error = try await failure { [options] in
        _ = try await PostgresJournal(reading: server.address, options: options)
      }
      #expect(error.code == .otherVersion)
      #expect(
        error.description.hasSuffix(
          "open the journal for writing with this version of Millrace, which moves them to version 3."))
      let journal = try await fixture.journal()
      #expect(try await journal.texts(.order("a")) == ["1", "2"])
      #expect(
        try Self.columns(plain, fixture.schema).filter { ["name", "last_batch", "last_writer"].contains($0) }
          .count == 3)
      #expect(
        try plain.run(
          "select indexname::text from pg_indexes where schemaname = '\(fixture.schema)' and tablename = 'journal_record' and indexname like '%position%'"
        )
          == ["journal_record_position"])
      // A claim without a name is that of a program of version 2, which continues until the next claim.
      let unnamed = JournalClaim(before.partition, epoch: before.epoch)
      #expect(await journal.append([.init(3, "3", to: "a", after: 2)], claim: unnamed)[0].stored == 1)
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(claim.epoch == before.epoch + 1 && claim.name != 0)
      #expect(await journal.append([.init(4, "4", to: "a", after: 3)], claim: unnamed)[0].failure?.code == .conflict)
      // A program of version 2 claims without a name, and fences by the number.
      try plain.run("update \(fixture.schema).journal_partition set epoch = epoch + 1")
      #expect(await journal.append([.init(4, "4", to: "a", after: 3)], claim: claim)[0].failure?.code == .conflict)
      let again = try await fixture.journal()
      #expect(try await again.texts(.order("a")) == ["1", "2", "3"])
      for journal in [journal, again] { await journal.close() }
    }

    @Test("Two journals at once move the tables once")
    func movedAtOnce() async throws {
      let fixture = PostgresFixture()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      _ = try await Self.earlier(plain, fixture)
      async let first = fixture.journal()
      async let second = fixture.journal()
      for journal in [try await first, try await second] {
        #expect(try await journal.texts(.order("a")) == ["1", "2"])
        await journal.close()
      }
      #expect(try plain.run("select version::text from \(fixture.schema).journal_format") == ["3"])
    }

    @Test("Two records at one position are corrupt, with the partition and the position, and the tables stay")
    func sharedPosition() async throws {
      let fixture = PostgresFixture()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      _ = try await Self.earlier(plain, fixture)
      try plain.run("update \(fixture.schema).journal_record set position = 1")
      let columns = try Self.columns(plain, fixture.schema)
      let error = try await failure { _ = try await fixture.journal() }
      #expect(error.code == .corrupt)
      #expect(error.description.hasPrefix("Two records have position 1 of partition 0 of \"orders\", so"), "\(error)")
      #expect(try plain.run("select version::text from \(fixture.schema).journal_format") == ["2"])
      #expect(try Self.columns(plain, fixture.schema) == columns)
    }
  }
#endif
