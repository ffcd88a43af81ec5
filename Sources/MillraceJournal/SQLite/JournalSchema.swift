#if SQLite
  import Foundation
  import MillraceSQLite

  /// The tables of a journal's file, and the checks of a file that is opened.
  struct JournalSchema {
    /// The size in bytes that the WAL keeps behind a checkpoint; twice the usual one, so that it is not made anew each time.
    static let largestWAL = 1 << 23

    let connection: SQLiteConnection
    let path: JournalPath
    /// Whether no other process may have the file open.
    let isAlone: Bool

    /// The time in milliseconds for which opening waits for other processes; one that has the file open does not close it soon.
    private var waitingTime: Int32 { isAlone ? 100 : 5_000 }

    /// Checks that the file is a journal, and makes it one if it is empty.
    ///
    /// Nothing is changed in a file of another program.
    func open(pageSize: Int) throws {
      connection.wait(milliseconds: waitingTime)
      // Each connection to a file with a WAL keeps a shared lock on the file, so the first access fails while there is another one.
      if isAlone { try connection.run("PRAGMA locking_mode=EXCLUSIVE") }
      if try !isEmpty() { try checkVersion(from: 1) }
      try connection.run("PRAGMA page_size=\(pageSize)")
      guard try text("PRAGMA journal_mode=WAL") == "wal" else {
        throw JournalError(
          .cannotOpen,
          "\(path.quoted) is on a file system that has no shared memory for SQLite; put the journal on a local disk.")
      }
      try connection.run("PRAGMA synchronous=FULL")
      // What a savepoint needs to undo a large batch stays in memory, so that no other folder has to be writable.
      try connection.run("PRAGMA temp_store=MEMORY")
      try connection.run("PRAGMA cell_size_check=ON")
      // What is removed is overwritten with zeros, because an erasure cannot do that later.
      try connection.run("PRAGMA secure_delete=ON")
      // A checkpoint leaves the WAL as large as its largest transaction has made it.
      try connection.run("PRAGMA journal_size_limit=\(Self.largestWAL)")
      try emptyWAL()
      connection.wait(milliseconds: waitingTime)
      try connection.run("BEGIN IMMEDIATE")
      defer { connection.rollback() }
      // Another process may have made the tables meanwhile.
      if try number("SELECT count(*) FROM sqlite_schema") == 0 {
        try make()
      } else if try number("PRAGMA user_version") == 1 {
        try move()
      }
      try check()
      try connection.run("COMMIT")
    }

    /// Checks that the file is a journal of this version, and has the connection write nothing.
    func openToRead() throws {
      connection.wait(milliseconds: waitingTime)
      try connection.run("PRAGMA query_only=ON")
      try connection.run("PRAGMA cell_size_check=ON")
      try connection.run("BEGIN")
      defer { connection.rollback() }
      guard try !isEmpty() else {
        throw JournalError(
          .notAJournal, "\(path.quoted) is empty; name the file of a journal that a program has written.")
      }
      try checkVersion(from: JournalFormat.version)
      try check()
    }

    /// Whether the file has a WAL.
    var hasWAL: Bool {
      get throws { try text("PRAGMA journal_mode") == "wal" }
    }

    private func isEmpty() throws -> Bool {
      try number("SELECT count(*) FROM sqlite_schema") == 0 && number("PRAGMA user_version") == 0
    }

    /// Checks that the file is a journal of this version, or of one since the oldest that can be used.
    private func checkVersion(from oldest: Int) throws {
      guard try number("PRAGMA application_id") == JournalFormat.application else {
        throw JournalError(
          .notAJournal,
          "\(path.quoted) is a database of another program, and is left as it is; give the journal the name of a file of its own."
        )
      }
      let found = try number("PRAGMA user_version")
      if found == 1 && oldest > found {
        throw JournalError(
          .otherVersion,
          "\(path.quoted) has version 1 of the format; open it once to write it, as its program does, which moves it to this version."
        )
      }
      guard oldest...JournalFormat.version ~= found else {
        throw JournalError(
          .otherVersion,
          """
          \(path.quoted) has version \(found) of the format, and this program reads versions 1 to \(JournalFormat.version); open it with the \
          version of Millrace that wrote it.
          """)
      }
    }

    /// Synchronizes what this process reads, before anything is stored behind it.
    ///
    /// After a failed sync of another process the WAL has pages that readers see and that are not on the disk. An open process has no
    /// such pages: it has emptied the WAL when it opened the file, and closes its connection with its first failure. So a file that other
    /// processes use all the time is opened as it is.
    private func emptyWAL() throws {
      let deadline = ContinuousClock.now + .milliseconds(waitingTime)
      connection.wait(milliseconds: 20)
      while try !connection.emptyWAL(), ContinuousClock.now < deadline { sqlite3_sleep(5) }
    }

    private func make() throws {
      for table in JournalFormat.tables { try connection.run(table) }
      try connection.run("PRAGMA application_id=\(JournalFormat.application)")
      try connection.run("PRAGMA user_version=\(JournalFormat.version)")
      try SQLiteStatement(connection, "INSERT INTO file(\(FileRow.columns), id) VALUES(?, ?, ?, ?, 1)").run(
        FileRow().values)
    }

    /// Moves a file of version 1 to this version.
    private func move() throws {
      for statement in JournalFormat.moves {
        do {
          try connection.run(statement)
        } catch {
          guard [SQLITE_ERROR, SQLITE_CONSTRAINT].contains(error.primaryCode) else { throw error }
          throw JournalError.damaged(path, "its tables are not those of version 1 (\(error))")
        }
      }
      try connection.run("PRAGMA user_version=\(JournalFormat.version)")
    }

    /// Checks that the tables are those that were made; what they hold is checked when it is read.
    private func check() throws {
      var found: [String] = []
      // SQLite makes tables of its own, as for ANALYZE.
      let tables = "SELECT sql FROM sqlite_schema WHERE substr(name,1,7)<>'sqlite_'"
      try SQLiteStatement(connection, tables).run {
        found.append($0.text(0))
        return true
      }
      guard found.sorted() == JournalFormat.tables.sorted() else {
        throw JournalError.damaged(path, "the tables are not those of a journal")
      }
    }

    // A PRAGMA shows its row before it commits, so statements run to their end.
    private func number(_ sql: String) throws -> Int {
      var number = 0
      try SQLiteStatement(connection, sql).run {
        number = $0.int(0)
        return true
      }
      return number
    }

    private func text(_ sql: String) throws -> String {
      var text = ""
      try SQLiteStatement(connection, sql).run {
        text = $0.text(0)
        return true
      }
      return text
    }
  }

  extension JournalError {
    /// Whether an error number of the system means that there is no room on the disk, or none for the user.
    static func isFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }

    /// The error for a file that the system does not make or open.
    static func cannotOpen(_ path: JournalPath, _ error: Int32) -> JournalError {
      cannotOpen(path, JournalPath.text(of: error), isFull: isFull(error))
    }

    static func cannotOpen(_ path: JournalPath, _ reason: String, isFull: Bool) -> JournalError {
      JournalError(
        .cannotOpen,
        """
        \(path.quoted) cannot be opened: \(reason); \
        \(isFull ? "free space on its disk, and open it again" : "see that its folder can be written, or name another file").
        """)
    }

    static func unsynchronizedFolder(of path: JournalPath, _ error: Int32) -> JournalError {
      JournalError(
        .cannotOpen,
        """
        The folder of \(path.quoted) cannot be synchronized (\(JournalPath.text(of: error))), so a power cut could remove the file with \
        what is stored in it; see that the process can read the folder and open more files, and that its disk has no errors, then open it again.
        """)
    }

    static func readOnly(_ path: JournalPath) -> JournalError {
      JournalError(
        .readOnly, "\(path.quoted) was opened to be read alone; open it by 'SQLiteJournal(_:)' to change something.")
    }

    static func damaged(_ path: JournalPath, _ reason: String) -> JournalError {
      JournalError(.corrupt, "\(path.quoted) is damaged: \(reason); restore the journal from a copy.")
    }

    static func damagedErasures(_ path: JournalPath) -> JournalError {
      damaged(path, "a hash of an erased key is not the one that was written")
    }
  }
#endif
