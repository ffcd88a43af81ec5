#if SQLite
  import MillraceSQLite

  /// The records of keys.
  extension JournalTables {
    /// Adds batches, and returns the new last sequence.
    ///
    /// The row of the key is read and written once for all of them.
    ///
    /// - Parameter partition: The partition of the key, whose position moves with each record; nil for a single store.
    /// - Throws: ``RefusedBatch`` for the first batch that is refused.
    func append(
      _ batches: ArraySlice<JournalBatch>, to key: JournalKey, after last: JournalSequence,
      in partition: inout PartitionRow?
    ) throws -> JournalSequence {
      if batches.isEmpty { return last }
      var index = 0
      do {
        var position = partition?.position
        let id = partition?.id ?? 0
        var row = try row(of: key, in: id) ?? newRow(key, in: id)
        guard row.last == last else { throw try conflict(row, expected: last) }
        for batch in batches {
          try add(batch, to: &row, &position)
          index += 1
        }
        // A key begins with its first record.
        if row.last > last { try write(row) }
        if let position { partition?.position = position }
        return row.last
      } catch let error as JournalError {
        throw RefusedBatch(index: index, error: error)
      }
    }

    private func add(_ batch: JournalBatch, to row: inout KeyRow, _ position: inout JournalPosition?) throws {
      guard batch.byteCount <= largestBatch else { throw JournalError.tooLarge(batch, limit: largestBatch) }
      if position != nil, !batch.entries.isEmpty { row.wake = batch.wake.time(after: row.wake) }
      for record in row.chain.records(of: batch, after: row.last, &position) {
        try insert(record, key: row)
        if record.entry.kind == .epoch { (row.epochSequence, row.epoch) = (record.sequence, record.entry.payload) }
        row.last = record.sequence
      }
    }

    private func insert(_ record: JournalRecord, key row: KeyRow) throws {
      do {
        try statements.insertRecord.run(binding: { parameters in
          parameters.add(row.id)
          parameters.add(record.sequence.number)
          parameters.add(record.batch.writer)
          parameters.add(record.batch.number)
          parameters.add(Int(record.entry.kind.rawValue))
          parameters.add(record.entry.schemaVersion)
          parameters.add(record.entry.revision ?? -1)
          parameters.add(record.entry.payload)
          parameters.add(record.checksum)
          parameters.add(record.time)
          parameters.add(record.position.map { Int64(bitPattern: $0.number) })
        })
        if let position = record.position {
          try statements.insertPosition.run([
            SQLiteValue(row.partition), SQLiteValue(position.number), .text(row.key.name),
            SQLiteValue(record.sequence.number),
          ])
        }
      } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_CONSTRAINT {
        // There is a record behind the last one.
        throw JournalError.corrupt(row.key, at: record.sequence)
      }
    }

    private func conflict(_ row: KeyRow, expected: JournalSequence) throws(JournalError) -> JournalError {
      let newcomer =
        row.epochSequence > expected
        ? try JournalEpoch(payload: row.epoch, of: row.key, at: row.epochSequence) : nil
      return .conflict(
        row.key, expected: expected, last: row.last, newcomer: newcomer, erased: row.isErased ? row.last : nil)
    }

    func page(of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int) throws -> JournalPage {
      guard let row = try row(of: key) else { return JournalPage(records: [], last: .start) }
      return try page(of: row, after: sequence, upTo: byteCount)
    }

    func page(of row: KeyRow, after sequence: JournalSequence, upTo byteCount: Int) throws -> JournalPage {
      guard sequence >= row.truncated else {
        throw JournalError.truncated(row.key, after: sequence, through: row.truncated)
      }
      guard sequence < row.last else { return JournalPage(records: [], last: row.last) }
      var reader = PageReader(row, after: sequence, upTo: byteCount)
      let start = sequence == row.truncated ? sequence.advanced(by: 1) : sequence
      try statements.selectRecords.run([SQLiteValue(row.id), SQLiteValue(start.number)]) { try reader.take($0) }
      return try reader.page()
    }

    /// Removes records, and returns the last one that is removed.
    ///
    /// - Parameters:
    ///   - time: The first record that is not older stays, with all behind it.
    ///   - byteCount: The size of the payloads that stay; older records are removed whatever their times.
    func truncate(
      _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
    ) throws -> JournalSequence {
      let found = try row(of: key)
      let removed = found?.truncated ?? .start
      guard sequence > removed else { return removed }
      guard var row = found, let snapshot = row.snapshot, snapshot.sequence >= sequence else {
        throw JournalError.truncationAhead(key, sequence, snapshot: found?.snapshot?.sequence)
      }
      let limit = min(sequence, removed.advanced(by: largestTruncation))
      let old = try lastRecord(of: row, through: limit, before: time)
      let end = min(max(old, try lastRecord(of: row, through: sequence, beyond: byteCount)), limit)
      guard end > removed else { return removed }
      // The chain continues behind the last record that is removed. Those before it are in the snapshot, so they are not read again.
      guard let last = try page(of: row, after: JournalSequence(end.number - 1), upTo: 0).records.first else {
        throw JournalError.corrupt(key, at: end)
      }
      (row.truncated, row.truncatedChain) = (end, RecordChain(continuing: last.checksum))
      if let position = last.position { row.removed = position }
      try remove(upTo: end, of: row)
      try write(row)
      // The erasure of an earlier life is older than the records of this one.
      if old > removed { try statements.deleteErased.run([.text(key.digest.description)]) }
      return row.truncated
    }

    /// The last of the records of a key up to a sequence behind which they have at most so many payload bytes.
    private func lastRecord(
      of row: KeyRow, through sequence: JournalSequence, beyond byteCount: Int
    ) throws -> JournalSequence {
      var (last, bytes) = (row.truncated, 0)
      if byteCount == .max { return last }
      try statements.selectSizes.run([SQLiteValue(row.id), SQLiteValue(sequence.number)]) { found in
        bytes += found.int(1)
        if bytes > byteCount { last = JournalSequence(found.number(0)) }
        return bytes <= byteCount
      }
      return last
    }

    /// The last of the first records of a key, up to a sequence, that are older than a time; a record without a time is one of an earlier version.
    private func lastRecord(
      of row: KeyRow, through sequence: JournalSequence, before time: Int64
    ) throws -> JournalSequence {
      if time == .max { return sequence }
      var last = row.truncated
      try statements.selectTimes.run([SQLiteValue(row.id), SQLiteValue(sequence.number)]) { found in
        guard found.isNull(1) || found.int(1) < time else { return false }
        last = JournalSequence(found.number(0))
        return true
      }
      return last
    }

    /// Deletes the records of a key up to a sequence, and their positions.
    func remove(upTo end: JournalSequence, of row: KeyRow) throws {
      if row.partition != 0 {
        try statements.deletePositions.run([
          SQLiteValue(row.partition), SQLiteValue(row.id), SQLiteValue(end.number),
        ])
      }
      try statements.deleteRecords.run([SQLiteValue(row.id), SQLiteValue(end.number)])
    }
  }
#endif
