#if SQLite
  import Foundation
  import MillraceSQLite

  /// A connection to a database, which one thread uses.
  final class SQLiteConnection {
    let pointer: OpaquePointer
    /// The number of pages in the WAL after the last commit.
    private let pages: UnsafeMutablePointer<Int32>

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - system: The name of SQLite's interface to the system; nil for the default one.
    ///   - makesFile: Whether the file is made if it is missing.
    init(_ path: JournalPath, system: String?, makesFile: Bool = true) throws(SQLiteFailure) {
      var opened: OpaquePointer?
      var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      if makesFile { flags |= SQLITE_OPEN_CREATE }
      let code = path.withCString { sqlite3_open_v2($0, &opened, flags, system) }
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

    /// Whether there is a file that has bytes.
    static func hasBytes(_ path: JournalPath, system: String?) -> Bool {
      guard let vfs = sqlite3_vfs_find(system), let access = vfs.pointee.xAccess else { return false }
      var result: Int32 = 0
      return path.withCString { access(vfs, $0, SQLITE_ACCESS_EXISTS, &result) } == SQLITE_OK && result != 0
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

    /// Copies all pages of the WAL to the file, synchronizes it, and empties the WAL.
    ///
    /// After a failed sync Linux shows readers pages that are not on the disk, and no later sync writes them. So the bytes of the WAL are
    /// written once more before they are copied: a power cut during the copy would leave a file of two ages otherwise.
    ///
    /// - Returns: False if another connection writes or makes a checkpoint.
    func emptyWAL() throws(SQLiteFailure) -> Bool {
      do {
        try run("BEGIN IMMEDIATE")
        defer { rollback() }
        try rewriteWAL()
      } catch  where error.isBusy {
        return false
      }
      return try truncateWAL()
    }

    /// Copies all pages of the WAL to the file, and makes the WAL an empty file.
    ///
    /// - Returns: False if another connection reads, writes or makes a checkpoint.
    func truncateWAL() throws(SQLiteFailure) -> Bool {
      do {
        try check(sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
      } catch  where error.isBusy {
        return false
      }
      return true
    }

    /// Writes the bytes of the WAL that readers see to the disk; the caller has the lock of writers.
    private func rewriteWAL() throws(SQLiteFailure) {
      var found: UnsafeMutablePointer<sqlite3_file>?
      try check(sqlite3_file_control(pointer, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found))
      guard let wal = found, let methods = wal.pointee.pMethods?.pointee else { return }
      var size: sqlite3_int64 = 0
      try check(methods.xFileSize(wal, &size))
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
      defer { buffer.deallocate() }
      for start in stride(from: 0, to: size, by: buffer.count) {
        let count = Int32(min(sqlite3_int64(buffer.count), size - start))
        try check(methods.xRead(wal, buffer.baseAddress, count, start))
        try check(methods.xWrite(wal, buffer.baseAddress, count, start))
      }
      if size > 0 { try check(methods.xSync(wal, SQLITE_SYNC_NORMAL)) }
    }

    /// Undoes the transaction, if one is open; SQLite may have done so already.
    func rollback() {
      if sqlite3_get_autocommit(pointer) == 0 { sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil) }
    }

    func check(_ code: Int32) throws(SQLiteFailure) {
      guard code == SQLITE_OK else { throw SQLiteFailure(code, pointer) }
    }
  }

  /// A call of SQLite that failed.
  struct SQLiteFailure: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32

    /// The text of SQLite.
    let reason: String

    /// The text of SQLite, and that of the system if it has one.
    let description: String

    /// Whether there was no room on the disk, or none for the user.
    let isFull: Bool

    init(_ code: Int32, _ connection: OpaquePointer?) {
      self.code = code
      let system = connection.map(sqlite3_system_errno) ?? 0
      reason = String(cString: sqlite3_errstr(code))
      isFull = code & 0xFF == SQLITE_FULL || JournalError.isFull(system)
      description = system == 0 ? reason : "\(reason) (\(String(cString: strerror(system))))"
    }

    var primaryCode: Int32 { code & 0xFF }

    /// Whether the system has opened no file.
    var cannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// Whether another connection held the lock, so that nothing was changed.
    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// Whether bytes of the file have changed since they were written.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether the file never was a database.
    var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// The error with which the file fails.
    func error(of path: JournalPath) -> JournalError {
      if isDamage {
        return JournalError(
          .corrupt, "\(path.quoted) is damaged: \(self); restore the journal from a copy.")
      }
      return JournalError(
        .failed,
        """
        \(path.quoted) failed: \(self); \(isFull ? "free space on its disk, " : "")close the journal, and open it again to see whether the \
        batches in progress were stored.
        """)
    }
  }
#endif
