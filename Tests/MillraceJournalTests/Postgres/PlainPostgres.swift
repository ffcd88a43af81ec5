#if Postgres
  import MillraceJournal
  import MillracePostgresServer

  @testable import MillracePostgres

  /// Statements of a test beside the journal.
  struct PlainPostgres {
    private let connection: PostgresConnection

    init(_ address: String) throws {
      // Creating or dropping a database waits for a checkpoint, which takes long beside a build.
      connection = try PostgresConnection(PostgresAddress(address), deadline: .seconds(60))
    }

    init(_ server: PostgresServer) throws { try self.init(server.address) }

    /// Runs a statement, and returns the texts of its first column.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
      let result = try connection.runAsIs([PostgresStatement(sql)])[0]
      return result.rows.map { result.text($0, 0) }
    }
  }
#endif
