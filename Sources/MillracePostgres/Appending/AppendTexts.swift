#if Postgres
  /// The texts of the statements that store what waits for several keys, made once for a schema.
  ///
  /// Each statement has the fence: the partitions whose claims and positions are still those that the process knows.
  package struct AppendTexts: Sendable {
    /// Locks the rows of the partitions, and returns their ids.
    let lock: String

    /// Creates the rows of keys that begin.
    package let begin: String

    /// Stores the records of the keys that end where they are expected to, moves the partitions, and returns the numbers of these keys, from 1.
    ///
    /// It makes its commit durable on a server that would answer too early.
    package let store: String

    package init(_ tables: PostgresTables) {
      let fenced = """
        select p.id, p.position from \(tables("partition")) p join unnest($1::bigint[], $2::bigint[], $3::bigint[]) w(id, epoch, position) \
        on p.id = w.id and p.epoch = w.epoch and p.position = w.position
        """
      lock = "\(fenced) order by p.id for no key update of p"
      begin = """
        with p as materialized (\(fenced)), \
        w as materialized (select * from unnest($4::bigint[], $5::bigint[], $6::bytea[], $7::bigint[], $8::bytea[], $9::bigint[]) \
        w(stores, partition, name, last, digest, checksum)), \
        n as (insert into \(tables("key"))(stores, partition, name, last, truncated, removed, epoch_sequence, epoch, \
        snapshot_sequence, snapshot_id, snapshot_parts, snapshot_revision, snapshot_version, snapshot_checksum) \
        select w.stores, w.partition, w.name, w.last, w.last, e.position, 0, '', e.last, case when e.last > 0 then 0 end, \
        case when e.last > 0 then 0 end, case when e.last > 0 then 0 end, case when e.last > 0 then 1 end, \
        case when e.last > 0 then w.checksum end \
        from w left join \(tables("erased")) e on e.digest = convert_from(w.digest, 'UTF8') where coalesce(e.last, 0) = w.last \
        and (w.partition = 0 or w.partition in (select id from p)) order by w.stores, w.name \
        on conflict (stores, digest) do nothing returning stores, digest) \
        delete from \(tables("erased")) e using w, n where e.digest = convert_from(w.digest, 'UTF8') and n.stores = w.stores \
        and n.digest = sha256(w.name)
        """
      store = """
        with p as materialized (\(fenced)), \
        w as materialized (select * from unnest($4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], \
        $10::bigint[], $11::bytea[]) with ordinality w(stores, name, last, ends, sets, wake, epoch_sequence, epoch, n)), \
        k as (update \(tables("key")) j set last = w.ends, wake = case when w.sets = 1 then w.wake else j.wake end, \
        epoch_sequence = coalesce(w.epoch_sequence, j.epoch_sequence), epoch = coalesce(w.epoch, j.epoch) \
        from w where j.stores = w.stores and j.digest = sha256(w.name) and j.last = w.last \
        and (j.partition = 0 or j.partition in (select id from p)) returning j.id, j.partition, w.n), \
        r as (insert into \(tables("record"))(key, sequence, position, partition, writer, batch, kind, version, revision, time, checksum, \
        payload) select k.id, r.sequence, p.position + row_number() over (partition by k.partition order by r.n), k.partition, r.writer, \
        r.batch, r.kind, r.version, r.revision, r.time, r.checksum, r.payload \
        from unnest($12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], \
        $20::bigint[], $21::bytea[]) \
        with ordinality r(key, sequence, writer, batch, kind, version, revision, time, checksum, payload, n) \
        join k on k.n = r.key left join p on p.id = k.partition returning partition), \
        c as (select partition, count(*) as count from r where partition > 0 group by partition), \
        u as (update \(tables("partition")) q set position = q.position + c.count from c where q.id = c.partition) \
        select n, \(PostgresConnection.durableCommit) from k
        """
    }
  }
#endif
