#if Postgres
  package import MillraceJournal

  /// Reads of many logs at once, for a copy.
  extension PostgresJournal {
    /// Reads the ends of logs, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func ends(of keys: [JournalKey]) async throws(JournalError) -> [LogEnd?] {
      if keys.isEmpty { return [] }
      let found = try await read([LogStatements(tables: tables, keys: keys).ends])[0]
      return found.rows.map { number in
        let (key, column) = (keys[number], RecordRow.count)
        let row = StoredKey(
          key, found, found.isNull(number, column + 1) ? nil : number, from: column + 2,
          erased: found.optional(number, column).map { UInt64(bitPattern: $0) })
        do throws(JournalError) {
          let record =
            found.isNull(number, 0) ? nil : try RecordRow.record(found, number, of: key, RecordChain(of: key))
          return LogEnd(
            last: row.last, removed: row.truncated, record: record,
            snapshot: row.snapshot.map { ($0.sequence, $0.checksum) }, wake: row.wake)
        } catch {
          return nil
        }
      }
    }

    /// Reads whole logs, as `CheckedJournal` says.
    ///
    /// - Throws: ``JournalError``.
    package func logs(
      of keys: [JournalKey], upTo byteCount: Int
    ) async throws(JournalError) -> [JournalKey: [JournalRecord]] {
      if keys.isEmpty { return [:] }
      let found = try await read([LogStatements(tables: tables, keys: keys).logs(upTo: byteCount)])[0]
      var logs: [JournalKey: [JournalRecord]] = [:]
      var rest = found.rows
      while let first = rest.first {
        let key = keys[Int(found.number(first, RecordRow.count)) - 1]
        let rows = rest.prefix { found.number($0, RecordRow.count) == found.number(first, RecordRow.count) }
        rest = rest.dropFirst(rows.count)
        let chain = RecordChain(of: key)
        let records = rows.compactMap { row in try? RecordRow.record(found, row, of: key, chain) }
        let isWhole = records.enumerated().allSatisfy { $1.sequence.number == UInt64($0 + 1) }
        // The end of the log also stands in the row of the key.
        if isWhole, let last = records.last, last.sequence.number == found.bits(first, RecordRow.count + 1) {
          logs[key] = records
        }
      }
      return logs
    }
  }

  /// The statements about up to 1,000 keys, all of single stores or all of the same many stores.
  private struct LogStatements {
    let tables: PostgresTables
    let keys: [JournalKey]

    /// The condition that a row `k` of `key` is that of the key with the name of a row `w`.
    private var isKey: String {
      let stores =
        keys.first?.stores == nil ? "0" : "(select id from \(tables("stores")) where digest = pg_catalog.sha256($1))"
      return "k.stores = \(stores) and k.digest = pg_catalog.sha256(w.name)"
    }

    private func statement(_ sql: String, _ add: (inout PostgresParameters) -> Void) -> PostgresStatement {
      PostgresStatement(sql) {
        $0.add(keys.first?.stores?.utf8)
        $0.add(blobs: keys.map { Array($0.name.utf8) })
        add(&$0)
      }
    }

    /// Reads the last record of each key, what is left of an erased key, and the row of the key.
    var ends: PostgresStatement {
      statement(
        """
        select \(RecordRow.columns), e.last, k.id, \(StoredKey.columns.split(separator: ", ").map { "k.\($0)" }.joined(separator: ", ")) \
        from rows from (pg_catalog.unnest($2::bytea[]), pg_catalog.unnest($3::bytea[])) with ordinality w(name, digest, n) left join \(tables("key")) k on \(isKey) \
        left join \(tables("erased")) e on e.digest = pg_catalog.convert_from(w.digest, 'UTF8') \
        left join \(tables("record")) r on r.key = k.id and r.sequence = k.last order by w.n
        """
      ) { $0.add(blobs: keys.map { Array($0.digest.description.utf8) }) }
    }

    /// Reads the records of the keys, up to a number of bytes; a row also has the number of the key, from 1, and the end of its log.
    func logs(upTo byteCount: Int) -> PostgresStatement {
      statement(
        """
        with k as materialized (select w.n, k.id, k.last from pg_catalog.unnest($2::bytea[]) with ordinality w(name, n) \
        join \(tables("key")) k on \(isKey)), \
        r as (select r.*, k.n, k.last, pg_catalog.sum(pg_catalog.length(r.payload)) over (order by k.n, r.sequence rows unbounded preceding) \
        - pg_catalog.length(r.payload) as before from k join \(tables("record")) r on r.key = k.id) \
        select \(RecordRow.columns), r.n, r.last from r where r.before < $3 order by r.n, r.sequence
        """
      ) { $0.add(byteCount) }
    }
  }
#endif
