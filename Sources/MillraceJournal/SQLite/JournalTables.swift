#if SQLite
  import MillraceSQLite

  /// The first of some batches that is refused, while the file works.
  struct RefusedBatch: Error {
    /// The number of batches before it.
    let index: Int
    let error: JournalError
  }

  /// The statements on the tables of a journal, which the thread of the file runs.
  ///
  /// A method throws ``JournalError`` where a call is refused and the file is as before, and ``SQLiteFailure`` where the file fails.
  final class JournalTables {
    let connection: SQLiteConnection
    let largestBatch: Int
    let path: JournalPath
    let statements: JournalStatements
    /// The number of keys of a part of the check.
    private let keysAtOnce: Int
    /// The check of the keys; nil until it begins.
    private var keyCheck: KeyCheck?

    init(_ connection: SQLiteConnection, _ path: JournalPath, _ options: SQLiteJournalOptions) {
      self.connection = connection
      self.path = path
      largestBatch = options.largestBatch
      keysAtOnce = options.keysAtOnce
      statements = JournalStatements(connection)
    }

    // MARK: Transactions

    /// Runs writes in one transaction, which is durable when this returns.
    func transaction(_ writes: () throws -> Void) throws {
      do {
        try statements.begin.run()
        try writes()
        try statements.commit.run()
      } catch {
        connection.rollback()
        throw error
      }
    }

    /// Runs the writes of one call, which are undone if the call is refused.
    func alone<Result>(_ write: () throws -> Result) throws -> Result {
      try statements.mark.run()
      do {
        let result = try write()
        try statements.keep.run()
        return result
      } catch let failure as SQLiteFailure {
        throw failure
      } catch {
        try statements.undo.run()
        try statements.keep.run()
        throw error
      }
    }

    /// Runs reads that see one state of the file.
    func read<Result>(_ reads: () throws -> Result) throws -> Result {
      try statements.beginReading.run()
      defer { connection.rollback() }
      return try reads()
    }

    // MARK: Keys

    /// The row of a key, which the table does not have if the key was erased; nil if no journal has written one.
    func row(of key: JournalKey) throws -> KeyRow? {
      guard let stores = key.stores else { return try row(of: key, in: 0) }
      guard let partition = try partition(JournalPartition(of: stores, number: 0)) else { return nil }
      return try row(of: key, in: partition.id)
    }

    /// The row of a key in the partition with this id.
    func row(of key: JournalKey, in partition: Int) throws -> KeyRow? {
      var found: KeyRow?
      try statements.selectKey.run([SQLiteValue(partition), .text(key.name)]) {
        found = try KeyRow($0, of: key.stores)
        return false
      }
      if let found { return found }
      try checkAllKeys()
      return try erasedRow(of: key, in: partition)
    }

    func keys(after key: JournalKey?) throws -> [JournalKey] {
      // No text is between a text and the same with a zero behind it.
      try keys(in: 0, of: nil, from: key.map { "\($0.name)\0" } ?? "")
    }

    /// Up to 1,000 keys of a partition in the order of their names.
    func keys(in partition: Int, of stores: String?, from name: String) throws -> [JournalKey] {
      try checkAllKeys()
      var keys: [JournalKey] = []
      try statements.selectKeysOf.run([SQLiteValue(partition), .text(name), SQLiteValue(largestPage)]) {
        keys.append(try KeyRow($0, of: stores).key)
        return true
      }
      return keys
    }

    /// A row for a key that has none.
    func newRow(_ key: JournalKey, in partition: Int) throws -> KeyRow {
      KeyRow(key, in: partition, id: try file().keys + 1)
    }

    /// Writes the row of a key, and what a key has that begins.
    func write(_ row: KeyRow) throws {
      if row.isStored { return try statements.updateKey.run(row.values) }
      try statements.insertKey.run(row.values)
      var file = try file()
      file.keys = row.id
      try write(file)
      // A key that was erased has the hash of its name so far, which stays for the readers of a partition.
      if let snapshot = row.snapshot {
        try write(.erased(through: snapshot.sequence), of: row, parts: nil)
        if row.partition == 0 { try statements.deleteErased.run([.text(row.key.digest.description)]) }
      }
    }

    // MARK: The file

    func file() throws -> FileRow {
      var found: FileRow?
      try statements.selectFile.run {
        found = FileRow($0)
        return false
      }
      guard let found else {
        throw JournalError.damaged(path, "the number of its keys is not the one that was written")
      }
      return found
    }

    func write(_ file: FileRow) throws { try statements.updateFile.run(file.values) }

    // MARK: The check of the keys

    /// Whether keys are left to be checked.
    var hasUncheckedKeys: Bool { keyCheck.map { $0.result == nil } ?? true }

    /// Checks the next keys, as ``KeyCheck`` says.
    ///
    /// - Throws: ``JournalError`` if they are damaged, as each later call does.
    func checkKeys() throws {
      var check = try keyCheck ?? KeyCheck(file())
      if let result = check.result { return try result.get() }
      var (rows, failure) = (0, JournalError?.none)
      do {
        let start = check.start
        try statements.selectKeys.run([SQLiteValue(start.partition), .text(start.name), SQLiteValue(keysAtOnce)]) {
          try check.take($0)
          rows += 1
          return true
        }
      } catch let error as JournalError {
        failure = error
      } catch let error where (error as? SQLiteFailure)?.isDamage == true || error is KeyCheck.OutOfOrder {
        failure = .damaged(path, "the table of keys is broken")
      }
      if failure != nil || rows < keysAtOnce {
        let file = try file()
        // Another process may have erased keys that were counted.
        if failure == nil, file.erased != check.file.erased {
          check = KeyCheck(file)
        } else {
          check.end(because: failure) { .damaged(path, $0) }
        }
      }
      keyCheck = check
      try check.result?.get()
    }

    /// Checks the keys that are left, because an answer depends on a key that is missing.
    func checkAllKeys() throws {
      repeat { try checkKeys() } while hasUncheckedKeys
    }
  }
#endif
