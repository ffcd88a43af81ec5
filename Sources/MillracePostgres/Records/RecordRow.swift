#if Postgres
  import MillraceJournal

  /// A record as its row has it.
  struct RecordRow {
    /// The number of the key among those of a statement.
    let key: Int64
    let sequence, writer, batch, kind, version, revision, time, checksum: Int64
    let payload: [UInt8]

    /// Creates the row of an entry.
    ///
    /// - Parameter chain: the beginning of the chain of the key, which is the same for all its records.
    init(
      _ entry: JournalEntry, at sequence: JournalSequence, in batch: JournalBatch, of key: Int64, _ chain: RecordChain
    ) {
      self.key = key
      self.sequence = Int64(bitPattern: sequence.number)
      (writer, self.batch) = (Int64(bitPattern: batch.id.writer), Int64(bitPattern: batch.id.number))
      (kind, version) = (Int64(entry.kind.rawValue), Int64(entry.schemaVersion))
      (revision, time) = (Int64(entry.revision ?? -1), batch.time)
      checksum = Int64(
        bitPattern: Self.checksum(of: entry, chain, sequence: sequence, batch: batch.id, time: batch.time))
      payload = entry.payload
    }

    /// The columns of a record `r` that are read.
    static let columns = """
      r.sequence, r.writer, r.batch, r.kind, r.version, r.revision, r.time, r.checksum, r.position, r.payload
      """
    /// The number of these columns.
    static let count = 10

    /// The checksum of a record under the key of this chain.
    ///
    /// It has neither the record before, which the writer of a cold key would have to read first, nor the position, which the server gives.
    private static func checksum(
      of entry: JournalEntry, _ chain: RecordChain, sequence: JournalSequence, batch: JournalBatch.ID, time: Int64
    ) -> UInt64 {
      var chain = chain
      chain.add(entry, sequence: sequence, batch: batch, time: time, position: nil)
      return chain.value
    }

    /// Reads a row of these columns.
    ///
    /// - Throws: ``JournalError`` if the row is not the one that was written.
    static func record(
      _ result: PostgresResult, _ row: Int, of key: JournalKey, _ chain: RecordChain
    ) throws(JournalError) -> JournalRecord {
      let sequence = JournalSequence(result.bits(row, 0))
      let batch = JournalBatch.ID(writer: result.bits(row, 1), number: result.bits(row, 2))
      let (revision, time, checksum) = (Int(result.number(row, 5)), result.number(row, 6), result.bits(row, 7))
      guard let kind = UInt8(exactly: result.number(row, 3)) else { throw .corrupt(key, at: sequence) }
      let entry = JournalEntry(
        kind: JournalEntry.Kind(rawValue: kind), payload: result.bytes(row, 9),
        schemaVersion: Int(result.number(row, 4)), revision: revision == -1 ? nil : revision)
      guard checksum == self.checksum(of: entry, chain, sequence: sequence, batch: batch, time: time) else {
        throw .corrupt(key, at: sequence)
      }
      return JournalRecord(
        entry, sequence: sequence, batch: batch, time: time,
        position: result.optional(row, 8).map { JournalPosition(UInt64(bitPattern: $0)) }, checksum: checksum)
    }

    /// Reads the rows behind a sequence, of which none may be missing.
    static func records(
      _ result: PostgresResult, of key: JournalKey, after start: JournalSequence
    ) throws(JournalError) -> [JournalRecord] {
      var (records, last): ([JournalRecord], JournalSequence) = ([], start)
      records.reserveCapacity(result.rows.count)
      let chain = RecordChain(of: key)
      for row in result.rows {
        let record = try record(result, row, of: key, chain)
        guard record.sequence == last.advanced(by: 1) else { throw .corrupt(key, at: last.advanced(by: 1)) }
        records.append(record)
        last = record.sequence
      }
      return records
    }
  }
#endif
