#if Postgres
  import MillraceJournal
  import MillracePostgres
  import MillracePostgresServer
  import Testing

  @Suite("PostgreSQL journal that is only read", .timeLimit(.minutes(2)))
  struct ReadingPostgresTests {
    private let fixture = PostgresFixture()

    private func reader() async throws -> PostgresJournal {
      var options = PostgresOptions()
      options.schema = fixture.schema
      return try await PostgresJournal(reading: try await PostgresServer.shared.value.address, options: options)
    }

    @Test("Records are read beside the writer, and no call changes anything")
    func reading() async throws {
      let writer = try await fixture.journal()
      let key: JournalKey = "a"
      #expect(await writer.append([JournalBatch(1, "1")], to: key, after: .start).stored == 1)
      let reader = try await reader()
      #expect(try await reader.texts(key) == ["1"])
      #expect(await writer.append([JournalBatch(2, "2")], to: key, after: 1).stored == 1)
      #expect(try await reader.texts(key) == ["1", "2"])
      #expect(try await reader.batch(.init(writer: 1, number: 2), of: key, after: .start)?.map(\.text) == ["2"])
      #expect(try await reader.batch(.init(writer: 1, number: 3), of: key, after: .start) == nil)
      let partition = JournalPartition(of: "orders", number: 0)
      let claim = try await writer.claim(partition, as: .now())
      let part = JournalKeyAppend([JournalBatch(1, "1")], to: JournalKey("b", of: "orders"), after: .start)
      let failures = [
        await reader.append([JournalBatch(3, "3")], to: key, after: 2).failure,
        await reader.append([part], claim: claim)[0].failure,
        try await failure { try await reader.store(JournalSnapshot(sequence: 1, revision: 0, payload: []), of: key) },
        try await failure { try await reader.truncate(key, through: 1) },
        try await failure { try await reader.erase(key, claim: nil) },
        try await failure { _ = try await reader.claim(partition, as: .now()) },
        try await failure { try await reader.begin("c", after: 1, wake: nil, claim: nil) },
      ]
      #expect(failures.map { $0?.code } == Array(repeating: .readOnly, count: failures.count))
      #expect(try await writer.texts(key) == ["1", "2"])
      await reader.close()
      await writer.close()
      #expect(try await failure { _ = try await reader.texts(key) }.code == .closed)
    }

    @Test("A schema without tables is left without")
    func noTables() async throws {
      for _ in 0..<2 {
        let error = try await failure { _ = try await reader() }
        #expect(error.code == .cannotOpen)
        #expect(
          error.description
            == "The schema \"\(fixture.schema)\" has no tables of a journal; name the schema and the database that a program has written to."
        )
      }
    }

    @Test("An address has a secret if it has a password, as a URI or by keywords")
    func secrets() throws {
      for address in [
        "postgresql://a:b@host/database", "postgres://host/database?user=a&password=b", "host=a password=b",
        "host=a sslpassword=b",
      ] {
        let refusal = try PostgresJournal.secretRefusal(of: address, behind: "--postgres")
        #expect(refusal?.hasPrefix("--postgres was given an address with a password") == true, "\(address)")
      }
      for address in ["postgresql://a@host:5433/database?sslmode=require", "host=a passfile=b", "service=a"] {
        #expect(try PostgresJournal.secretRefusal(of: address, behind: "--postgres") == nil, "\(address)")
      }
      let error = #expect(throws: JournalError.self) {
        try PostgresJournal.secretRefusal(of: "postgresql://a:secret@[host", behind: "")
      }
      #expect(error?.code == .cannotOpen && error?.description.contains("secret") == false)
    }
  }
#endif
