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
    /// The number of keys of a page.
    private static let largestPage = 1_000

    let connection: SQLiteConnection
    let largestBatch: Int
    private let path: JournalPath
    /// The number of keys of a part of the check.
    private let keysAtOnce: Int
    /// The check of the keys; nil until it begins.
    private var keyCheck: KeyCheck?
    private let begin, beginReading, commit, mark, keep, undo: SQLiteStatement
    private let selectKey, insertKey, updateKey, updateFile, selectKeys: SQLiteStatement
    private let insertRecord, selectRecords, deleteRecords: SQLiteStatement
    private let selectSnapshot, insertSnapshot: SQLiteStatement

    init(_ connection: SQLiteConnection, _ path: JournalPath, _ options: SQLiteJournalOptions) throws {
      func prepare(_ sql: String) throws -> SQLiteStatement { try SQLiteStatement(connection, sql) }
      self.connection = connection
      self.path = path
      largestBatch = options.largestBatch
      keysAtOnce = options.keysAtOnce
      begin = try prepare("BEGIN IMMEDIATE")
      beginReading = try prepare("BEGIN")
      commit = try prepare("COMMIT")
      mark = try prepare("SAVEPOINT batch")
      keep = try prepare("RELEASE batch")
      undo = try prepare("ROLLBACK TO batch")
      selectKey = try prepare("SELECT \(KeyRow.columns) FROM keys WHERE name=?")
      insertKey = try prepare("INSERT INTO keys(\(KeyRow.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      updateKey = try prepare(
        """
        UPDATE keys SET id=?2, last=?3, chain=?4, truncated=?5, truncatedChain=?6, epochSequence=?7, epoch=?8, snapshot=?9, \
        snapshotChecksum=?10, seal=?11 WHERE name=?1
        """)
      updateFile = try prepare("UPDATE file SET keys=?, seal=? WHERE id=1")
      selectKeys = try prepare("SELECT \(KeyRow.columns) FROM keys WHERE name>=? ORDER BY name LIMIT ?")
      insertRecord = try prepare("INSERT INTO records VALUES(?,?,?,?,?,?,?,?,?)")
      selectRecords = try prepare(
        """
        SELECT sequence, writer, batch, kind, version, revision, payload, chain FROM records WHERE key=? AND sequence>=? \
        ORDER BY sequence
        """)
      deleteRecords = try prepare("DELETE FROM records WHERE key=? AND sequence<=?")
      selectSnapshot = try prepare("SELECT sequence, revision, version, payload FROM snapshots WHERE key=?")
      insertSnapshot = try prepare("INSERT OR REPLACE INTO snapshots VALUES(?,?,?,?,?)")
    }

    // MARK: Transactions

    /// Runs writes in one transaction, which is durable when this returns.
    func transaction(_ writes: () throws -> Void) throws {
      do {
        try begin.run()
        try writes()
        try commit.run()
      } catch {
        connection.rollback()
        throw error
      }
    }

    /// Runs the writes of one call, which are undone if the call is refused.
    func alone<Result>(_ write: () throws -> Result) throws -> Result {
      try mark.run()
      do {
        let result = try write()
        try keep.run()
        return result
      } catch let failure as SQLiteFailure {
        throw failure
      } catch {
        try undo.run()
        try keep.run()
        throw error
      }
    }

    /// Runs reads that see one state of the file.
    func read<Result>(_ reads: () throws -> Result) throws -> Result {
      try beginReading.run()
      defer { connection.rollback() }
      return try reads()
    }

    // MARK: Keys

    /// The row of a key; nil if no journal has written one.
    func row(of key: JournalKey) throws -> KeyRow? {
      var found: KeyRow?
      try selectKey.run([.text(key.name)]) {
        found = try KeyRow($0)
        return false
      }
      if found == nil { try checkAllKeys() }
      return found
    }

    func keys(after key: JournalKey?) throws -> [JournalKey] {
      try checkAllKeys()
      var keys: [JournalKey] = []
      // No text is between a text and the same with a zero behind it.
      try selectKeys.run([.text(key.map { "\($0.name)\0" } ?? ""), SQLiteValue(Self.largestPage)]) {
        keys.append(try KeyRow($0).key)
        return true
      }
      return keys
    }

    /// Whether keys are left to be checked.
    var hasUncheckedKeys: Bool { keyCheck.map { $0.result == nil } ?? true }

    /// Checks the next keys, as ``KeyCheck`` says.
    ///
    /// - Throws: ``JournalError`` if they are damaged, as each later call does.
    func checkKeys() throws {
      var check = try keyCheck ?? KeyCheck(expected: keyCount())
      if let result = check.result { return try result.get() }
      var (rows, failure) = (0, JournalError?.none)
      do {
        try selectKeys.run([.text(check.start), SQLiteValue(keysAtOnce)]) {
          try check.take($0)
          rows += 1
          return true
        }
      } catch let error as JournalError {
        failure = error
      } catch let error where (error as? SQLiteFailure)?.isDamage == true || error is KeyCheck.OutOfOrder {
        failure = .damaged(path, "the table of keys is broken")
      }
      if failure != nil || rows < keysAtOnce { check.end(because: failure) { .damaged(path, $0) } }
      keyCheck = check
      try check.result?.get()
    }

    /// Checks the keys that are left, because an answer depends on a key that is missing.
    private func checkAllKeys() throws {
      repeat { try checkKeys() } while hasUncheckedKeys
    }

    private func keyCount() throws -> Int {
      guard let count = try JournalSchema.keyCount(connection) else {
        throw JournalError.damaged(path, "the number of its keys is not the one that was written")
      }
      return count
    }

    // MARK: Records

    /// Adds batches, and returns the new last sequence.
    ///
    /// The row of the key is read and written once for all of them.
    ///
    /// - Throws: ``RefusedBatch`` for the first batch that is refused.
    func append(
      _ batches: ArraySlice<JournalBatch>, to key: JournalKey, after last: JournalSequence
    ) throws -> JournalSequence {
      if batches.isEmpty { return last }
      var index = 0
      do {
        let found = try row(of: key)
        var row = try found ?? newRow(key)
        guard row.last == last else { throw try conflict(row, expected: last) }
        for batch in batches {
          try add(batch, to: &row)
          index += 1
        }
        // A key begins with its first record.
        if row.last > last { try write(row, isNew: found == nil) }
        return row.last
      } catch let error as JournalError {
        throw RefusedBatch(index: index, error: error)
      }
    }

    private func add(_ batch: JournalBatch, to row: inout KeyRow) throws {
      guard batch.byteCount <= largestBatch else { throw JournalError.tooLarge(batch, limit: largestBatch) }
      for record in row.chain.records(of: batch, after: row.last) {
        try insert(record, key: row)
        if record.entry.kind == .epoch { (row.epochSequence, row.epoch) = (record.sequence, record.entry.payload) }
        row.last = record.sequence
      }
    }

    private func write(_ row: KeyRow, isNew: Bool) throws {
      guard isNew else { return try updateKey.run(row.values) }
      try insertKey.run(row.values)
      try updateFile.run([SQLiteValue(row.id), SQLiteValue(JournalSchema.seal(keys: row.id))])
    }

    private func insert(_ record: JournalRecord, key row: KeyRow) throws {
      do {
        try insertRecord.run(binding: { parameters in
          parameters.add(row.id)
          parameters.add(record.sequence.number)
          parameters.add(record.batch.writer)
          parameters.add(record.batch.number)
          parameters.add(Int(record.entry.kind.rawValue))
          parameters.add(record.entry.schemaVersion)
          parameters.add(record.entry.revision ?? -1)
          parameters.add(record.entry.payload)
          parameters.add(record.checksum)
        })
      } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_CONSTRAINT {
        // There is a record behind the last one.
        throw JournalError.corrupt(row.key, at: record.sequence)
      }
    }

    private func newRow(_ key: JournalKey) throws -> KeyRow {
      KeyRow(key, id: try keyCount() + 1)
    }

    private func conflict(_ row: KeyRow, expected: JournalSequence) throws(JournalError) -> JournalError {
      let newcomer =
        row.epochSequence > expected
        ? try JournalEpoch(payload: row.epoch, of: row.key, at: row.epochSequence) : nil
      return .conflict(row.key, expected: expected, last: row.last, newcomer: newcomer)
    }

    func page(of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int) throws -> JournalPage {
      guard let row = try row(of: key) else { return JournalPage(records: [], last: .start) }
      guard sequence >= row.truncated else {
        throw JournalError.truncated(key, after: sequence, through: row.truncated)
      }
      guard sequence < row.last else { return JournalPage(records: [], last: row.last) }
      var reader = PageReader(row, after: sequence, upTo: byteCount)
      let start = sequence == row.truncated ? sequence.advanced(by: 1) : sequence
      try selectRecords.run([SQLiteValue(row.id), SQLiteValue(start.number)]) { try reader.take($0) }
      return try reader.page()
    }

    // MARK: Snapshots

    func snapshot(of key: JournalKey) throws -> JournalSnapshot? {
      guard let row = try row(of: key), let stored = row.snapshot else { return nil }
      var found: JournalSnapshot?
      try selectSnapshot.run([SQLiteValue(row.id)]) {
        found = JournalSnapshot(
          sequence: JournalSequence($0.number(0)), revision: $0.int(1), payload: $0.bytes(3), schemaVersion: $0.int(2))
        return false
      }
      guard let found, found.sequence == stored.sequence, found.checksum(of: key) == stored.checksum,
        found.revision >= 0
      else {
        throw JournalError.corruptSnapshot(key)
      }
      return found
    }

    func store(_ snapshot: JournalSnapshot, of key: JournalKey) throws {
      let found = try row(of: key)
      guard var row = found, snapshot.sequence <= row.last else {
        throw JournalError.snapshotAhead(key, snapshot.sequence, last: found?.last ?? .start)
      }
      if let stored = row.snapshot, stored.sequence > snapshot.sequence { return }
      do {
        try insertSnapshot.run([
          SQLiteValue(row.id), SQLiteValue(snapshot.sequence.number), SQLiteValue(snapshot.revision),
          SQLiteValue(snapshot.schemaVersion), .bytes(snapshot.payload),
        ])
      } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_TOOBIG {
        throw JournalError(
          .tooLarge,
          "The snapshot of \(key.quoted) has \(snapshot.payload.count) bytes, more than SQLite stores; keep less in the state."
        )
      }
      row.snapshot = (snapshot.sequence, snapshot.checksum(of: key))
      try updateKey.run(row.values)
    }

    /// Removes records, and returns the last one that is removed.
    func truncate(_ key: JournalKey, through sequence: JournalSequence) throws -> JournalSequence {
      let found = try row(of: key)
      let removed = found?.truncated ?? .start
      guard sequence > removed else { return removed }
      guard var row = found, let snapshot = row.snapshot, snapshot.sequence >= sequence else {
        throw JournalError.truncationAhead(key, sequence, snapshot: found?.snapshot?.sequence)
      }
      let end = min(sequence, removed.advanced(by: largestTruncation))
      // The chain continues behind the last record that is removed. Those before it are in the snapshot, so they are not read again.
      guard let last = try page(of: key, after: JournalSequence(end.number - 1), upTo: 0).records.first else {
        throw JournalError.corrupt(key, at: end)
      }
      (row.truncated, row.truncatedChain) = (end, RecordChain(continuing: last.checksum))
      try deleteRecords.run([SQLiteValue(row.id), SQLiteValue(row.truncated.number)])
      try updateKey.run(row.values)
      return row.truncated
    }
  }
#endif
