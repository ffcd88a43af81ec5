#if SQLite
  import Foundation

  /// Changes of a file that no other process has open.
  extension SQLiteJournal {
    /// Opens a file that is there for a process that changes it by hand, while no other process has it open, reads it or opens it.
    ///
    /// - Throws: ``JournalError``, as for a file that is opened to be written; with ``JournalError/Code/unavailable`` if another process has the
    ///   file open, and with ``JournalError/Code/cannotOpen`` if there is no file. The file is left as it is then.
    package convenience init(alone path: String) async throws(JournalError) {
      var options = SQLiteJournalOptions()
      options.isAlone = true
      try await self.init(path, options)
    }

    /// Writes the file anew without the room that removed records have left, in one transaction.
    ///
    /// It needs room for two more copies of the file: the WAL beside it, and a file in the folder of temporary files.
    ///
    /// - Throws: ``JournalError``. The file is as before then.
    package func compact() async throws(JournalError) {
      _ = try await call(.outside) { tables in
        // A copy in memory might be larger than that.
        try tables.connection.run("PRAGMA temp_store=FILE")
        try tables.connection.run("VACUUM")
        try tables.connection.run("PRAGMA temp_store=MEMORY")
        return try tables.connection.truncateWAL()
      }
    }
  }
#endif
