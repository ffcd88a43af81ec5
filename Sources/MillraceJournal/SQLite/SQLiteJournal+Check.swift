#if SQLite
  import MillraceEntries
  import MillraceSQLite

  /// Reads for a check of a whole file, which continue behind what is damaged.
  extension SQLiteJournal {
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
    package func storedKeys(after row: StoredKey?) async throws(JournalError) -> [StoredKey] {
      try await read { try $0.storedKeys(after: row) }
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
            StoredClaim(claim: JournalClaim(row.partition, epoch: row.epoch), owner: row.newcomer, last: row.position))
          return true
        }
        return claims.sorted {
          ($0.claim.partition.stores, $0.claim.epoch) < ($1.claim.partition.stores, $1.claim.epoch)
        }
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
        return problems == ["ok"] ? [] : problems
      }
    }
  }

  /// A row of the table of keys.
  package struct StoredKey: Sendable {
    /// The key, or the error of a row that is not the one that was written.
    package let key: Result<JournalKey, JournalError>
    fileprivate let partition: Int
    fileprivate let name: [UInt8]

    /// Whether it stands before another row.
    fileprivate func precedes(_ other: StoredKey) -> Bool {
      guard partition == other.partition else { return partition < other.partition }
      return name.lexicographicallyPrecedes(other.name)
    }
  }

  /// The newest claim of a partition.
  package struct StoredClaim: Sendable, CustomStringConvertible {
    /// The claim.
    package let claim: JournalClaim
    /// The process that made it; nil if its name cannot be read.
    package let owner: JournalEpoch?
    /// The last position of the partition.
    package let last: JournalPosition

    /// The name of the stores, the number and the maker of the claim, and the last position.
    package var description: String {
      let owner = owner.map { ", by \($0)" } ?? ""
      return "\(claim.partition.stores.shown()): claim \(claim.epoch)\(owner.shown()), position \(last)"
    }
  }

  extension JournalTables {
    fileprivate func storedKeys(after row: StoredKey?) throws -> [StoredKey] {
      var stores: [Int: String] = [:]
      try statements.selectPartitions.run {
        // The names are needed to read the keys, and a damaged row of a partition is an error of its claim.
        stores[$0.int(0)] = $0.text(1)
        return true
      }
      var keys: [StoredKey] = []
      var last = row
      // No text is between a text and the same with a zero behind it.
      let start = row.map { String(decoding: $0.name, as: UTF8.self) + "\0" } ?? ""
      let place = [SQLiteValue(row?.partition ?? 0), .text(start), SQLiteValue(largestPage)]
      try statements.selectKeys.run(place) { found in
        let key: Result<JournalKey, JournalError>
        do throws(JournalError) {
          key = .success(try KeyRow(found, of: stores[found.int(0)]).key)
        } catch {
          key = .failure(error)
        }
        let stored = StoredKey(key: key, partition: found.int(0), name: found.bytes(1))
        if let last, !last.precedes(stored) { throw JournalError.damaged(path, "the table of keys is broken") }
        keys.append(stored)
        last = stored
        return true
      }
      return keys
    }
  }
#endif
