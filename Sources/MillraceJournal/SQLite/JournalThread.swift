#if SQLite
  import Foundation
  import Millrace

  /// The thread of a file, which alone uses the connection.
  ///
  /// It commits everything that waits in one transaction, so that many appends share one sync. While it commits, the next ones gather.
  struct JournalThread {
    /// The time in milliseconds for which a write waits for the lock of another process.
    ///
    /// A process that writes all the time is between two transactions for a moment only, which a writer that asks now and then would miss.
    private static let waitingTime: Int32 = 20

    private let queue: CallQueue<JournalCall>
    private let changes: JournalChanges
    private let file: JournalPath
    private let files: OpenJournals
    private let checkpointPages: Int32
    private let isReading: Bool
    private let isChecking: Bool
    private let isAlone: Bool
    private var connection: SQLiteConnection?
    private var tables: Result<JournalTables, JournalError>
    /// Nil for the file systems of tests.
    private var identity: FileIdentity?

    /// Starts the thread of a file that was claimed, and waits until it has opened the file.
    static func start(
      _ file: JournalPath, _ options: SQLiteJournalOptions, queue: CallQueue<JournalCall>, changes: JournalChanges
    ) async throws(JournalError) {
      let result: Result<Void, JournalError> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var thread = JournalThread(file, options, queue: queue, changes: changes)
          if case .failure(let error) = thread.tables {
            thread.close()
            continuation.resume(returning: .failure(error))
          } else {
            continuation.resume(returning: .success(()))
            thread.run()
            thread.close()
          }
          queue.end()
        }
      }
      try result.get()
    }

    private init(
      _ file: JournalPath, _ options: SQLiteJournalOptions, queue: CallQueue<JournalCall>, changes: JournalChanges
    ) {
      self.queue = queue
      self.changes = changes
      self.file = file
      files = options.files
      checkpointPages = options.checkpointPages
      isReading = options.isReading
      isChecking = options.isChecking
      isAlone = options.isAlone
      tables = .failure(.closed)
      do {
        try Self.checkForLostFile(file, options)
        let makesFile = !isReading && !isAlone
        if makesFile && options.system == nil {
          let error = file.make()
          guard error == 0 else { throw JournalError.cannotOpen(file, error) }
        }
        let connection = try SQLiteConnection(file, system: options.system, makesFile: makesFile)
        self.connection = connection
        tables = .success(try Self.open(connection, file, options))
        if options.system == nil {
          // A copy that SQLite has made has no WAL until a process writes to it.
          let hasWAL =
            try !isReading || JournalSchema(connection: connection, path: file, isAlone: isAlone).hasWAL
          identity = try FileIdentity(of: file, isAlone: isAlone, hasWAL: hasWAL)
        }
      } catch {
        tables = .failure(openingError(error))
      }
    }

    /// Checks that there is a file if there is a WAL: SQLite takes an empty file for a new one, and removes the WAL.
    private static func checkForLostFile(_ file: JournalPath, _ options: SQLiteJournalOptions) throws(JournalError) {
      // Another process that makes both makes the file first.
      let (wal, system) = (file.appending("-wal"), options.system)
      guard SQLiteConnection.hasBytes(wal, system: system), !SQLiteConnection.hasBytes(file, system: system) else {
        return
      }
      throw JournalError(
        .cannotOpen,
        """
        \(file.quoted) is empty or missing, and \(wal.quoted) beside it has records of a journal; restore both from a copy, or move \
        \(wal.quoted) away to begin a new journal.
        """)
    }

    private static func open(
      _ connection: SQLiteConnection, _ file: JournalPath, _ options: SQLiteJournalOptions
    ) throws -> JournalTables {
      let schema = JournalSchema(connection: connection, path: file, isAlone: options.isAlone)
      if options.isReading {
        try schema.openToRead()
      } else if connection.isReadOnly {
        throw JournalError(
          .cannotOpen, "\(file.quoted) cannot be written; give the process the right to, or name another file.")
      } else {
        try schema.open(pageSize: options.pageSize)
        // SQLite synchronizes the folder with a new WAL, and does not tell if it cannot. It is done at each opening, because an earlier one
        // may have failed.
        let error = options.syncFolder?() ?? file.syncFolder()
        guard error == 0 else { throw JournalError.unsynchronizedFolder(of: file, error) }
      }
      connection.wait(milliseconds: waitingTime)
      let tables = JournalTables(connection, file, options)
      if !options.isChecking { try tables.read { try tables.checkKeys() } }
      return tables
    }

    private mutating func openingError(_ error: any Error) -> JournalError {
      guard let failure = error as? SQLiteFailure else { return error as? JournalError ?? .closed }
      if failure.isNotADatabase {
        return JournalError(
          .notAJournal,
          "\(file.quoted) is no database, and is left as it is; give the journal the name of a file of its own.")
      }
      if failure.isDamage { return failure.error(of: file) }
      if failure.isBusy {
        return JournalError(
          .unavailable,
          isAlone
            ? "\(file.quoted) is open in another process, so nothing is changed; end that process, and repeat the call."
            : "\(file.quoted) is locked by another process; open it again later.")
      }
      let reason = failure.cannotOpen ? file.obstacle ?? failure.reason : failure.description
      if failure.isFull { return .cannotOpen(file, reason, isFull: true) }
      if isReading {
        return JournalError(
          .cannotOpen,
          "\(file.quoted) cannot be opened to be read: \(reason); name the file of a journal that is there.")
      }
      return .cannotOpen(file, reason, isFull: false)
    }

    private mutating func run() {
      var isLocked = false
      while let calls = queue.take(waitingFor: isLocked || isChecking || !hasUncheckedKeys ? nil : .zero) {
        // While another process has the file locked, the check waits for the next call, and not in a loop for the lock.
        isLocked = calls.isEmpty ? !checkKeys() : false
        if calls.isEmpty { continue }
        let writes = calls.filter { $0.access == .write }
        if !writes.isEmpty { commit(writes) }
        for call in calls where call.access != .write { perform(call) }
        makeCheckpoint()
      }
    }

    private var hasUncheckedKeys: Bool {
      if case .success(let tables) = tables { tables.hasUncheckedKeys } else { false }
    }

    /// Checks the next keys while no call waits; false if they cannot be read now.
    ///
    /// What is damaged is an error of the calls that meet it.
    private mutating func checkKeys() -> Bool {
      do {
        let tables = try tables.get()
        try tables.read { try tables.checkKeys() }
        return true
      } catch {
        return refusal(error).code != .unavailable
      }
    }

    private mutating func commit(_ calls: [JournalCall]) {
      var results: [@Sendable () -> Void] = []
      do {
        let tables = try tables.get()
        try identity?.check()
        try tables.transaction {
          for call in calls { results.append(try call.perform(tables)) }
        }
        try identity?.check()
      } catch {
        let error = refusal(error)
        for call in calls { call.refuse(error) }
        return
      }
      #if os(Linux)
        if identity != nil { file.touch() }
      #endif
      for result in results { result() }
    }

    private mutating func perform(_ call: JournalCall) {
      let result: @Sendable () -> Void
      do {
        let tables = try tables.get()
        result = call.access == .read ? try tables.read { try call.perform(tables) } : try call.perform(tables)
        try identity?.check()
      } catch {
        return call.refuse(refusal(error))
      }
      result()
    }

    /// The error for the callers; unless another process only held the lock, the file fails.
    private mutating func refusal(_ error: any Error) -> JournalError {
      guard let failure = error as? SQLiteFailure else {
        let error = error as? JournalError ?? .closed
        if error.code == .failed { disconnect(because: error, leavesWAL: true) }
        return error
      }
      if failure.isBusy {
        return JournalError(.unavailable, "\(file.quoted) is locked by another process; repeat the call later.")
      }
      if isChecking && failure.isDamage { return failure.error(of: file) }
      return fail(failure)
    }

    /// Ends the file, and closes the connection before another one opens the file.
    private mutating func fail(_ failure: SQLiteFailure) -> JournalError {
      let error = failure.error(of: file)
      disconnect(because: error, leavesWAL: true)
      return error
    }

    private mutating func disconnect(because error: JournalError, leavesWAL: Bool) {
      // The statements are freed before the connection.
      tables = .failure(error)
      connection?.close(leavesWAL: leavesWAL)
      connection = nil
      // Those who wait read, and get the error.
      changes.note()
    }

    private mutating func makeCheckpoint() {
      guard !isReading, case .success(let tables) = tables else { return }
      do {
        try tables.connection.checkpoint(from: checkpointPages)
      } catch {
        _ = fail(error)
      }
    }

    private mutating func close() {
      if !isReading, case .success(let tables) = tables {
        do {
          // SQLite removes the WAL at this path, which may be that of another file by now.
          try identity?.check()
          try tables.connection.checkpoint(from: 1)
        } catch {
          _ = refusal(error)
        }
      }
      let leavesWAL = if case .failure = tables { true } else { isReading }
      disconnect(because: .closed, leavesWAL: leavesWAL)
      if !isReading { files.release(file) }
    }
  }

  /// A call of a journal's user for the thread of the file.
  struct JournalCall: QueuedCall {
    /// The transaction that the call needs.
    enum Access {
      /// A transaction of its own.
      case read
      /// A transaction that it shares with other writes.
      case write
      /// No transaction, because none may be open then.
      case outside
    }

    let access: Access
    /// Does the work, and returns a closure that gives the caller the result, to be called once it is durable.
    let perform: @Sendable (JournalTables) throws -> @Sendable () -> Void
    /// Resumes the caller with an error.
    let refuse: @Sendable (JournalError) -> Void
  }
#endif
