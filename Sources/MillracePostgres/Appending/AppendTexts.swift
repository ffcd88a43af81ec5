#if Postgres
  /// The texts of the statements that store what waits for several keys, made once for a schema.
  ///
  /// Each statement has the fence: the partitions whose claims and positions are still those that the process knows, and which it can lock. All statements
  /// are sent before the first result is seen, so a fence in the first one alone would not stop the others: a row that it skips may be free, and another
  /// owner's, when the next statement runs.
  package struct AppendTexts: Sendable {
    /// Locks the rows of the partitions, and returns their ids.
    let lock: String

    /// Creates the rows of keys that begin.
    package let begin: String

    /// Stores the records of the keys that end where they are expected to, moves the partitions, and returns the numbers of these keys, from 1.
    package let store: String

    package init(_ tables: PostgresTables) {
      let isNewest = "p.epoch = w.epoch and p.name = w.name"
      let passing = "for no key update of j skip locked"
      // An erasure in a partition stays for its readers, beside the new life of the key.
      let isSingle = "w.partition = 0"
      let fenced = """
        select p.id, p.position from \(tables("partition")) p \
        join unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) w(id, epoch, name, position) \
        on p.id = w.id and \(isNewest) and p.position = w.position order by p.id for no key update of p skip locked
        """
      lock = fenced
      begin = """
        with p as materialized (\(fenced)), \
        w as materialized (select * from unnest($5::bigint[], $6::bigint[], $7::bytea[], $8::bigint[], $9::bytea[], $10::bigint[]) \
        w(stores, partition, name, last, digest, checksum)), \
        n as (insert into \(tables("key"))(stores, partition, name, last, truncated, removed, epoch_sequence, epoch, \
        snapshot_sequence, snapshot_id, snapshot_parts, snapshot_revision, snapshot_version, snapshot_checksum) \
        select w.stores, w.partition, w.name, w.last, w.last, e.position, 0, '', e.last, case when e.last > 0 then 0 end, \
        case when e.last > 0 then 0 end, case when e.last > 0 then 0 end, case when e.last > 0 then 1 end, \
        case when e.last > 0 then w.checksum end \
        from w left join \(tables("erased")) e on e.digest = \(PostgresTables.digest("w.digest")) where coalesce(e.last, 0) = w.last \
        and (w.partition = 0 or w.partition in (select id from p)) order by w.stores, w.name \
        on conflict (stores, digest) do nothing returning stores, digest) \
        delete from \(tables("erased")) e using w, n where \(isSingle) and e.digest = \(PostgresTables.digest("w.digest")) and n.stores = w.stores \
        and n.digest = sha256(w.name)
        """
      // A key of a single store has no claim. Its writer stored the record at `last`, unless the database was restored and another writer continued it.
      store = """
        with p as materialized (\(fenced)), \
        w as materialized (select * from unnest($5::bigint[], $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], \
        $11::bigint[], $12::bytea[], $13::bigint[]) \
        with ordinality w(stores, name, last, ends, sets, wake, epoch_sequence, epoch, writer, n)), \
        f as materialized (select j.id, w.n from \(tables("key")) j join w on j.stores = w.stores and j.digest = sha256(w.name) \
        where j.last = w.last and (j.partition = 0 or j.partition in (select id from p)) \
        and (w.writer is null or not exists (select 1 from \(tables("record")) x where x.key = j.id and x.sequence = w.last \
        and x.writer <> w.writer)) \(passing)), \
        k as (update \(tables("key")) j set last = w.ends, wake = case when w.sets = 1 then w.wake else j.wake end, \
        epoch_sequence = coalesce(w.epoch_sequence, j.epoch_sequence), epoch = coalesce(w.epoch, j.epoch) \
        from f join w on w.n = f.n where j.id = f.id and j.last = w.last returning j.id, j.partition, w.n), \
        r as (insert into \(tables("record"))(key, sequence, position, partition, writer, batch, kind, version, revision, time, checksum, \
        payload) select k.id, r.sequence, p.position + row_number() over (partition by k.partition order by r.n), k.partition, r.writer, \
        r.batch, r.kind, r.version, r.revision, r.time, r.checksum, r.payload \
        from unnest($14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], \
        $22::bigint[], $23::bytea[]) \
        with ordinality r(key, sequence, writer, batch, kind, version, revision, time, checksum, payload, n) \
        join k on k.n = r.key left join p on p.id = k.partition returning partition, position, writer, batch), \
        c as (select distinct on (partition) partition, position, writer, batch from r where partition > 0 order by partition, position desc), \
        u as (update \(tables("partition")) q set position = c.position, last_writer = c.writer, last_batch = c.batch \
        from c where q.id = c.partition) select n from k
        """
    }
  }
#endif
