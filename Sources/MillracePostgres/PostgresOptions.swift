#if Postgres
  /// The parameters of a journal in PostgreSQL.
  public struct PostgresOptions: Sendable {
    /// The name of the schema that has the tables; several services in one database take one each.
    public var schema = "millrace"

    /// The largest batch in bytes that is stored; 16 MiB by default.
    public var largestBatch = 1 << 24

    /// The number of partitions of many stores with which the tables are made, at least 1; 256 by default.
    ///
    /// Tables that are there keep theirs. A partition is owned by one process, so this is the largest number of processes that can share many stores.
    public var partitions = 256

    /// The longest time for a transaction, and for a connection; 10 seconds by default.
    ///
    /// Past it the connection is dropped, and an append is ``JournalError/Code/unknown``: it is looked up before it is repeated.
    public var deadline: Duration = .seconds(10)

    /// The time between two looks at the server while ``PostgresJournal/changes()`` is waited for; 50 milliseconds by default.
    public var pollingInterval: Duration = .milliseconds(50)

    /// Whether the tables are read only.
    package var isReading = false

    /// Whether tables that are missing are made.
    package var makesTables = true

    /// Creates the default parameters.
    public init() {}
  }
#endif
