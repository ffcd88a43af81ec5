#if Postgres
  import MillraceJournal

  /// The statements about one key.
  struct KeyStatements {
    let tables: PostgresTables
    let key: JournalKey

    /// The conditions that a row of `key` is that of the key whose names are the first two parameters.
    ///
    /// No row of `stores` has the id 0, which is that of single stores.
    private var isKey: String {
      let stores = key.stores == nil ? "0" : "(select id from \(tables("stores")) where digest = sha256($1))"
      return "stores = \(stores) and digest = sha256($2)"
    }

    private var id: String { "(select id from \(tables("key")) where \(isKey))" }

    private func statement(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> PostgresStatement {
      PostgresStatement(sql) {
        $0.add(key.stores?.utf8)
        $0.add(key.name.utf8)
        add(&$0)
      }
    }

    /// Reads the row, and what is left of an erased key.
    var row: [PostgresStatement] {
      [
        storedRow,
        PostgresStatement("select last from \(tables("erased")) where digest = \(PostgresTables.digest("$1"))") {
          $0.add(key.digest.description.utf8)
        },
      ]
    }

    /// Reads the row of a key that is not erased.
    var storedRow: PostgresStatement { statement("select \(StoredKey.columns) from \(tables("key")) where \(isKey)") }

    /// Reads the row of a key that is not erased, and the first part of its newest snapshot behind the columns.
    var rowWithSnapshot: PostgresStatement {
      statement(
        """
        select \(StoredKey.columns), (select payload from \(tables("snapshot")) s where s.key = k.id and s.id = k.snapshot_id \
        and s.part = 0) from \(tables("key")) k where \(isKey)
        """)
    }

    /// Locks the row until the transaction ends.
    var lock: PostgresStatement { statement("select id from \(tables("key")) where \(isKey) for no key update") }

    // MARK: Records

    /// Reads records behind a sequence: up to a number of bytes, and then to the end of the batch.
    ///
    /// The sizes of payloads are looked at first, which reads none that is stored apart. A row also says whether these are the last records. The id of
    /// the key and the end of the page are values of subqueries and not tables that are joined, so that the server walks the primary key whatever its
    /// statistics say.
    func records(after sequence: JournalSequence, upTo byteCount: Int) -> PostgresStatement {
      statement(
        """
        with k as materialized (select \(id) as id), \
        r as materialized (select sequence, sum(length(payload)) over (order by sequence rows unbounded preceding) - length(payload) \
        as before from \(tables("record")) where key = (select id from k) and sequence > $3 order by sequence limit \(Self.largestPage)), \
        l as materialized (select sequence, writer, batch from \(tables("record")) where key = (select id from k) \
        and sequence = (select max(sequence) from r where before < $4)), \
        e as materialized (select n.sequence from \(tables("record")) n where n.key = (select id from k) \
        and n.sequence > (select sequence from l) and (n.writer, n.batch) <> (select writer, batch from l) order by n.sequence limit 1) \
        select \(RecordRow.columns), (select sequence from e) is null from \(tables("record")) r where r.key = (select id from k) \
        and r.sequence > $3 and r.sequence < coalesce((select sequence from e), \(JournalSequence.largest.number)) order by r.sequence
        """
      ) {
        $0.add(sequence.number)
        $0.add(max(byteCount, 1))
      }
    }

    /// The number of records that a page has at most before the end of its last batch.
    private static let largestPage = 16_384

    /// Reads the records of a batch behind a sequence.
    func batch(_ batch: JournalBatch.ID, after sequence: JournalSequence) -> PostgresStatement {
      statement(
        """
        select \(RecordRow.columns) from \(tables("record")) r where r.key = \(id) and r.sequence > $3 and r.writer = $4 and r.batch = $5 \
        order by r.sequence
        """
      ) {
        $0.add(sequence.number)
        $0.add(batch.writer)
        $0.add(batch.number)
      }
    }

    /// Removes records up to a sequence, and returns the last one that is removed if there is one; the key has to be locked.
    ///
    /// The erasure of an earlier life is older than the records of this one, and goes with the first that are removed by their time.
    func truncate(
      through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
    ) -> PostgresStatement {
      statement(
        """
        with k as materialized (select id, truncated from \(tables("key")) where \(isKey) and snapshot_sequence >= $3), \
        r as materialized (select r.key, r.sequence, r.position, r.time from \(tables("record")) r, k where r.key = k.id \
        and r.sequence <= least($3, k.truncated + \(largestTruncation))), \
        b as materialized (select max(s.sequence) as sequence from (select r.sequence, sum(length(r.payload)) \
        over (order by r.sequence desc rows unbounded preceding) as size from \(tables("record")) r \
        where $5::bigint is not null and r.key = (select id from k) and r.sequence <= $3) s where s.size > $5), \
        o as materialized (select * from r where sequence <= (select sequence from b) \
        or sequence < coalesce((select min(sequence) from r where time >= $4), \(JournalSequence.largest.number))), \
        e as (delete from \(tables("erased")) e where e.digest = \(PostgresTables.digest("$6")) and e.partition <> 0 \
        and exists (select 1 from o where o.time < $4)), \
        d as (delete from \(tables("record")) d using o where d.key = o.key and d.sequence = o.sequence) \
        update \(tables("key")) j set truncated = o.sequence, removed = coalesce(o.position, j.removed) \
        from (select key, max(sequence) as sequence, max(position) as position from o group by key) o \
        where j.id = o.key returning j.truncated
        """
      ) {
        $0.add(sequence.number)
        $0.add(time)
        $0.add(byteCount == .max ? nil : Int64(byteCount))
        $0.add(key.digest.description.utf8)
      }
    }

    // MARK: Snapshots

    /// Reads the parts of the newest snapshot.
    var snapshot: PostgresStatement {
      statement(
        """
        select s.payload from \(tables("snapshot")) s join \(tables("key")) k on s.key = k.id and s.id = k.snapshot_id where \(isKey) \
        order by s.part
        """)
    }

    /// Stores a part of a snapshot, unless the stored one is newer; it has a row then.
    ///
    /// It waits for an erasure of the key, and an erasure waits for it.
    func store(part: Int, _ payload: ArraySlice<UInt8>, of id: UInt64, at sequence: JournalSequence)
      -> PostgresStatement
    {
      statement(
        """
        insert into \(tables("snapshot"))(key, id, part, payload) select k.id, $3, $4, $5 from \(tables("key")) k where \(isKey) \
        and k.last >= $6 and coalesce(k.snapshot_sequence, 0) <= $6 for key share of k returning part
        """
      ) {
        $0.add(id)
        $0.add(part)
        $0.add(payload)
        $0.add(sequence.number)
      }
    }

    /// Makes a snapshot the newest one if all its parts are there, and removes those of others.
    ///
    /// The first statement has a row then. The key has to be locked.
    func store(_ snapshot: JournalSnapshot, parts: Int, of id: UInt64) -> [PostgresStatement] {
      [
        statement(
          """
          update \(tables("key")) k set snapshot_sequence = $3, snapshot_id = $4, snapshot_parts = $5, snapshot_revision = $6, \
          snapshot_version = $7, snapshot_checksum = $8 where \(isKey) and last >= $3 and coalesce(snapshot_sequence, 0) <= $3 \
          and $5 = (select count(*) from \(tables("snapshot")) s where s.key = k.id and s.id = $4) returning k.id
          """
        ) {
          $0.add(snapshot.sequence.number)
          $0.add(id)
          $0.add(parts)
          $0.add(snapshot.revision)
          $0.add(snapshot.schemaVersion)
          $0.add(snapshot.checksum(of: key))
        },
        statement(
          """
          delete from \(tables("snapshot")) s using \(tables("key")) k where s.key = k.id and s.id <> $3 and k.snapshot_id = $3 and \(isKey)
          """
        ) { $0.add(id) },
      ]
    }

    // MARK: Erasing

    /// Removes everything of the key but the hash of its name; the partition, or the key of a single store, has to be locked.
    ///
    /// - Parameter claim: the claim that has to be the newest one of the partition; nil for a single store.
    func erase(_ claim: JournalClaim? = nil) -> [PostgresStatement] {
      let owned =
        "(partition = 0 or exists (select 1 from \(tables("partition")) p where p.id = partition and p.epoch = $3 and p.name = $4))"
      let id = "(select id from \(tables("key")) where \(isKey) and \(owned))"
      func erasing(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> PostgresStatement {
        statement(sql) {
          $0.add(claim?.epoch ?? 0)
          $0.add(claim?.name ?? 0)
          add(&$0)
        }
      }
      return [
        // Parts of a snapshot are stored without the other locks.
        statement("select id from \(tables("key")) where \(isKey) for update"),
        erasing("delete from \(tables("record")) where key = \(id)"),
        erasing("delete from \(tables("snapshot")) where key = \(id)"),
        erasing(
          """
          with k as (delete from \(tables("key")) where \(isKey) and \(owned) returning stores, partition, last), \
          p as (update \(tables("partition")) set position = position + 1 from k where id = k.partition returning position) \
          insert into \(tables("erased"))(digest, stores, partition, last, position) \
          select convert_from($5, 'UTF8'), k.stores, k.partition, k.last + 1, (select position from p) from k \
          on conflict (digest) do update set last = excluded.last, position = excluded.position
          """
        ) { $0.add(key.digest.description.utf8) },
      ]
    }
  }
#endif
