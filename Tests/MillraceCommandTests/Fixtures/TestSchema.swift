#if Postgres
  import MillraceJournal
  import MillracePostgresServer

  @testable import MillracePostgres

  /// A schema of its own on the server that tests share.
  struct TestSchema {
    let name = "test_\(UInt64.random(in: .min ... .max))"
    let address: String

    init() async throws {
      address = try await PostgresServer.shared.value.address
    }

    /// The flags that name it.
    var flags: [String] { ["--postgres", address, "--schema", name] }

    /// The flags that name it as the journal to which keys are copied.
    var target: [String] { ["--to-postgres", address, "--to-schema", name] }

    /// A journal that is open to be written, as by a service.
    func open(_ change: (inout PostgresOptions) -> Void = { _ in }) async throws -> PostgresJournal {
      var options = PostgresOptions()
      options.schema = name
      options.partitions = 4
      change(&options)
      return try await PostgresJournal(address, options: options)
    }

    /// Runs a statement by hand, with the name of the schema in the place of `SCHEMA`.
    func run(_ sql: String) async throws {
      let journal = try await open()
      _ = try await journal.write([PostgresStatement(sql.replacing("SCHEMA", with: "\"\(name)\""))])
      await journal.close()
    }
  }
#endif
