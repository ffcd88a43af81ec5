#if Postgres
  import MillraceJournal

  /// A partition that the process owns, as the thread of appends knows it.
  struct OwnedPartition {
    let id: Int64
    /// The id of the name of its stores.
    let stores: Int64
    let claim: JournalClaim
    /// The position of its last record that was acknowledged, which only the owner moves.
    var position: JournalPosition
    /// Whether the last transaction found the row as it is here.
    ///
    /// It does not after a commit whose answer was lost, or while another transaction has the row locked.
    var isCertain = true
  }

  /// The statements that store the appends of several keys in one transaction.
  ///
  /// Each of them has the fence; see ``AppendTexts``. The first statement locks the rows of the partitions, if there are any, so the others, which see the
  /// database as it is then, find the same. Without the lock a statement could see one state of a partition, and another one of its keys.
  struct AppendStatements {
    let texts: AppendTexts
    let appends: [PendingAppend]
    let partitions: [JournalPartition: OwnedPartition]

    /// Whether the first statement locks partitions; those of single stores have none.
    var locks: Bool { !partitions.isEmpty }

    var all: [PostgresStatement] { (locks ? [statement(texts.lock)] : []) + begin + [store] }

    private func statement(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> PostgresStatement {
      PostgresStatement(sql) {
        let all = partitions.values
        $0.add(numbers: all.map(\.id))
        $0.add(numbers: all.map { Int64(bitPattern: $0.claim.epoch) })
        $0.add(numbers: all.map { Int64(bitPattern: $0.claim.name) })
        $0.add(numbers: all.map { Int64(bitPattern: $0.position.number) })
        add(&$0)
      }
    }

    /// Creates the rows of keys that begin: a statement does not see the rows that it makes.
    private var begin: [PostgresStatement] {
      let new = appends.filter(\.begins)
      if new.isEmpty { return [] }
      let alone = new.filter { $0.claim == nil }
      // The fate of a key that a lost connection has begun is looked up behind this lock, because there is no row to wait for.
      let locks = alone.isEmpty ? [] : [KeyLock.statement(alone.map(\.key))]
      return locks + [
        statement(texts.begin) {
          $0.add(numbers: new.map { place(of: $0).stores })
          $0.add(numbers: new.map { place(of: $0).id })
          $0.add(blobs: new.map { Array($0.key.name.utf8) })
          $0.add(numbers: new.map { Int64(bitPattern: $0.last.number) })
          $0.add(blobs: new.map { Array($0.key.digest.description.utf8) })
          $0.add(numbers: new.map { Int64(bitPattern: JournalSnapshot.erased(through: $0.last).checksum(of: $0.key)) })
        }
      ]
    }

    /// Stores the records of the keys that end where they are expected to, moves the partitions, and returns the numbers of these keys, from 1.
    private var store: PostgresStatement {
      var keys: (sets: [Int64], wakes: [Int64?], epochSequences: [Int64?], epochs: [[UInt8]?], writers: [Int64?]) =
        ([], [], [], [], [])
      var rows: [RecordRow] = []
      rows.reserveCapacity(appends.reduce(0) { $0 + $1.count })
      for (number, append) in appends.enumerated() {
        var (wake, sequence, newest) = (JournalWake.keep, append.last, (Int64, [UInt8])?.none)
        let chain = RecordChain(of: append.key)
        for batch in append.batches {
          if append.claim != nil, !batch.entries.isEmpty, batch.wake != .keep { wake = batch.wake }
          for entry in batch.entries {
            sequence = sequence.advanced(by: 1)
            rows.append(RecordRow(entry, at: sequence, in: batch, of: Int64(number + 1), chain))
            if entry.kind == .epoch { newest = (Int64(bitPattern: sequence.number), entry.payload) }
          }
        }
        keys.sets.append(wake == .keep ? 0 : 1)
        keys.wakes.append(wake.time(after: nil))
        keys.epochSequences.append(newest?.0)
        keys.epochs.append(newest?.1)
        keys.writers.append(append.expectedWriter.map { Int64(bitPattern: $0) })
      }
      return statement(texts.store) {
        $0.add(numbers: appends.map { place(of: $0).stores })
        $0.add(blobs: appends.map { Array($0.key.name.utf8) })
        $0.add(numbers: appends.map { Int64(bitPattern: $0.last.number) })
        $0.add(numbers: appends.map { Int64(bitPattern: $0.end.number) })
        $0.add(numbers: keys.sets)
        $0.add(numbers: keys.wakes)
        $0.add(numbers: keys.epochSequences)
        $0.add(blobs: keys.epochs)
        $0.add(numbers: keys.writers)
        $0.add(numbers: rows.count) { rows[$0].key }
        $0.add(numbers: rows.count) { rows[$0].sequence }
        $0.add(numbers: rows.count) { rows[$0].writer }
        $0.add(numbers: rows.count) { rows[$0].batch }
        $0.add(numbers: rows.count) { rows[$0].kind }
        $0.add(numbers: rows.count) { rows[$0].version }
        $0.add(numbers: rows.count) { rows[$0].revision }
        $0.add(numbers: rows.count) { rows[$0].time }
        $0.add(numbers: rows.count) { rows[$0].checksum }
        $0.add(blobs: rows.count) { rows[$0].payload }
      }
    }

    /// Reads what the tables have of the keys, and the writers of the records at their ends.
    static func keys(_ appends: [PendingAppend], _ stores: [Int64], in tables: PostgresTables) -> PostgresStatement {
      PostgresStatement(
        """
        select w.n, e.last, j.id, (select r.writer from \(tables("record")) r where r.key = j.id and r.sequence = j.last), \(StoredKey.columns.split(separator: ", ").map { "j.\($0)" }.joined(separator: ", ")) \
        from unnest($1::bigint[], $2::bytea[], $3::bytea[]) with ordinality w(stores, name, digest, n) \
        left join lateral (select * from \(tables("key")) where stores = w.stores and digest = sha256(w.name) offset 0) j on true \
        left join \(tables("erased")) e on e.digest = \(PostgresTables.digest("w.digest")) order by w.n
        """
      ) {
        $0.add(numbers: stores)
        $0.add(blobs: appends.map { Array($0.key.name.utf8) })
        $0.add(blobs: appends.map { Array($0.key.digest.description.utf8) })
      }
    }

    /// The ids of the key's partition and of its stores; 0 for a single store.
    func place(of append: PendingAppend) -> (id: Int64, stores: Int64) {
      guard let claim = append.claim, let owned = partitions[claim.partition] else { return (0, 0) }
      return (owned.id, owned.stores)
    }
  }

  /// The locks of the keys of single stores that have no row.
  enum KeyLock {
    /// Locks these until the transaction ends; in one order, so that no two transactions wait for each other.
    static func statement(_ keys: [JournalKey]) -> PostgresStatement {
      PostgresStatement("select pg_advisory_xact_lock(id) from unnest($1::bigint[]) l(id)") {
        $0.add(numbers: keys.map { Int64(bitPattern: RecordChain(of: $0).value) }.sorted())
      }
    }
  }
#endif
