#if Postgres
  import Foundation
  import Millrace
  public import MillraceJournal

  /// A journal in a PostgreSQL database, by libpq; it needs the trait `Postgres`.
  ///
  /// Processes of many machines share a database: each partition of many stores has one owner at a time, and each single store one writer. A thread with
  /// a connection of its own stores everything that waits in one transaction, which is durable before any of its calls returns; another thread
  /// with another connection reads. A third thread keeps the leases of processes that share partitions, and connects when one joins. No call blocks a thread of
  /// the caller.
  ///
  /// **Failures.** While the server does not answer, restarts or refuses connections, calls fail as ``JournalError/Code/unavailable``, and a store
  /// repeats them. An append whose answer is lost is ``JournalError/Code/unknown``; ``batch(_:of:after:)`` waits for its transaction and says what became of
  /// it. A server that was restored from an older copy, or a standby that has taken over without the newest records, is ``JournalError/Code/lost``.
  ///
  /// ```swift
  /// let journal = try await PostgresJournal("postgresql://orders@db.example.com/orders?sslmode=verify-full")
  /// ```
  public final class PostgresJournal: Journal {
    /// The largest batch that is stored.
    public let largestBatch: Int

    let tables: PostgresTables
    let partitionCount: Int
    let watch: ServerWatch
    /// Whether the tables are read only.
    let isReading: Bool
    /// The pace of the looks for changes.
    let pace: LookPace
    let appends = CallQueue<AppendCall>()
    private let calls = CallQueue<ServerCall>()
    private let leaseCalls = CallQueue<ServerCall>()
    let leases: LeaseKeeper
    private let changing = JournalChanges()

    /// Connects to a database, and makes the tables there if they are missing.
    ///
    /// Cancellation has no effect.
    ///
    /// - Parameters:
    ///   - address: A URI or keywords of libpq. What it leaves out comes from the environment (`PGHOST`, …), a service file and a file of passwords; keep a
    ///     password out of it.
    ///   - options: The schema and the limits.
    /// - Throws: ``JournalError``: ``JournalError/Code/cannotOpen`` for an address that cannot be read or has a host, a service, a certificate or a
    ///   database that does not exist, for a role or a password that is refused, a server that loses records or a role without rights; ``JournalError/Code/unavailable`` if the server does not answer; ``JournalError/Code/notAJournal`` or ``JournalError/Code/otherVersion`` for tables that
    ///   cannot be used. No error repeats a password.
    public init(_ address: String, options: PostgresOptions = PostgresOptions()) async throws(JournalError) {
      let address = try PostgresAddress(address, isReading: options.isReading)
      let tables = try PostgresTables(options.schema)
      self.tables = tables
      largestBatch = options.largestBatch
      isReading = options.isReading
      watch = ServerWatch(tables, options)
      pace = LookPace(interval: options.pollingInterval, at: .now)
      leases = LeaseKeeper(tables, watch, options)
      partitionCount = try await ServerThread.start(calls, address, changing, pace, tables, watch, options)
      if isReading {
        appends.end()
        leaseCalls.end()
        return
      }
      Thread.detachNewThread { [leaseCalls, leases, watch] in
        let link = ServerLink(address, deadline: options.deadline.bounded, watch)
        var thread = LeaseThread(leaseCalls, leases, link)
        thread.run()
      }
      Thread.detachNewThread { [appends, partitionCount, watch, pace] in
        var thread = AppendThread(appends, address, tables, watch, pace, options, partitions: partitionCount)
        thread.run()
      }
    }

    /// Connects to a database to read its tables, beside the processes that write them; the server may be a replica.
    ///
    /// It makes no tables and takes no locks. A call that writes fails with ``JournalError/Code/readOnly``. Cancellation has no effect.
    ///
    /// - Parameters:
    ///   - address: As for ``init(_:options:)``; a server that takes no writes is used, too.
    ///   - options: The schema and the limits.
    /// - Throws: ``JournalError``, as ``init(_:options:)``; with ``JournalError/Code/cannotOpen`` too if there are no tables.
    public convenience init(
      reading address: String, options: PostgresOptions = PostgresOptions()
    ) async throws(JournalError) {
      var options = options
      (options.isReading, options.makesTables) = (true, false)
      try await self.init(address, options: options)
    }

    deinit {
      calls.close()
      appends.close()
      leaseCalls.close()
    }

    // MARK: Appending

    /// Stores batches, as ``Journal/append(_:to:after:)`` says.
    ///
    /// Cancellation has no effect.
    public func append(
      _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
    ) async -> JournalAppend {
      let results = await append([JournalKeyAppend(batches, to: key, after: last)], claim: nil)
      return results[0]
    }

    /// Stores batches of several keys in one transaction with what else waits.
    ///
    /// - Parameter claim: nil for single stores.
    func append(_ parts: [JournalKeyAppend], claim: JournalClaim?) async -> [JournalAppend] {
      if isReading { return parts.map { JournalAppend(stored: 0, last: $0.last, failure: .readOnly) } }
      return await withCheckedContinuation { continuation in
        appends.add(AppendCall(parts: parts, claim: claim) { continuation.resume(returning: $0) })
      }
    }

    // MARK: Reading

    /// Reads records, as ``Journal/records(of:after:upTo:)`` says.
    ///
    /// Each record has a checksum of its own. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func records(
      of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPage {
      let statements = KeyStatements(tables: tables, key: key)
      // A key that is opened has often no record behind its snapshot, and the statement that finds the end of a page takes long to plan.
      if let row = try await storedRow(of: key), sequence >= row.last {
        return JournalPage(records: [], last: row.last)
      }
      let results = try await read(statements.row + [statements.records(after: sequence, upTo: byteCount)])
      let row = StoredKey(key, results[0], erased: results[1])
      guard sequence >= row.truncated else { throw .truncated(key, after: sequence, through: row.truncated) }
      let records = try RecordRow.records(results[2], of: key, after: sequence)
      if !records.isEmpty { pace.noteChange(at: .now) }
      // The last record of the log also stands in the row of the key.
      let end = records.last?.sequence ?? sequence
      let isAtEnd = records.isEmpty || results[2].number(0, RecordRow.count) == 1
      guard sequence >= row.last || (isAtEnd ? end == row.last : end < row.last) else {
        throw .corrupt(key, at: end.advanced(by: 1))
      }
      return JournalPage(records: records, last: row.last)
    }

    /// Reads a batch by its id, as ``Journal/batch(_:of:after:)`` says.
    ///
    /// It waits for a transaction whose answer was lost, and its own commit waits for a synchronous standby: so a batch that is found is durable, and
    /// one that is absent is not stored later. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``, with ``JournalError/Code/unavailable`` while the fate of the transaction is open.
    public func batch(
      _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence
    ) async throws(JournalError) -> [JournalRecord]? {
      let statements = KeyStatements(tables: tables, key: key)
      if isReading {
        return try batch(
          id, of: key, after: last, in: try await read(statements.row + [statements.batch(id, after: last)]))
      }
      let locks =
        if let stores = key.stores {
          [
            PartitionStatements(
              tables: tables, partition: JournalPartition(of: stores, holding: key.name, among: partitionCount)
            ).lock
          ]
        } else {
          [KeyLock.statement([key]), statements.lock]
        }
      let results = try await write(locks + statements.row + [statements.batch(id, after: last)])
      return try batch(id, of: key, after: last, in: results.suffix(3).map(\.self))
    }

    private func batch(
      _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence, in found: [PostgresResult]
    ) throws(JournalError) -> [JournalRecord]? {
      let row = StoredKey(key, found[0], erased: found[1])
      guard last >= row.truncated else { throw .truncated(key, after: last, through: row.truncated) }
      if found[2].rows.isEmpty { return nil }
      let first = JournalSequence(found[2].bits(0, 0) &- 1)
      return try RecordRow.records(found[2], of: key, after: first)
    }

    /// Reads the last sequence of a key.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
      try await row(of: key).last
    }

    func row(of key: JournalKey) async throws(JournalError) -> StoredKey {
      if let row = try await storedRow(of: key) { return row }
      let results = try await read(KeyStatements(tables: tables, key: key).row)
      return StoredKey(key, results[0], erased: results[1])
    }

    /// Reads the row of a key by one statement; nil if it has none.
    private func storedRow(of key: JournalKey) async throws(JournalError) -> StoredKey? {
      let row = try await read([KeyStatements(tables: tables, key: key).storedRow])[0]
      return row.rows.isEmpty ? nil : StoredKey(key, row, 0, from: 0, erased: nil)
    }

    /// Reads keys, as ``Journal/keys(after:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] {
      try await names(of: nil, prefix: "", after: key?.name)
    }

    func names(
      of stores: String?, prefix: String, after name: String?
    ) async throws(JournalError) -> [JournalKey] {
      let names = try await read([ListStatements(tables: tables, stores: stores).names(prefix: prefix, after: name)])[0]
      return names.rows.map { JournalKey(names.text($0, 0), of: stores) }
    }

    /// Waits for changes, as ``Journal/changes()`` says.
    ///
    /// The journal looks at the server at intervals (``PostgresOptions/pollingInterval``; once a second while nothing changes), and sees each transaction of any
    /// process that others see. Cancellation ends the sequence.
    ///
    /// - Throws: ``JournalError``.
    public func changes() async throws(JournalError) -> AsyncStream<Void> {
      let changing = changing
      return try await call { _ in changing.sequence() }
    }

    /// Ends the journal once the calls that wait have ended, and its connections.
    ///
    /// Releasing the journal ends it too, some time later. Cancellation has no effect.
    public func close() async {
      calls.close()
      appends.close()
      leaseCalls.close()
      changing.end()
      await calls.waitForEnd()
      await appends.waitForEnd()
      await leaseCalls.waitForEnd()
    }

    // MARK: Calls

    /// Runs statements that read one state of the database.
    func read(_ statements: [PostgresStatement]) async throws(JournalError) -> [PostgresResult] {
      try await call(error: { $0.readError }) { link throws(PostgresFailure) in
        try link.use { connection throws(PostgresFailure) in try connection.read(statements) }
      }
    }

    /// Runs statements in one transaction.
    ///
    /// - Throws: ``JournalError``, with ``JournalError/Code/readOnly`` if the tables are only read.
    func write(_ statements: [PostgresStatement]) async throws(JournalError) -> [PostgresResult] {
      if isReading { throw .readOnly }
      return try await call { link throws(PostgresFailure) in
        try link.use { connection throws(PostgresFailure) in try connection.write(statements) }
      }
    }

    /// Calls the thread of leases.
    func callForLease<Value: Sendable>(
      _ body: @escaping @Sendable (LeaseKeeper, inout ServerLink) throws(PostgresFailure) -> Value
    ) async throws(JournalError) -> Value {
      if isReading { throw .readOnly }
      return try await call(on: leaseCalls) { [leases] link throws(PostgresFailure) in try body(leases, &link) }
    }

    func call<Value: Sendable>(
      on queue: CallQueue<ServerCall>? = nil,
      error: @escaping @Sendable (PostgresFailure) -> JournalError = { $0.error },
      _ body: @escaping @Sendable (inout ServerLink) throws(PostgresFailure) -> Value
    ) async throws(JournalError) -> Value {
      let result: Result<Value, JournalError> = await withCheckedContinuation { continuation in
        (queue ?? calls).add(
          ServerCall(
            perform: { link in
              do throws(PostgresFailure) {
                continuation.resume(returning: .success(try body(&link)))
              } catch let failure {
                continuation.resume(returning: .failure(error(failure)))
              }
            },
            refuse: { continuation.resume(returning: .failure($0)) }))
      }
      return try result.get()
    }
  }
#endif
