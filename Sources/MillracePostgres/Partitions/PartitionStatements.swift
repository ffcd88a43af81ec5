#if Postgres
  import MillraceJournal

  /// The row of a partition.
  struct StoredPartition {
    let id: Int64
    /// The id of the name of its stores.
    let stores: Int64
    let epoch: UInt64
    /// The name of the newest claim.
    let name: UInt64
    let position: JournalPosition
    /// The batch of the last append; nil if a program of version 2 made it.
    let batch: JournalBatch.ID?
    private let owner: [UInt8]

    static let columns = "id, stores, epoch, position, owner, name, last_writer, last_batch"

    /// Reads the first row of these columns; nil if there is none.
    init?(_ result: PostgresResult) {
      if result.rows.isEmpty { return nil }
      id = result.number(0, 0)
      stores = result.number(0, 1)
      epoch = result.bits(0, 2)
      position = JournalPosition(result.bits(0, 3))
      owner = result.bytes(0, 4)
      name = result.bits(0, 5)
      batch = result.batch(0, 6)
    }

    /// Whether a claim is the newest one.
    func isOf(_ claim: JournalClaim) -> Bool { epoch == claim.epoch && name == claim.name }

    /// The process that made the last claim; nil if its name cannot be read.
    func newcomer(_ partition: JournalPartition) -> JournalEpoch? {
      try? JournalEpoch(payload: owner, of: JournalKey(partition.stores), at: .start)
    }
  }

  /// The statements about one partition.
  struct PartitionStatements {
    let tables: PostgresTables
    let partition: JournalPartition

    private var isPartition: String {
      "stores = (select id from \(tables("stores")) where digest = sha256($1)) and number = $2"
    }

    private var id: String { "(select id from \(tables("partition")) where \(isPartition))" }

    private func statement(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> PostgresStatement {
      PostgresStatement(sql) {
        $0.add(partition.stores.utf8)
        $0.add(partition.number)
        add(&$0)
      }
    }

    /// Reads the row.
    var row: PostgresStatement {
      statement("select \(StoredPartition.columns) from \(tables("partition")) where \(isPartition)")
    }

    /// Reads the row, and locks it until the transaction ends.
    var lock: PostgresStatement {
      statement("select \(StoredPartition.columns) from \(tables("partition")) where \(isPartition) for no key update")
    }

    /// Inserts the row of the stores' name if there is none.
    var named: PostgresStatement {
      PostgresStatement(
        """
        insert into \(tables("stores"))(name) select $1 \
        where not exists (select 1 from \(tables("stores")) where digest = sha256($1)) on conflict do nothing
        """
      ) { $0.add(partition.stores.utf8) }
    }

    /// Makes an owner the newest one; the row of the last statement is that of the partition then.
    ///
    /// - Parameter name: The name of the claim.
    func claim(as owner: [UInt8], _ name: UInt64) -> [PostgresStatement] {
      [
        named,
        statement(
          """
          insert into \(tables("partition"))(stores, number, epoch, owner, position) select s.id, $2, 0, '', 0 from \(tables("stores")) s \
          where s.digest = sha256($1) and not exists (select 1 from \(tables("partition")) where \(isPartition)) on conflict do nothing
          """),
        statement(
          """
          update \(tables("partition")) set epoch = epoch + 1, owner = $3, name = $4, member_high = null, member_low = null \
          where \(isPartition) returning \(StoredPartition.columns)
          """
        ) {
          $0.add(owner)
          $0.add(name)
        },
      ]
    }

    // MARK: Reading

    /// Reads the number and the position of each partition of many stores.
    static func positions(of stores: String, _ tables: PostgresTables) -> PostgresStatement {
      PostgresStatement(
        """
        select number, position from \(tables("partition")) \
        where stores = (select id from \(tables("stores")) where digest = sha256($1))
        """
      ) { $0.add(stores.utf8) }
    }

    func due(before time: Int64, after due: JournalDue?, upTo count: Int) -> PostgresStatement {
      statement(
        """
        select name, wake from \(tables("key")) where partition = \(id) and wake < $3 and wake >= $4 and (wake, name) > ($4, $5) \
        order by wake, name limit $6
        """
      ) {
        $0.add(time)
        $0.add(due?.wake ?? -1)
        $0.add((due?.key.name ?? "").utf8)
        $0.add(max(count, 0))
      }
    }

    /// Reads the records, the removals and the erasures behind a position, each up to a limit, and the name of the record at the position.
    func items(after position: JournalPosition, upTo byteCount: Int) -> [PostgresStatement] {
      func after(_ position: JournalPosition, _ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in })
        -> PostgresStatement
      {
        statement(sql) {
          $0.add(position.number)
          add(&$0)
        }
      }
      return [
        after(
          position,
          """
          select \(RecordRow.columns), k.name from (select *, sum(length(payload)) over (order by position rows unbounded preceding) - length(payload) as before \
          from \(tables("record")) where partition = \(id) and position > $3 order by position limit \(largestPage)) r \
          cross join lateral (select k.name from \(tables("key")) k where k.id = r.key offset 0) k where r.before < $4 order by r.position
          """
        ) { $0.add(max(byteCount, 1)) },
        after(
          position,
          """
          select removed, truncated, name from \(tables("key")) where partition = \(id) and removed > $3 \
          order by removed limit \(largestPage)
          """),
        after(
          position,
          """
          select position, digest from \(tables("erased")) where partition = \(id) and position > $3 \
          order by position limit \(largestPage)
          """),
        after(
          position,
          "select writer, batch, sequence from \(tables("record")) where partition = \(id) and position = $3"),
      ]
    }

    /// Brings what ``items(after:upTo:)`` has read into one order.
    ///
    /// Each of the three is read up to a limit, so a page ends at the least position to which one of them was read.
    func page(
      _ results: some Collection<PostgresResult>, _ row: StoredPartition, after start: JournalPosition,
      upTo byteCount: Int
    ) throws(JournalError) -> JournalPartitionPage {
      let results = Array(results)
      let (records, removals, erasures) = (results[0], results[1], results[2])
      var (items, bound): ([JournalPartitionItem], JournalPosition?) = ([], nil)
      func end(_ count: Int, isFull: Bool = false) {
        guard let last = items.last, count > 0, isFull || count >= largestPage else { return }
        bound = min(bound ?? last.position, last.position)
      }
      var bytes = 0
      for row in records.rows {
        let key = JournalKey(records.text(row, RecordRow.count), of: partition.stores)
        let record = try RecordRow.record(records, row, of: key, RecordChain(of: key))
        bytes += record.entry.payload.count
        items.append(.record(record, of: key))
      }
      end(records.rows.count, isFull: bytes >= byteCount)
      for row in removals.rows {
        items.append(
          .missed(
            JournalKey(removals.text(row, 2), of: partition.stores), through: JournalSequence(removals.bits(row, 1)),
            at: JournalPosition(removals.bits(row, 0))))
      }
      end(removals.rows.count)
      for row in erasures.rows {
        items.append(.erased(JournalKeyDigest(erasures.text(row, 1)), at: JournalPosition(erasures.bits(row, 0))))
      }
      end(erasures.rows.count)
      let previous = results[3].rows.first.map { row in
        JournalRecord.ID(
          batch: .init(writer: results[3].bits(row, 0), number: results[3].bits(row, 1)),
          sequence: JournalSequence(results[3].bits(row, 2)))
      }
      return JournalPartitionPage(
        items.filter { item in bound.map { item.position <= $0 } ?? true }.sorted { $0.position < $1.position },
        after: start, last: row.position, upTo: .max, bound: bound, previous: previous)
    }
  }

  /// The statements that list keys.
  struct ListStatements {
    let tables: PostgresTables
    /// The name of many stores; nil for the keys of single stores.
    let stores: String?

    /// Reads names in the order of their bytes.
    ///
    /// - Parameters:
    ///   - prefix: the text with which the names begin.
    ///   - name: the name before the first one; nil to begin.
    func names(prefix: String, after name: String?) -> PostgresStatement {
      let (listed, name) = (PostgresTables.listed, name.map { Array($0.utf8) })
      // No byte of UTF-8 is the greatest one. Both ends are values, so that a plan for any of them reads the index from one to the other.
      let end = prefix.utf8.last.map { Array(prefix.utf8.dropLast()) + [$0 + 1] } ?? [.max]
      return PostgresStatement(
        """
        select name from \(tables("key")) where stores = coalesce((select id from \(tables("stores")) where digest = sha256($1)), \
        case when $1 is null then 0 end) and \(listed("name")) >= greatest(\(listed("$2")), \(listed("$3"))) and name >= $2 \
        and ($3 is null or name > $3) and \(listed("name")) <= \(listed("$4")) and name < $4 order by \(listed("name")), name \
        limit \(largestPage)
        """
      ) {
        $0.add(stores?.utf8)
        $0.add(prefix.utf8)
        $0.add(name)
        $0.add(end)
      }
    }
  }
#endif
