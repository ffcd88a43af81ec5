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
    private let pace: LookPace
    private var link: ServerLink
    private var snapshot = ""
    /// The time of the last look; nil before the first one.
    private var looked: ContinuousClock.Instant?

    init(_ queue: CallQueue<ServerCall>, _ link: ServerLink, _ changes: JournalChanges, _ pace: LookPace) {
      (self.queue, self.link, self.changes, self.pace) = (queue, link, changes, pace)
    }

    /// Starts the thread, and waits until it has opened the tables.
    ///
    /// - Returns: the number of partitions.
    static func start(
      _ queue: CallQueue<ServerCall>, _ address: PostgresAddress, _ changes: JournalChanges, _ pace: LookPace,
      _ tables: PostgresTables, _ watch: ServerWatch, _ options: PostgresOptions
    ) async throws(JournalError) -> Int {
      let result: Result<Int, JournalError> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let deadline = options.deadline.bounded
          let link = ServerLink(address, deadline: deadline, watch)
          var thread = ServerThread(queue, link, changes, pace)
          let opened = thread.open(tables, options) { LastingRefusal.error(address, deadline: deadline, reason: $0) }
          continuation.resume(returning: opened)
          if case .success = opened { thread.run() }
        }
      }
      return try result.get()
    }

    /// - Parameter refusal: Returns the error for a connection that is refused for this reason, and would be each time.
    private mutating func open(
      _ tables: PostgresTables, _ options: PostgresOptions, refusal: (String) -> JournalError?
    ) -> Result<Int, JournalError> {
      do throws(PostgresFailure) {
        return try link.use { connection throws(PostgresFailure) in
          try PostgresSchema(connection: connection, tables: tables).open(options)
        }
      } catch {
        if case .disconnected(let reason) = error, let refusal = refusal(reason) { return .failure(refusal) }
        return .failure(error.readError)
      }
    }

    mutating func run() {
      while let calls = queue.take(waitingFor: changes.isEmpty ? nil : pace.interval(at: .now)) {
        for call in calls { call.perform(&link) }
        let now = ContinuousClock.now
        if !changes.isEmpty, looked.map({ now - $0 >= pace.interval(at: now) }) ?? true {
          looked = now
          look()
        }
      }
      queue.end()
    }

    private mutating func look() {
      let found = try? link.use { connection throws(PostgresFailure) in
        try connection.read([PostgresStatement("select pg_current_snapshot()::text")])[0].text(0, 0)
      }
      // A server that does not answer is no change, and those who wait read when it is back.
      guard let found, found != snapshot else { return }
      snapshot = found
      changes.note()
    }
  }
#endif
