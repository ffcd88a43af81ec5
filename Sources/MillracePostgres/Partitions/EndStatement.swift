#if Postgres
  import MillraceJournal

  /// The statement that reads known partitions, with the records at the known positions.
  struct EndStatement {
    let statement: PostgresStatement
    private let partitions: [JournalPartition]

    init(_ ends: [JournalPartition: KnownPartitions.End], _ tables: PostgresTables) {
      partitions = Array(ends.keys)
      statement = PostgresStatement(
        """
        select p.position, p.last_writer, p.last_batch, r.writer, r.batch \
        from unnest($1::bytea[], $2::bigint[], $3::bigint[]) with ordinality w(stores, number, position, n) \
        left join \(tables("stores")) s on s.digest = sha256(w.stores) \
        left join \(tables("partition")) p on p.stores = s.id and p.number = w.number \
        left join lateral (select writer, batch from \(tables("record")) where partition = p.id and position = w.position offset 0) r on true \
        order by w.n
        """
      ) { [partitions] in
        $0.add(blobs: partitions.map { Array($0.stores.utf8) })
        $0.add(numbers: partitions.map { Int64($0.number) })
        $0.add(numbers: partitions.map { ends[$0].map { Int64(bitPattern: $0.position.number) } })
      }
    }

    /// The partitions in the result.
    ///
    /// One without a row ends at its start.
    func found(in result: PostgresResult) -> [KnownPartitions.Found] {
      zip(result.rows, partitions).map { row, partition in
        KnownPartitions.Found(
          partition: partition, position: JournalPosition(result.bits(row, 0)), batch: result.batch(row, 1),
          known: result.batch(row, 3))
      }
    }
  }

  extension PostgresResult {
    /// The id of a batch in two columns; nil for NULL.
    func batch(_ row: Int, _ column: Int) -> JournalBatch.ID? {
      if isNull(row, column) || isNull(row, column + 1) { return nil }
      return JournalBatch.ID(writer: bits(row, column), number: bits(row, column + 1))
    }
  }
#endif
