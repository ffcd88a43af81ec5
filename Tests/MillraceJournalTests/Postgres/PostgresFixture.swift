#if Postgres
  import MillraceJournal
  import MillracePostgres
  import MillracePostgresServer

  /// A journal in a schema of its own on the server that tests share.
  struct PostgresFixture: JournalFixture {
    let schema = "test_\(UInt64.random(in: .min ... .max))"
    var partitions = 1
    var server: PostgresServer?
    /// Whether journals connect to pgbouncer.
    var isPooled = false

    /// The addresses of the shared server, and of pgbouncer in front of it.
    static let paths = [false, true]

    func open(largestBatch: Int) async throws(JournalError) -> any PartitionedJournal {
      try await journal { $0.largestBatch = largestBatch }
    }

    func journal(_ change: (inout PostgresOptions) -> Void = { _ in }) async throws(JournalError) -> PostgresJournal {
      let address: String
      do {
        address =
          if let server { server.address } else if isPooled { try await PostgresServer.sharedPool.value } else {
            try await PostgresServer.shared.value.address
          }
      } catch {
        throw JournalError(.cannotOpen, "\(error)")
      }
      var options = PostgresOptions()
      (options.schema, options.partitions) = (schema, partitions)
      change(&options)
      return try await PostgresJournal(address, options: options)
    }

    func reopen(_ journal: any PartitionedJournal) async throws(JournalError) -> any PartitionedJournal {
      await journal.close()
      return try await open()
    }
  }
#endif
