#if Postgres
  import Millrace
  import MillraceJournal

  /// The thread that stores what waits, in one transaction after the other.
  ///
  /// While the server stores one, the next appends gather. A key is in a transaction once; what else waits for it comes with the next one. An append whose
  /// row another transaction has locked is passed over, and waits in line for a later transaction while the others continue.
  struct AppendThread {
    /// The number of times that an append is tried while what is known of its partition or key changes.
    private static let mostAttempts = 8
    /// The size in bytes behind which a transaction takes no more appends.
    private static let transactionBytes = 1 << 23
    /// The first and the longest pause of an append whose row is locked.
    private static let pauses = Duration.milliseconds(10)...Duration.seconds(1)

    private let queue: CallQueue<AppendCall>
    private let tables: PostgresTables
    private let texts: AppendTexts
    private let partitionCount: Int
    private let largestBatch: Int
    private let deadline: Duration
    private let watch: ServerWatch
    private let pace: LookPace
    private var link: ServerLink
    private var waiting: [PendingAppend] = []
    private var owned: [JournalPartition: OwnedPartition] = [:]
    /// The reasons why claims of the next transaction cannot be used.
    private var failures: [JournalClaim: JournalError] = [:]
    /// The claims of the next transaction whose rows another transaction has locked.
    private var locked: Set<JournalClaim> = []
    /// Whether the journal is closed, so that no append waits for a row.
    private var isClosing = false

    init(
      _ queue: CallQueue<AppendCall>, _ address: PostgresAddress, _ tables: PostgresTables, _ watch: ServerWatch,
      _ pace: LookPace, _ options: PostgresOptions, partitions: Int
    ) {
      self.queue = queue
      self.tables = tables
      self.watch = watch
      self.pace = pace
      texts = AppendTexts(tables)
      partitionCount = partitions
      largestBatch = options.largestBatch
      deadline = options.deadline.bounded
      link = ServerLink(address, deadline: deadline, watch)
    }

    mutating func run() {
      while true {
        let now = ContinuousClock.now
        let next = waiting.map { $0.pause?.end ?? now }.min().map { max(.zero, $0 - now) }
        let calls = queue.take(waitingFor: next)
        if calls == nil { isClosing = true }
        if isClosing, waiting.isEmpty { break }
        for call in calls ?? [] { add(call) }
        let appends = nextAppends()
        if !appends.isEmpty { store(appends) }
      }
      queue.end()
    }

    private mutating func add(_ call: AppendCall) {
      let results = AppendResults(call)
      for (number, part) in call.parts.enumerated() {
        let append = PendingAppend(
          part, call.claim, number, of: results, limit: largestBatch, deadline: .now + deadline)
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
      var (keys, claims): (Set<JournalKey>, [JournalPartition: JournalClaim]) = ([], [:])
      let now = ContinuousClock.now
      for append in waiting {
        let claim = append.claim
        // A key keeps the order of its appends, so one that pauses holds the next ones.
        guard bytes < Self.transactionBytes, keys.insert(append.key).inserted,
          isClosing || append.pause.map({ $0.end <= now }) ?? true,
          claim.map({ claims[$0.partition, default: $0] == $0 }) ?? true
        else {
          left.append(append)
          continue
        }
        if let claim { claims[claim.partition] = claim }
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
        guard let claim = append.claim else { return true }
        if let failure = failures[claim] {
          append.fail(failure)
        } else if locked.contains(claim) {
          pause(append)
        }
        return failures[claim] == nil && !locked.contains(claim)
      }
      if appends.isEmpty { return }
      let partitions = Set(appends.compactMap { $0.claim?.partition })
      let statements = AppendStatements(
        texts: texts, appends: appends, partitions: owned.filter { partitions.contains($0.key) })
      do throws(PostgresFailure) {
        let results = try link.use { connection throws(PostgresFailure) in try connection.write(statements.all) }
        end(appends, locked: statements.locks ? results[0] : nil, stored: results[results.count - 1])
      } catch {
        if error.isLasting || error.isOfLock, appends.count > 1 {
          // The rows of one key, or a lock on the name of a new one, may be the reason, and the others are stored without it.
          for append in appends { store([append]) }
        } else {
          for append in appends { append.fail(error.error(of: append)) }
        }
      }
    }

    /// Reads the partitions of which it is not certain where they end, and keeps the reasons why claims cannot be used.
    private mutating func checkPartitions(of appends: [PendingAppend]) throws(JournalError) {
      (failures, locked) = ([:], [])
      let all = Set(appends.compactMap(\.claim))
      noteLosses(of: all)
      let claims = Array(
        all.filter { claim in
          failures[claim] == nil && owned[claim.partition].map { $0.claim != claim || !$0.isCertain } ?? true
        })
      if claims.isEmpty { return }
      let before = watch.ends
      let rows: [StoredPartition?]
      do throws(PostgresFailure) {
        let statements = claims.map { PartitionStatements(tables: tables, partition: $0.partition).row }
        rows = try link.use { connection throws(PostgresFailure) in try connection.write(statements) }.map {
          StoredPartition($0)
        }
      } catch {
        throw error.readError
      }
      watch.compare(
        zip(claims, rows).map { claim, row in
          KnownPartitions.Found(partition: claim.partition, position: row?.position ?? .start, batch: row?.batch)
        }, with: before)
      noteLosses(of: all)
      for (claim, row) in zip(claims, rows) where failures[claim] == nil {
        guard let row, row.isOf(claim) else {
          failures[claim] = .fenced(claim, newest: row?.epoch ?? 0, by: row?.newcomer(claim.partition))
          continue
        }
        // The row is as it was known, so the transaction that has not found it has found it locked.
        if let known = owned[claim.partition], known.claim == claim, known.position == row.position {
          locked.insert(claim)
        }
        owned[claim.partition] = OwnedPartition(
          id: row.id, stores: row.stores, claim: claim, position: row.position)
      }
    }

    /// Fails the claims under which records were lost.
    private mutating func noteLosses(of claims: Set<JournalClaim>) {
      for claim in claims {
        if let loss = watch.loss(of: claim) { failures[claim] = JournalError(.lost, loss.description) }
      }
    }

    /// Ends the appends of a transaction that was committed.
    private mutating func end(_ appends: [PendingAppend], locked: PostgresResult?, stored found: PostgresResult) {
      let numbers = Set(found.rows.map { found.number($0, 0) })
      var stored: [PendingAppend] = []
      let fenced = Set(locked.map { locked in locked.rows.map { locked.number($0, 0) } } ?? [])
      var refused: [PendingAppend] = []
      var moved: [JournalPartition: (JournalBatch.ID, JournalPosition)] = [:]
      for (number, append) in appends.enumerated() {
        let partition = append.claim?.partition
        if numbers.contains(Int64(number + 1)) {
          if let partition, let before = owned[partition]?.position, let batch = append.lastBatch {
            let position = JournalPosition(before.number + UInt64(append.count))
            owned[partition]?.position = position
            moved[partition] = (batch, position)
          }
          stored.append(append)
        } else if let partition, let id = owned[partition]?.id, !fenced.contains(id) {
          // Another process owns it, or it ends elsewhere, or its row is locked, which the next attempt finds.
          owned[partition]?.isCertain = false
          again(append, begins: append.begins)
        } else {
          refused.append(append)
        }
      }
      watch.didStore(moved)
      if stored.contains(where: { $0.count > 0 }) { pace.noteChange(at: .now) }
      for append in stored { append.didStore() }
      if !refused.isEmpty { endRefused(refused) }
    }

    /// Ends the appends whose keys do not end where they are expected to.
    private mutating func endRefused(_ appends: [PendingAppend]) {
      let stores = appends.map { append in append.claim.flatMap { owned[$0.partition]?.stores } ?? 0 }
      let statement = AppendStatements.keys(appends, stores, in: tables)
      let found: PostgresResult
      do throws(PostgresFailure) {
        found = try link.use { connection throws(PostgresFailure) in try connection.write([statement]) }[0]
      } catch {
        for append in appends { append.fail(error.readError) }
        return
      }
      for (row, append) in appends.enumerated() {
        let key = StoredKey(
          append.key, found, found.isNull(row, 2) ? nil : row, from: 4,
          erased: found.optional(row, 1).map { UInt64(bitPattern: $0) })
        if key.last != append.last {
          append.fail(key.conflict(expected: append.last))
        } else if !key.isStored, append.count == 0 {
          // A key begins with its first record.
          append.didStore()
        } else if let writer = append.expectedWriter, let other = found.optional(row, 3),
          UInt64(bitPattern: other) != writer
        {
          append.fail(key.otherRecord)
        } else if key.isStored, !append.begins {
          // Its row is as expected, so another transaction has it locked.
          pause(append)
        } else {
          again(append, begins: !key.isStored)
        }
      }
    }

    /// Puts an append back whose row another transaction has locked, until a pause has ended; this is no attempt.
    private mutating func pause(_ append: PendingAppend) {
      var append = append
      guard !isClosing, ContinuousClock.now < append.deadline else {
        return append.fail(
          .unavailable(
            "another transaction has locked the row of \(append.claim.map { "\($0.partition)" } ?? append.key.quoted)"))
      }
      let length = min(max((append.pause?.length ?? .zero) * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
      append.pause = (.now + length, length)
      append.attempts = 0
      waiting.insert(append, at: 0)
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
#endif
