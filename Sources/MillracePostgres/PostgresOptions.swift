#if Postgres
  public import Millrace

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

    /// The time between two looks for changes; 50 milliseconds by default.
    ///
    /// The journal looks at the server while a task waits for ``PostgresJournal/changes()``.
    /// After ten seconds in which the journal has neither read nor stored a record, it looks once a second, or at this interval if that is longer, until
    /// the next record.
    public var pollingInterval: Duration = .milliseconds(50)

    /// Called for problems of the server: lost records, another server than before, and settings with which acknowledged records can be lost.
    ///
    /// It is called on a thread of the journal, which waits for it. Writes a line to standard error by default.
    public var report: @Sendable (Incident) -> Void = { writeToStandardError(line: $0.description) }

    /// Whether the tables are read only.
    package var isReading = false

    /// Whether tables that are missing are made.
    package var makesTables = true

    /// Creates the default parameters.
    public init() {}
  }

  extension Incident.Kind {
    /// The server of a journal is another one than before: a standby has taken over, a backup was restored, or the address leads to another cluster.
    ///
    /// It concerns no action. Reported each time.
    public static let changedServer = Incident.Kind(name: "changedServer")

    /// The tasks of a process have not renewed its lease for six leases, so the journal does not renew it any longer.
    ///
    /// Handlers that never suspend block the pool of threads. It concerns no action. Reported each time.
    public static let unresponsiveProcess = Incident.Kind(name: "unresponsiveProcess")

    /// The server of a journal has a setting with which acknowledged records can be lost.
    ///
    /// It concerns no action. Reported once a journal for each setting.
    public static let unsafeServer = Incident.Kind(name: "unsafeServer")
  }
#endif
