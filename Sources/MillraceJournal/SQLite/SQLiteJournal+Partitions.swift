#if SQLite
  extension SQLiteJournal: PartitionedJournal {
    /// The number of partitions of many stores: 1 in a file.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func partitions(of stores: String) async throws(JournalError) -> Int {
      try await read { _ in JournalTables.partitionCount }
    }

    /// Makes the caller the one writer of a partition, as ``PartitionedJournal/claim(_:as:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func claim(
      _ partition: JournalPartition, as owner: JournalEpoch
    ) async throws(JournalError) -> JournalClaim {
      let name = owner.encoded
      return try await write { try $0.claim(partition, as: name) }
    }

    /// Stores batches of several keys, as ``PartitionedJournal/append(_:claim:)`` says.
    ///
    /// Cancellation has no effect.
    public func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
      do {
        return try await call(.write) { tables in
          let found = try tables.partition(of: claim)
          var row = Optional(found)
          var results: [JournalAppend] = []
          for part in appends { results.append(try Self.append(part, of: claim, in: &row, tables)) }
          if let row, row.position != found.position { try tables.write(row) }
          return results
        }
      } catch {
        return appends.map { JournalAppend(stored: 0, last: $0.last, failure: error) }
      }
    }

    private static func append(
      _ part: JournalKeyAppend, of claim: JournalClaim, in row: inout PartitionRow?, _ tables: JournalTables
    ) throws -> JournalAppend {
      do {
        try tables.check(part.key, isIn: claim.partition)
      } catch let error as JournalError {
        return JournalAppend(stored: 0, last: part.last, failure: error)
      }
      return try append(part, in: &row, tables)
    }

    /// Reads the keys that are due, as ``PartitionedJournal/due(in:before:after:upTo:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func due(
      in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
    ) async throws(JournalError) -> [JournalDue] {
      try await read { try $0.due(in: partition, before: time, after: due, upTo: count) }
    }

    /// Reads the wake time of a key, as ``PartitionedJournal/wake(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func wake(of key: JournalKey) async throws(JournalError) -> Int64? {
      try await read { try $0.row(of: key)?.wake }
    }

    /// Reads the last positions of all partitions, as ``PartitionedJournal/positions(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition] {
      try await read { tables in
        let found = try tables.partition(JournalPartition(of: stores, number: 0))
        return found.map { [$0.partition.number: $0.position] } ?? [:]
      }
    }

    /// Reads what a partition has behind a position, as ``PartitionedJournal/records(ofPartition:after:upTo:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func records(
      ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPartitionPage {
      try await read { try $0.page(of: partition, after: position, upTo: byteCount) }
    }

    /// Reads keys of many stores, as ``PartitionedJournal/keys(of:prefix:after:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func keys(
      of stores: String, prefix: String, after name: String?
    ) async throws(JournalError) -> [JournalKey] {
      try await read { try $0.keys(of: stores, prefix: prefix, after: name) }
    }

    /// Removes everything of a key, as ``PartitionedJournal/erase(_:claim:)`` says.
    ///
    /// When it returns, neither the file nor the WAL has bytes of the key; a file that version 1 of the format wrote may have bytes of records
    /// that were removed before, until it is written anew. Repeat a call that fails as ``JournalError/Code/unavailable``: the key is
    /// erased, and another process reads the WAL, which has to be emptied. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func erase(_ key: JournalKey, claim: JournalClaim?) async throws(JournalError) {
      try await write { tables in
        guard let claim else {
          if key.stores != nil { throw JournalError.otherPartition(key, nil) }
          return try tables.erase(key, in: nil)
        }
        let row = try tables.partition(of: claim)
        try tables.check(key, isIn: claim.partition)
        try tables.erase(key, in: row)
      }
      let isEmpty = try await call(.outside) { try $0.connection.truncateWAL() }
      guard isEmpty else {
        throw JournalError(
          .unavailable,
          "The key \(key.quoted) is erased, and another process reads the bytes that the WAL still has of it; repeat the call."
        )
      }
    }

    /// Begins the log of a key behind a record, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func begin(
      _ key: JournalKey, after last: JournalSequence, wake: Int64?, claim: JournalClaim?
    ) async throws(JournalError) {
      try await write { tables in
        guard let claim else {
          if key.stores != nil { throw JournalError.otherPartition(key, nil) }
          return try tables.begin(key, after: last, wake: nil, in: nil)
        }
        let row = try tables.partition(of: claim)
        try tables.check(key, isIn: claim.partition)
        try tables.begin(key, after: last, wake: wake, in: row)
      }
    }
  }
#endif
