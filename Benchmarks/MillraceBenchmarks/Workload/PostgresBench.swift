#if Postgres
  import MillraceJournal
  import MillracePostgres
  import MillracePostgresServer

  /// A schema of the server that all rows share, with the tables of a journal.
  struct PostgresBench: Sendable {
    let address: String
    let name: String
    let tables: PostgresTables
    let journal: PostgresJournal

    /// Starts the server if it does not run, and makes the tables.
    init(partitions: Int = 1) async throws {
      address = try await Self.address(of: PostgresServer.shared)
      var options = PostgresOptions()
      name = "rows_\(UInt64.random(in: .min ... .max))"
      (options.schema, options.partitions) = (name, partitions)
      tables = try PostgresTables(options.schema)
      journal = try await PostgresJournal(address, options: options)
    }

    /// Calls a closure with a schema, which is dropped then.
    static func with(
      partitions: Int = 1, _ body: (PostgresBench) async throws -> Figure
    ) async throws -> Figure {
      let schema = try await PostgresBench(partitions: partitions)
      let figure = try await body(schema)
      await schema.journal.close()
      try PlainPostgres(schema.address).run([("drop schema \(schema.tables.schema) cascade", PlainParameters())])
      return figure
    }

    /// The address of a server.
    ///
    /// - Throws: ``RowFailure`` if it has not started.
    static func address(of server: Task<PostgresServer, any Error>) async throws(RowFailure) -> String {
      do {
        return try await server.value.address
      } catch {
        throw RowFailure(
          description: """
            The rows postgres/… need a PostgreSQL server, and none has started: \(error) Install the package 'postgresql', or run \
            Tests/packages.
            """)
      }
    }
  }
#endif
