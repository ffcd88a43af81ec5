#if Postgres
  import Millrace
  import MillraceJournal
  import MillracePostgres
  import MillracePostgresServer
  import Testing

  /// The snippets of docs/postgresql.md.
  @Suite("PostgresSnippets", .timeLimit(.minutes(2)))
  struct PostgresSnippets {
    /// Connects to the server of the tests.
    private func PostgresJournal(
      _ address: String, options: PostgresOptions = PostgresOptions()
    ) async throws -> MillracePostgres.PostgresJournal {
      var options = options
      options.schema += "_\(UInt64.random(in: .min ... .max))"
      return try await MillracePostgres.PostgresJournal(PostgresServer.shared.value.address, options: options)
    }

    @Test("A journal in PostgreSQL is opened by an address, and given to stores as any other")
    func open() async throws {
      // snippet.open
      let journal = try await PostgresJournal("postgresql://orders@db.example.com/shop?sslmode=verify-full")
      let orders = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
      // snippet.end
      #expect(await orders.send(.note(1)).outcome.kind == .finished)
      await orders.shutdown()
      await journal.close()
    }

    @Test("A service has a schema of its own, and a deadline")
    func options() async throws {
      // snippet.options
      var options = PostgresOptions()
      options.schema = "orders"
      options.deadline = .seconds(5)
      let journal = try await PostgresJournal("service=shop", options: options)
      // snippet.end
      #expect(try await journal.keys(after: nil) == [])
      await journal.close()
    }
  }
#endif
