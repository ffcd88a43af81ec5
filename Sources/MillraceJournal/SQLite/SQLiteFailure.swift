#if SQLite
  import MillraceSQLite
  import Foundation

  /// A call of SQLite that failed.
  struct SQLiteFailure: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32

    /// The text of SQLite, and that of the system if it has one.
    let description: String

    init(_ code: Int32, _ connection: OpaquePointer?) {
      self.code = code
      let system = connection.map(sqlite3_system_errno) ?? 0
      let reason = String(cString: sqlite3_errstr(code))
      description = system == 0 ? reason : "\(reason) (\(String(cString: strerror(system))))"
    }

    var primaryCode: Int32 { code & 0xFF }

    /// Whether another connection held the lock, so that nothing was changed.
    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// Whether bytes of the file have changed since they were written.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether the file never was a database.
    var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// Whether the system may have dropped writes that it had accepted, so that this process cannot trust the file any more.
    var isFailedSync: Bool {
      // SQLite's macros are shifts, which Swift does not import.
      let (sync, folderSync): (Int32, Int32) = (4, 5)
      return code == SQLITE_IOERR | sync << 8 || code == SQLITE_IOERR | folderSync << 8
    }

    /// The error with which the file fails.
    func error(of path: String) -> JournalError {
      if isDamage {
        return JournalError(
          .corrupt, "\(path) is damaged: \(self); restore the journal from a copy.")
      }
      return JournalError(
        .failed,
        """
        \(path) failed: \(self); whether the batches in progress were stored shows when the journal is opened again\
        \(isFailedSync ? ", which takes a new process" : "").
        """)
    }
  }
#endif
