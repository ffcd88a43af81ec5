#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal

  /// A call for the thread of reads, and of writes that are no appends.
  struct ServerCall: QueuedCall {
    /// Does the work, and resumes the caller.
    let perform: @Sendable (inout ServerLink) -> Void
    let refuse: @Sendable (JournalError) -> Void
  }

  /// The thread of reads, and of writes that are no appends.
  ///
  /// While changes are waited for, it looks at the transactions that have ended: the snapshot of the database changes with each one that has
  /// written something, once others see it.
  struct ServerThread {
    private let queue: CallQueue<ServerCall>
    private let changes: JournalChanges
    private let interval: Duration
    private var link: ServerLink
    private var snapshot = ""
    private var nextLook = ContinuousClock.now

    init(_ queue: CallQueue<ServerCall>, _ link: ServerLink, _ changes: JournalChanges, interval: Duration) {
      (self.queue, self.link, self.changes, self.interval) = (queue, link, changes, interval)
    }

    /// Starts the thread, and waits until it has opened the tables.
    ///
    /// - Returns: the number of partitions.
    static func start(
      _ queue: CallQueue<ServerCall>, _ address: PostgresAddress, _ changes: JournalChanges, _ tables: PostgresTables,
      _ options: PostgresOptions
    ) async throws(JournalError) -> Int {
      let result: Result<Int, JournalError> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let link = ServerLink(address, deadline: options.deadline.bounded)
          var thread = ServerThread(
            queue, link, changes, interval: max(options.pollingInterval.bounded, .milliseconds(1)))
          let opened = thread.open(tables, options)
          continuation.resume(returning: opened)
          if case .success = opened { thread.run() }
        }
      }
      return try result.get()
    }

    private mutating func open(_ tables: PostgresTables, _ options: PostgresOptions) -> Result<Int, JournalError> {
      do throws(PostgresFailure) {
        return try link.use { connection throws(PostgresFailure) in
          try PostgresSchema(connection: connection, tables: tables).open(options)
        }
      } catch {
        return .failure(error.readError)
      }
    }

    mutating func run() {
      while let calls = queue.take(waitingFor: changes.isEmpty ? nil : interval) {
        for call in calls { call.perform(&link) }
        if !changes.isEmpty, ContinuousClock.now >= nextLook { look() }
      }
      queue.end()
    }

    private mutating func look() {
      nextLook = .now + interval
      let found = try? link.use { connection throws(PostgresFailure) in
        try connection.run([PostgresStatement("select pg_current_snapshot()::text")])[0].text(0, 0)
      }
      // A server that does not answer is no change, and those who wait read when it is back.
      guard let found, found != snapshot else { return }
      snapshot = found
      changes.note()
    }
  }
#endif
