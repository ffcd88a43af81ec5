#if Postgres
  import Millrace
  import MillraceJournal

  /// The thread that stores what waits, in one transaction after the other.
  ///
  /// While the server stores one, the next appends gather. A key is in a transaction once; what else waits for it comes with the next one.
  struct AppendThread {
    /// The number of times that an append is tried while what is known of its partition or key changes.
    private static let mostAttempts = 8
    /// The size in bytes behind which a transaction takes no more appends.
    private static let transactionBytes = 1 << 23

    private let queue: CallQueue<AppendCall>
    private let tables: PostgresTables
    private let texts: AppendTexts
    private let partitionCount: Int
    private let largestBatch: Int
    private var link: ServerLink
    private var waiting: [PendingAppend] = []
    private var owned: [JournalPartition: OwnedPartition] = [:]
    /// The reasons for which claims of the next transaction cannot be used.
    private var failures: [JournalClaim: JournalError] = [:]

    init(
      _ queue: CallQueue<AppendCall>, _ link: ServerLink, _ tables: PostgresTables, partitions: Int, largestBatch: Int
    ) {
      (self.queue, self.link, self.tables) = (queue, link, tables)
      texts = AppendTexts(tables)
      (partitionCount, self.largestBatch) = (partitions, largestBatch)
    }

    mutating func run() {
      while true {
        let calls = queue.take(waitingFor: waiting.isEmpty ? nil : .zero)
        if calls == nil, waiting.isEmpty { break }
        for call in calls ?? [] { add(call) }
        store(nextAppends())
      }
      queue.end()
    }

    private mutating func add(_ call: AppendCall) {
      let results = AppendResults(call)
      for (number, part) in call.parts.enumerated() {
        let append = PendingAppend(part, call.claim, number, of: results, limit: largestBatch)
        if let error = refusal(part.key, call.claim) {
          append.fail(error)
        } else if append.batches.isEmpty {
          append.didStore()
        } else {
          waiting.append(append)
        }
      }
    }

    /// The reason for which a key is none of a claim's partition; nil if it is one.
    private func refusal(_ key: JournalKey, _ claim: JournalClaim?) -> JournalError? {
      guard let stores = key.stores else { return claim.map { .otherPartition(key, $0.partition) } }
      guard let claim else { return .otherPartition(key, nil) }
      let partition = JournalPartition(of: stores, holding: key.name, among: partitionCount)
      return partition == claim.partition ? nil : .otherPartition(key, claim.partition)
    }

    /// Takes the appends of the next transaction: each key and each partition with one claim only.
    private mutating func nextAppends() -> [PendingAppend] {
      var (taken, left, bytes): ([PendingAppend], [PendingAppend], Int) = ([], [], 0)
      var (keys, claims): (Set<JournalKey>, [JournalPartition: UInt64]) = ([], [:])
      for append in waiting {
        let claim = append.claim
        guard bytes < Self.transactionBytes, keys.insert(append.key).inserted,
          claim.map({ claims[$0.partition, default: $0.epoch] == $0.epoch }) ?? true
        else {
          left.append(append)
          continue
        }
        if let claim { claims[claim.partition] = claim.epoch }
        bytes += append.byteCount
        taken.append(append)
      }
      waiting = left
      return taken
    }

    // MARK: Storing

    private mutating func store(_ appends: [PendingAppend]) {
      do {
        try checkPartitions(of: appends)
      } catch {
        for append in appends { append.fail(error) }
        return
      }
      let appends = appends.filter { append in
        guard let failure = append.claim.flatMap({ failures[$0] }) else { return true }
        append.fail(failure)
        return false
      }
      if appends.isEmpty { return }
      let partitions = Set(appends.compactMap { $0.claim?.partition })
      let statements = AppendStatements(
        texts: texts, appends: appends, partitions: owned.filter { partitions.contains($0.key) })
      do throws(PostgresFailure) {
        let results = try link.use { connection throws(PostgresFailure) in try connection.run(statements.all) }
        end(appends, locked: statements.locks ? results[0] : nil, stored: results[results.count - 1])
      } catch {
        if error.isLasting, appends.count > 1 {
          // The rows of one key may be the reason, and the others are stored without it.
          for append in appends { store([append]) }
        } else {
          for append in appends { append.fail(error.error(of: append)) }
        }
      }
    }

    /// Reads the partitions of which it is not certain where they end, and keeps the reasons for which claims cannot be used.
    private mutating func checkPartitions(of appends: [PendingAppend]) throws(JournalError) {
      failures = [:]
      let claims = Array(
        Set(appends.compactMap(\.claim)).filter { claim in
          owned[claim.partition].map { $0.epoch != claim.epoch || !$0.isCertain } ?? true
        })
      if claims.isEmpty { return }
      let rows: [StoredPartition?]
      do throws(PostgresFailure) {
        let statements = claims.map { PartitionStatements(tables: tables, partition: $0.partition).row }
        rows = try link.use { connection throws(PostgresFailure) in try connection.run(statements) }.map {
          StoredPartition($0)
        }
      } catch {
        throw error.readError
      }
      for (claim, row) in zip(claims, rows) {
        let known = owned[claim.partition]
        guard let row, row.epoch == claim.epoch else {
          failures[claim] = .fenced(claim, newest: row?.epoch ?? 0, by: row?.newcomer(claim.partition))
          continue
        }
        if let known, known.epoch == claim.epoch, row.position < known.position {
          failures[claim] = .lost(claim, position: known.position, last: row.position)
          continue
        }
        owned[claim.partition] = OwnedPartition(
          id: row.id, stores: row.stores, epoch: row.epoch, position: row.position)
      }
    }

    /// Ends the appends of a transaction that was committed.
    private mutating func end(_ appends: [PendingAppend], locked: PostgresResult?, stored: PostgresResult) {
      let numbers = Set(stored.rows.map { stored.number($0, 0) })
      let fenced = Set(locked.map { locked in locked.rows.map { locked.number($0, 0) } } ?? [])
      var refused: [PendingAppend] = []
      for (number, append) in appends.enumerated() {
        let partition = append.claim?.partition
        if numbers.contains(Int64(number + 1)) {
          if let partition, let position = owned[partition]?.position {
            owned[partition]?.position = JournalPosition(position.number + UInt64(append.count))
          }
          append.didStore()
        } else if let partition, let id = owned[partition]?.id, !fenced.contains(id) {
          // Another process owns it by now, or it ends elsewhere, which the next attempt finds.
          owned[partition]?.isCertain = false
          again(append, begins: append.begins)
        } else {
          refused.append(append)
        }
      }
      if !refused.isEmpty { endRefused(refused) }
    }

    /// Ends the appends whose keys do not end where they are expected to.
    private mutating func endRefused(_ appends: [PendingAppend]) {
      let stores = appends.map { append in append.claim.flatMap { owned[$0.partition]?.stores } ?? 0 }
      let statement = AppendStatements.keys(appends, stores, in: tables)
      let found: PostgresResult
      do throws(PostgresFailure) {
        found = try link.use { connection throws(PostgresFailure) in try connection.run([statement]) }[0]
      } catch {
        for append in appends { append.fail(error.readError) }
        return
      }
      for (row, append) in appends.enumerated() {
        let key = StoredKey(
          append.key, found, found.isNull(row, 2) ? nil : row, from: 3,
          erased: found.optional(row, 1).map { UInt64(bitPattern: $0) })
        if key.last != append.last {
          append.fail(key.conflict(expected: append.last))
        } else if !key.isStored, append.count == 0 {
          // A key begins with its first record.
          append.didStore()
        } else {
          again(append, begins: !key.isStored)
        }
      }
    }

    /// Tries an append again, before what waits.
    private mutating func again(_ append: PendingAppend, begins: Bool) {
      var append = append
      append.begins = begins
      append.attempts += 1
      guard append.attempts < Self.mostAttempts else {
        return append.fail(.unavailable("other processes change \(append.key.quoted) all the time"))
      }
      waiting.insert(append, at: 0)
    }
  }

  extension JournalError {
    /// The error of the owner of a partition which ends before the records that were acknowledged.
    fileprivate static func lost(
      _ claim: JournalClaim, position: JournalPosition, last: JournalPosition
    ) -> JournalError {
      JournalError(
        .lost,
        """
        The log of \(claim.partition) ends at position \(last), and PostgreSQL had acknowledged the records up to \(position), so the ones behind \
        \(last) are lost; see whether the database was restored from an older copy, or a standby without the newest records has taken over.
        """)
    }
  }
#endif
