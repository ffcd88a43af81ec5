#if SQLite
  import MillraceEntries
  import MillraceSQLite

  /// Reads for a check of a whole file, which continue behind what is damaged.
  extension SQLiteJournal: CheckedJournal {
    /// Opens a file to check it: as by ``init(reading:)``, but a damaged row or page is an error of the calls that read it, and of no other call.
    ///
    /// - Throws: ``JournalError``, as ``init(reading:)`` without the check of the first keys.
    package convenience init(checking path: String) async throws(JournalError) {
      var options = SQLiteJournalOptions()
      options.isReading = true
      options.isChecking = true
      try await self.init(path, options)
    }

    /// The number of keys that the file says it has.
    ///
    /// - Throws: ``JournalError``.
    package func keyCount() async throws(JournalError) -> Int {
      try await read { tables in
        let file = try tables.file()
        return file.keys - file.erased
      }
    }

    /// Reads rows of the table of keys, those of single stores first, then those of many by their partitions, in the order of their names.
    ///
    /// - Parameter row: The row before the first one; nil to begin.
    /// - Returns: Up to 1,000 rows, whether they are damaged or not; none behind the last one.
    /// - Throws: ``JournalError`` if no further row can be read.
    package func listedKeys(after row: ListedKey?) async throws(JournalError) -> [ListedKey] {
      try await read { try $0.listedKeys(after: row) }
    }

    /// The partitions that processes have claimed, with the newest claims.
    ///
    /// - Throws: ``JournalError``.
    package func claims() async throws(JournalError) -> [StoredClaim] {
      try await read { tables in
        var claims: [StoredClaim] = []
        try tables.statements.selectPartitions.run {
          let row = try PartitionRow($0)
          claims.append(
            StoredClaim(
              JournalClaim(row.partition, epoch: row.epoch), by: row.newcomer, last: row.position,
              isOneOfSeveral: JournalTables.partitionCount > 1))
          return true
        }
        return claims.sorted {
          ($0.claim.partition.stores, $0.claim.epoch) < ($1.claim.partition.stores, $1.claim.epoch)
        }
      }
    }

    /// Reads the ends of logs, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func ends(of keys: [JournalKey]) async throws(JournalError) -> [LogEnd?] {
      try await read { tables in try keys.map { try tables.end(of: $0) } }
    }

    /// Reads whole logs, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func logs(
      of keys: [JournalKey], upTo byteCount: Int
    ) async throws(JournalError) -> [JournalKey: [JournalRecord]] {
      try await read { tables in
        var (logs, bytes) = ([JournalKey: [JournalRecord]](), 0)
        for key in keys where bytes < byteCount {
          guard let records = try tables.log(of: key) else { continue }
          bytes += records.reduce(0) { $0 + $1.entry.payload.count }
          logs[key] = records
        }
        return logs
      }
    }

    /// Checks all pages and indexes of the file by SQLite, which reads all of it.
    ///
    /// - Returns: The first problems, in SQLite's words; none if the file is whole.
    /// - Throws: ``JournalError``.
    package func integrityProblems() async throws(JournalError) -> [String] {
      try await read { tables in
        var problems: [String] = []
        do {
          try SQLiteStatement(tables.connection, "PRAGMA integrity_check(10)").run {
            problems.append($0.text(0))
            return true
          }
        } catch let failure as SQLiteFailure where failure.isDamage {
          problems.append(failure.reason)
        }
        return problems == ["ok"] ? [] : problems.map { "SQLite finds in \(tables.path.quoted): \($0)" }
      }
    }
  }

  extension ListedKey {
    /// Whether it stands before another row.
    fileprivate func precedes(_ other: ListedKey) -> Bool {
      guard number == other.number else { return number < other.number }
      return name.lexicographicallyPrecedes(other.name)
    }
  }

  extension JournalTables {
    /// The end of a log; nil if it is not the one that was written.
    fileprivate func end(of key: JournalKey) throws -> LogEnd? {
      do {
        let row = try row(of: key)
        let last = row?.last ?? .start
        var record: JournalRecord?
        if let row, last > row.truncated {
          record = try page(of: row, after: JournalSequence(last.number - 1), upTo: 0).records.first
        }
        return LogEnd(
          last: last, removed: row?.truncated ?? .start, record: record, snapshot: row?.snapshot, wake: row?.wake)
      } catch is JournalError {
        return nil
      }
    }

    /// The records of a log; nil if some were removed, or are not those that were written.
    fileprivate func log(of key: JournalKey) throws -> [JournalRecord]? {
      do {
        return try page(of: key, after: .start, upTo: .max).records
      } catch is JournalError {
        return nil
      }
    }

    fileprivate func listedKeys(after row: ListedKey?) throws -> [ListedKey] {
      var stores: [Int: String] = [:]
      try statements.selectPartitions.run {
        // The names are needed to read the keys, and a damaged row of a partition is an error of its claim.
        stores[$0.int(0)] = $0.text(1)
        return true
      }
      var keys: [ListedKey] = []
      var last = row
      // No text is between a text and the same with a zero behind it.
      let start = row.map { String(decoding: $0.name, as: UTF8.self) + "\0" } ?? ""
      let place = [SQLiteValue(row?.number ?? 0), .text(start), SQLiteValue(largestPage)]
      try statements.selectKeys.run(place) { found in
        let key: Result<JournalKey, JournalError>
        do throws(JournalError) {
          key = .success(try KeyRow(found, of: stores[found.int(0)]).key)
        } catch {
          key = .failure(error)
        }
        let stored = ListedKey(key, number: found.int(0), name: found.bytes(1))
        if let last, !last.precedes(stored) { throw JournalError.damaged(path, "the table of keys is broken") }
        keys.append(stored)
        last = stored
        return true
      }
      return keys
    }
  }
#endif
