#if Postgres
  public import MillraceJournal

  extension PostgresJournal: PartitionedJournal {
    /// The number of partitions of many stores, with which the tables were made.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func partitions(of stores: String) async throws(JournalError) -> Int {
      _ = try await read([])
      return partitionCount
    }

    /// Makes the caller the one writer of a partition, as ``PartitionedJournal/claim(_:as:)`` says.
    ///
    /// It waits for a transaction of the earlier owner that is being committed. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func claim(
      _ partition: JournalPartition, as owner: JournalEpoch
    ) async throws(JournalError) -> JournalClaim {
      guard 0..<partitionCount ~= partition.number else { throw .noPartition(partition, count: partitionCount) }
      let before = watch.ends.filter { $0.key == partition }
      let (statements, ends) = (PartitionStatements(tables: tables, partition: partition), EndStatement(before, tables))
      let results = try await write(statements.claim(as: owner.encoded, .random(in: .min ... .max)) + [ends.statement])
      guard let row = StoredPartition(results[2]) else {
        throw .unavailable("another process makes the row of \(partition)")
      }
      watch.compare(ends.found(in: results[3]), with: before)
      let claim = JournalClaim(partition, epoch: row.epoch, name: row.name)
      watch.didClaim([claim])
      return claim
    }

    /// Stores batches of several keys, as ``PartitionedJournal/append(_:claim:)`` says.
    ///
    /// Cancellation has no effect.
    public func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
      await append(appends, claim: Optional(claim))
    }

    /// Reads the keys that are due, as ``PartitionedJournal/due(in:before:after:upTo:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func due(
      in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
    ) async throws(JournalError) -> [JournalDue] {
      let statements = PartitionStatements(tables: tables, partition: partition)
      let found = try await read([statements.due(before: time, after: due, upTo: count)])[0]
      return found.rows.map { row in
        JournalDue(JournalKey(found.text(row, 0), of: partition.stores), wake: found.number(row, 1))
      }
    }

    /// Reads the wake time of a key, as ``PartitionedJournal/wake(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func wake(of key: JournalKey) async throws(JournalError) -> Int64? { try await row(of: key).wake }

    /// Reads the last positions of all partitions, as ``PartitionedJournal/positions(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition] {
      let found = try await read([PartitionStatements.positions(of: stores, tables)])[0]
      return Dictionary(
        found.rows.map { (Int(found.number($0, 0)), JournalPosition(found.bits($0, 1))) }, uniquingKeysWith: max)
    }

    /// The losses of records that this journal has noticed, as ``PartitionedJournal/losses(of:)`` says.
    public func losses(of stores: String) -> JournalLosses { watch.losses(of: stores) }

    /// Reads what a partition has behind a position, as ``PartitionedJournal/records(ofPartition:after:upTo:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func records(
      ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPartitionPage {
      let statements = PartitionStatements(tables: tables, partition: partition)
      let results = try await read([statements.row] + statements.items(after: position, upTo: byteCount))
      let row = StoredPartition(results[0])
      let last = row?.position ?? .start
      guard position <= last else { throw .lost(partition, position: position, last: last) }
      guard let row else { return JournalPartitionPage(items: [], position: .start, last: .start) }
      let page = try statements.page(results.dropFirst(), row, after: position, upTo: byteCount)
      if !page.items.isEmpty { pace.noteChange(at: .now) }
      return page
    }

    /// Reads keys of many stores, as ``PartitionedJournal/keys(of:prefix:after:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey]
    {
      try await names(of: stores, prefix: prefix, after: name)
    }

    /// Removes everything of a key, as ``PartitionedJournal/erase(_:claim:)`` says.
    ///
    /// When it returns, no table has a row of the key. The bytes of removed rows stay in the files of the server until it cleans the tables (VACUUM), and in
    /// its log and copies as long as these are kept. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func erase(_ key: JournalKey, claim: JournalClaim?) async throws(JournalError) {
      let statements = KeyStatements(tables: tables, key: key)
      guard let claim else {
        if key.stores != nil { throw .otherPartition(key, nil) }
        _ = try await write([KeyLock.statement([key]), statements.lock] + statements.erase())
        return
      }
      guard let stores = key.stores,
        JournalPartition(of: stores, holding: key.name, among: partitionCount) == claim.partition
      else { throw .otherPartition(key, claim.partition) }
      // The condition of each statement is the claim, because the process does not see the result of one before it sends the next.
      let results = try await write(
        [PartitionStatements(tables: tables, partition: claim.partition).lock] + statements.erase(claim))
      let row = StoredPartition(results[0])
      guard let row, row.isOf(claim) else {
        throw .fenced(claim, newest: row?.epoch ?? 0, by: row?.newcomer(claim.partition))
      }
    }
  }
#endif
