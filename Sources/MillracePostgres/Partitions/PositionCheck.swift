#if Postgres
  import MillraceJournal

  /// The check of the positions of all partitions.
  ///
  /// Each part is one statement, so that a process that appends meanwhile does not look like damage. A position is that of a record, of an erasure, or of
  /// records that were removed, and of these a key knows the last one only. So all positions behind the last one that was removed are those of records, and
  /// a partition has no more positions than its keys have sequences.
  struct PositionCheck {
    let tables: PostgresTables

    /// The longest time of a statement, which reads an index of all records.
    static let time = Duration.seconds(24 * 3_600)

    /// Finds ids of partitions that keys or records have, and that have no row or no name.
    private func missing(_ count: Int) -> PostgresStatement {
      PostgresStatement(
        """
        with recursive f(id) as (select (select pg_catalog.min(partition) from \(tables("record")) where position is not null) union all \
        select (select pg_catalog.min(r.partition) from \(tables("record")) r where r.position is not null and r.partition > f.id) \
        from f where f.id is not null) \
        select i.id from (select id from f union select partition from \(tables("key"))) i where i.id > 0 and not exists \
        (select 1 from \(tables("partition")) p join \(tables("stores")) s on s.id = p.stores where p.id = i.id) order by i.id limit $1
        """
      ) { $0.add(count) }
    }

    /// Finds partitions whose end is not that of their records, or which lack records.
    ///
    /// A row has the name and number, the end, the highest position of a record, the last position that was removed, the number of records behind that, and the
    /// number of sequences.
    private func ends(_ count: Int) -> PostgresStatement {
      PostgresStatement(
        """
        select s.name, p.number, p.position, r.position, m.position, b.count, coalesce(k.last, 0) from \(tables("partition")) p \
        join \(tables("stores")) s on s.id = p.stores \
        cross join lateral (select coalesce(pg_catalog.max(position), 0) as position from \(tables("record")) \
        where partition = p.id and position is not null) r \
        cross join lateral (select greatest((select pg_catalog.max(removed) from \(tables("key")) where partition = p.id and removed is not null), \
        (select pg_catalog.max(position) from \(tables("erased")) where partition = p.id and position is not null), 0) as position) m \
        cross join lateral (select pg_catalog.count(*) as count from \(tables("record")) where partition = p.id and position > m.position) b \
        left join (select partition, pg_catalog.sum(last)::bigint as last from (select partition, last from \(tables("key")) union all \
        select partition, last from \(tables("erased"))) l group by partition) k on k.partition = p.id \
        where greatest(r.position, m.position) > p.position or b.count < p.position - m.position or p.position > coalesce(k.last, 0) \
        order by s.name, p.number limit $1
        """
      ) { $0.add(count) }
    }

    /// The first problems, as sentences without their ends.
    func problems(_ count: Int, _ connection: PostgresConnection) throws(PostgresFailure) -> [String] {
      func run(_ statement: PostgresStatement) throws(PostgresFailure) -> PostgresResult {
        try connection.run([statement], within: Self.time)[0]
      }
      let missing = try run(missing(count))
      let shared = try run(PostgresStatement(tables.sharedPosition))
      let ends = try run(ends(count))
      return missing.rows.map {
        "Keys or records belong to the partition with the id \(missing.number($0, 0)), which has no row or no name in the table \(tables("partition"))"
      }
        + shared.rows.map {
          "Two records have position \(shared.number($0, 2)) of \(partition(in: shared, $0))"
        } + ends.rows.map { sentence(ends, $0) }
    }

    private func partition(in found: PostgresResult, _ row: Int) -> JournalPartition {
      JournalPartition(of: found.text(row, 0), number: Int(found.number(row, 1)))
    }

    private func sentence(_ found: PostgresResult, _ row: Int) -> String {
      let partition = partition(in: found, row)
      let (end, removed) = (found.number(row, 2), found.number(row, 4))
      let (highest, count) = (max(found.number(row, 3), removed), found.number(row, 5))
      if highest > end {
        return "The row of \(partition) says that it ends at position \(end), and it has a record at \(highest)"
      }
      if count < end - removed {
        return "Of the positions of \(partition) from \(removed + 1) to \(end), \(end - removed - count) have no record"
      }
      return
        "The row of \(partition) says that it ends at position \(end), and its keys have had \(found.number(row, 6)) records and erasures"
    }
  }
#endif
