#if Postgres
  package import MillraceJournal

  /// Reads for a check of all tables, and the beginning of a log that is copied.
  extension PostgresJournal: CheckedJournal {
    /// The number of problems of one kind that a check names.
    private static let problemCount = 10

    /// The sentence that refuses an address with a password, or another secret, behind a flag; nil for one without.
    ///
    /// A command line shows it to other users of the machine.
    ///
    /// - Throws: ``JournalError`` for an address that cannot be read; it repeats nothing of the text.
    package static func secretRefusal(of address: String, behind flag: String) throws(JournalError) -> String? {
      guard try PostgresAddress(address).hasSecret else { return nil }
      return
        """
        \(flag) was given an address with a password, which other users of this machine can read in the list of processes; leave it out of the \
        address, and put it into the file that PGPASSFILE names (~/.pgpass by default), into PGPASSWORD, or into a service file, whose entry \
        'service=NAME' in the address or PGSERVICE names.
        """
    }

    /// The number of rows in the table of keys.
    ///
    /// - Throws: ``JournalError``.
    package func keyCount() async throws(JournalError) -> Int {
      Int(try await read([PostgresStatement("select count(*) from \(tables("key"))")])[0].number(0, 0))
    }

    /// Reads rows of the table of keys, the oldest first.
    ///
    /// - Throws: ``JournalError``.
    package func listedKeys(after row: ListedKey?) async throws(JournalError) -> [ListedKey] {
      let statement = PostgresStatement(
        """
        select k.id, k.stores, s.name, k.name from \(tables("key")) k left join \(tables("stores")) s on s.id = k.stores \
        where k.id > $1 order by k.id limit \(largestPage)
        """
      ) { $0.add(row?.number ?? 0) }
      let found = try await read([statement])[0]
      return found.rows.map { row in
        let id = Int(found.number(row, 0))
        guard found.number(row, 1) == 0 || !found.isNull(row, 2),
          let name = String(validating: found.bytes(row, 3), as: UTF8.self)
        else {
          return ListedKey(
            .failure(
              JournalError(
                .corrupt,
                "The row \(id) of the table \(tables("key")) is not the one that was written; restore the journal from a copy."
              )), number: id)
        }
        return ListedKey(.success(JournalKey(name, of: found.isNull(row, 2) ? nil : found.text(row, 2))), number: id)
      }
    }

    /// The partitions that processes have claimed, with the newest claims, in the order of the names of their stores.
    ///
    /// - Throws: ``JournalError``.
    package func claims() async throws(JournalError) -> [StoredClaim] {
      let found = try await read([
        PostgresStatement(
          """
          select s.name, p.number, p.epoch, p.position, p.owner, p.name from \(tables("partition")) p join \(tables("stores")) s on s.id = p.stores \
          order by s.name, p.number
          """)
      ])[0]
      return found.rows.map { row in
        let partition = JournalPartition(of: found.text(row, 0), number: Int(found.number(row, 1)))
        return StoredClaim(
          JournalClaim(partition, epoch: found.bits(row, 2), name: found.bits(row, 5)),
          by: try? JournalEpoch(payload: found.bytes(row, 4), of: JournalKey(partition.stores), at: .start),
          last: JournalPosition(found.bits(row, 3)), isOneOfSeveral: partitionCount > 1)
      }
    }

    /// Looks for records, and parts of snapshots, whose keys have no rows, and for positions that two records have, or none.
    ///
    /// The first entry of each key is looked up in the index of its table, so the records themselves are not read.
    ///
    /// - Throws: ``JournalError``.
    package func integrityProblems() async throws(JournalError) -> [String] {
      var problems: [String] = []
      for (table, noun) in [("record", "records"), ("snapshot", "parts of a snapshot")] {
        var last: Int64 = 0
        while let page = try await keys(in: table, after: last) {
          last = page.last
          problems += page.lost.prefix(Self.problemCount - problems.count).map {
            "The table \(tables(table)) has \(noun) of the key \($0), which has no row in the table \(tables("key"))"
          }
          if problems.count >= Self.problemCount { return problems }
        }
      }
      let check = PositionCheck(tables: tables)
      return problems
        + (try await call(error: { $0.readError }) { link throws(PostgresFailure) in
          try link.use { connection throws(PostgresFailure) in try check.problems(Self.problemCount, connection) }
        })
    }

    /// Reads the ids of the next keys that a table has, up to 1,000; nil behind the last one.
    private func keys(in table: String, after id: Int64) async throws(JournalError) -> (last: Int64, lost: [Int64])? {
      let statement = PostgresStatement(
        """
        with recursive f(key, n) as (select (select min(key) from \(tables(table)) where key > $1), 1 union all \
        select (select min(r.key) from \(tables(table)) r where r.key > f.key), f.n + 1 from f where f.key is not null and f.n < \(largestPage)) \
        select f.key, exists (select 1 from \(tables("key")) k where k.id = f.key) from f where f.key is not null order by f.key
        """
      ) { $0.add(id) }
      let found = try await read([statement])[0]
      guard let end = found.rows.last else { return nil }
      return (found.number(end, 0), found.rows.filter { found.number($0, 1) == 0 }.map { found.number($0, 0) })
    }

    /// Begins the log of a key behind a record, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func begin(
      _ key: JournalKey, after last: JournalSequence, wake: Int64?, claim: JournalClaim?
    ) async throws(JournalError) {
      let statements = KeyStatements(tables: tables, key: key)
      let lock: PostgresStatement
      if let claim {
        guard let stores = key.stores,
          JournalPartition(of: stores, holding: key.name, among: partitionCount) == claim.partition
        else { throw .otherPartition(key, claim.partition) }
        lock = PartitionStatements(tables: tables, partition: claim.partition).lock
      } else {
        if key.stores != nil { throw .otherPartition(key, nil) }
        lock = KeyLock.statement([key])
      }
      let results = try await write(
        [lock] + statements.row + statements.begin(after: last, wake: claim == nil ? nil : wake, claim: claim))
      if let claim {
        let row = StoredPartition(results[0])
        guard let row, row.isOf(claim) else {
          throw .fenced(claim, newest: row?.epoch ?? 0, by: row?.newcomer(claim.partition))
        }
      }
      guard !results[3].rows.isEmpty else {
        throw StoredKey(key, results[1], erased: results[2]).conflict(expected: .start)
      }
    }
  }

  extension KeyStatements {
    /// Creates the row of a key that has none and was not erased, with a snapshot that no store opens; it has a row then.
    ///
    /// The partition, or the key of a single store, has to be locked.
    ///
    /// - Parameter claim: The claim that has to be the newest one of the partition; nil for a single store.
    fileprivate func begin(after last: JournalSequence, wake: Int64?, claim: JournalClaim?) -> [PostgresStatement] {
      let snapshot = JournalSnapshot.incomplete(through: last)
      return [
        PostgresStatement(
          """
          with p as (update \(tables("partition")) set position = position + 1 where $1 is not null \
          and stores = (select id from \(tables("stores")) where digest = sha256($1)) and number = $3 and epoch = $4 and name = $10 \
          and not exists (select 1 from \(tables("key")) k where k.stores = \(tables("partition")).stores and k.digest = sha256($2)) \
          and not exists (select 1 from \(tables("erased")) where digest = \(PostgresTables.digest("$9"))) returning id, stores, position), \
          o as (select id, stores, position from p union all select 0, 0, null where $1 is null \
          and not exists (select 1 from \(tables("erased")) where digest = \(PostgresTables.digest("$9")))), \
          k as (insert into \(tables("key"))(stores, partition, name, last, truncated, removed, epoch_sequence, epoch, wake, \
          snapshot_sequence, snapshot_id, snapshot_parts, snapshot_revision, snapshot_version, snapshot_checksum) \
          select o.stores, o.id, $2, $5, $5, o.position, 0, '', $6, $5, 0, 1, 0, 0, $7 from o \
          on conflict (stores, digest) do nothing returning id) \
          insert into \(tables("snapshot"))(key, id, part, payload) select id, 0, 0, $8 from k returning key
          """
        ) {
          $0.add(key.stores?.utf8)
          $0.add(key.name.utf8)
          $0.add(claim?.partition.number ?? 0)
          $0.add(claim?.epoch ?? 0)
          $0.add(last.number)
          $0.add(wake)
          $0.add(snapshot.checksum(of: key))
          $0.add(snapshot.payload)
          $0.add(key.digest.description.utf8)
          $0.add(claim?.name ?? 0)
        }
      ]
    }
  }
#endif
