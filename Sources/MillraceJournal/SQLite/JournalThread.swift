#if SQLite
  import Foundation

  /// The thread of a file, which alone uses the connection.
  ///
  /// It stores everything that waits in one transaction, so that many appends share one sync. While it stores, the next ones gather.
  struct JournalThread {
    private let queue: JournalQueue
    private let file: String
    private let files: OpenFiles
    private let checkpointPages: Int32
    private var connection: SQLiteConnection?
    private var tables: Result<JournalTables, JournalError>
    private var isTrusted = true

    /// Starts the thread of a file that was claimed, and waits until it has opened the file.
    static func start(_ file: String, _ options: SQLiteJournalOptions, queue: JournalQueue) async throws(JournalError) {
      let result: Result<Void, JournalError> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var thread = JournalThread(file, options, queue: queue)
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

    private init(_ file: String, _ options: SQLiteJournalOptions, queue: JournalQueue) {
      self.queue = queue
      self.file = file
      files = options.files
      checkpointPages = options.checkpointPages
      tables = .failure(.closed)
      do {
        let connection = try SQLiteConnection(file, system: options.system)
        self.connection = connection
        tables = .success(try Self.open(connection, file, options))
      } catch {
        tables = .failure(openingError(error))
      }
    }

    private static func open(
      _ connection: SQLiteConnection, _ file: String, _ options: SQLiteJournalOptions
    ) throws -> JournalTables {
      guard !connection.isReadOnly else {
        throw JournalError(
          .cannotOpen, "\(file) cannot be written; give the process the right to, or name another file.")
      }
      // Another process may open the file at this moment.
      connection.wait(milliseconds: 5_000)
      try JournalSchema(connection: connection, path: file).open(pageSize: options.pageSize)
      connection.wait(milliseconds: 0)
      return try JournalTables(connection, largestBatch: options.largestBatch)
    }

    private mutating func openingError(_ error: any Error) -> JournalError {
      guard let failure = error as? SQLiteFailure else { return error as? JournalError ?? .closed }
      if failure.isFailedSync { isTrusted = false }
      if failure.isNotADatabase {
        return JournalError(
          .notAJournal, "\(file) is no database, and is left as it is; give the journal the name of a file of its own.")
      }
      if failure.isDamage { return failure.error(of: file) }
      if failure.isBusy {
        return JournalError(.unavailable, "\(file) is locked by another process; open it again later.")
      }
      return JournalError(
        .cannotOpen, "\(file) cannot be opened: \(failure); see that its folder can be written, or name another file.")
    }

    private mutating func run() {
      while let calls = queue.take() {
        let writes = calls.filter(\.isWrite)
        if !writes.isEmpty { store(writes) }
        for call in calls where !call.isWrite { read(call) }
        makeCheckpoint()
      }
    }

    private mutating func store(_ calls: [JournalCall]) {
      var results: [@Sendable () -> Void] = []
      do {
        let tables = try tables.get()
        try tables.store {
          for call in calls { results.append(try call.perform(tables)) }
        }
      } catch {
        let error = refusal(error)
        for call in calls { call.refuse(error) }
        return
      }
      for result in results { result() }
    }

    private mutating func read(_ call: JournalCall) {
      let result: @Sendable () -> Void
      do {
        let tables = try tables.get()
        result = try tables.read { try call.perform(tables) }
      } catch {
        return call.refuse(refusal(error))
      }
      result()
    }

    /// The error for the callers; unless another process only held the lock, the file fails.
    private mutating func refusal(_ error: any Error) -> JournalError {
      guard let failure = error as? SQLiteFailure else { return error as? JournalError ?? .closed }
      if failure.isBusy {
        return JournalError(.unavailable, "\(file) is locked by another process; repeat the call later.")
      }
      return fail(failure)
    }

    private mutating func fail(_ failure: SQLiteFailure) -> JournalError {
      if failure.isFailedSync { isTrusted = false }
      let error = failure.error(of: file)
      tables = .failure(error)
      return error
    }

    private mutating func makeCheckpoint() {
      guard case .success(let tables) = tables else { return }
      do {
        try tables.connection.checkpoint(from: checkpointPages)
      } catch {
        _ = fail(error)
      }
    }

    private mutating func close() {
      if case .success(let tables) = tables {
        do { try tables.connection.checkpoint(from: 1) } catch { _ = fail(error) }
      }
      let leavesWAL = if case .failure = tables { true } else { false }
      // The statements go before the connection.
      tables = .failure(.closed)
      connection?.close(leavesWAL: leavesWAL)
      files.release(file, isTrusted: isTrusted)
    }
  }
#endif
