#if SQLite
  import MillraceSQLite

  /// A connection to a database, which one thread uses.
  final class SQLiteConnection {
    let pointer: OpaquePointer
    /// The number of pages in the WAL after the last commit.
    private let pages: UnsafeMutablePointer<Int32>

    /// Opens a file, and makes it if it is missing.
    ///
    /// - Parameter system: The name of SQLite's interface to the system; nil for the default one.
    init(_ path: String, system: String?) throws(SQLiteFailure) {
      var opened: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      let code = sqlite3_open_v2(path, &opened, flags, system)
      guard code == SQLITE_OK, let opened else {
        let failure = SQLiteFailure(code, opened)
        sqlite3_close_v2(opened)
        throw failure
      }
      pointer = opened
      pages = .allocate(capacity: 1)
      pages.initialize(to: 0)
      // Checkpoints are made by `checkpoint()`, because SQLite does not tell of those that fail in its own hook.
      sqlite3_wal_hook(
        pointer,
        { pages, _, _, count in
          pages?.assumingMemoryBound(to: Int32.self).pointee = count
          return SQLITE_OK
        }, pages)
    }

    /// Closes the connection; its statements have to be freed before.
    ///
    /// - Parameter leavesWAL: Whether the WAL stays as it is, to be read when the file is opened again.
    func close(leavesWAL: Bool) {
      if leavesWAL { _ = millrace_sqlite_leave_wal(pointer) }
      sqlite3_close_v2(pointer)
      pages.deallocate()
    }

    /// Whether the file was opened for reading alone, because it is protected.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Sets the time for which a call waits for a lock that another connection holds.
    func wait(milliseconds: Int32) {
      sqlite3_busy_timeout(pointer, milliseconds)
    }

    func run(_ sql: String) throws(SQLiteFailure) {
      try check(sqlite3_exec(pointer, sql, nil, nil, nil))
    }

    /// Copies the pages of the WAL into the file once there are this many, and makes them durable there.
    func checkpoint(from limit: Int32) throws(SQLiteFailure) {
      guard pages.pointee >= limit else { return }
      do {
        try check(sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
        pages.pointee = 0
      } catch  where error.isBusy {
        // Another connection makes a checkpoint.
      }
    }

    /// Undoes the transaction, if one is open; SQLite may have done so already.
    func rollback() {
      if sqlite3_get_autocommit(pointer) == 0 { sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil) }
    }

    func check(_ code: Int32) throws(SQLiteFailure) {
      guard code == SQLITE_OK else { throw SQLiteFailure(code, pointer) }
    }
  }
#endif
