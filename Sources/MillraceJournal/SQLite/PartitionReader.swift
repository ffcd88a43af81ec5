#if SQLite
  /// Takes the records of a partition, the removals and the erasures behind a position, and brings them into one order.
  ///
  /// Each of the three is read up to a limit, so a page ends at the least position to which one of them was read.
  struct PartitionReader {
    private let row: PartitionRow
    private let start: JournalPosition
    private let byteCount: Int
    private var items: [JournalPartitionItem] = []
    /// The position to which all parts were read; nil for the end of the partition.
    private var bound: JournalPosition?
    /// The number of items of the part that is read, and their payload bytes.
    private var count = 0
    private var bytes = 0

    init(_ row: PartitionRow, after start: JournalPosition, upTo byteCount: Int) {
      self.row = row
      self.start = start
      self.byteCount = byteCount
    }

    /// Takes a row of a record; false behind the last one of the page.
    mutating func takeRecord(_ found: SQLiteRow) throws(JournalError) -> Bool {
      let (position, sequence) = (JournalPosition(found.number(10)), JournalSequence(found.number(12)))
      let key = JournalKey(found.text(11), of: row.partition.stores)
      // The chain stands in the record before, or in the row of the key if that was removed.
      let isFirst = found.number(13) &+ 1 == sequence.number
      guard !found.isNull(0), !found.isNull(13), isFirst || !found.isNull(15) else {
        throw .corrupt(key, at: sequence)
      }
      var chain = RecordChain(continuing: found.number(isFirst ? 14 : 15))
      guard let record = chain.record(found), record.sequence == sequence, record.position == position,
        position <= row.position
      else { throw .corrupt(key, at: sequence) }
      bytes += record.entry.payload.count
      return take(.record(record, of: key)) && bytes < byteCount
    }

    /// Takes the row of a key of which records were removed.
    mutating func takeRemoval(_ found: SQLiteRow) throws(JournalError) -> Bool {
      let key = try KeyRow(found, of: row.partition.stores)
      return take(.missed(key.key, through: key.truncated, at: key.removed ?? .start))
    }

    /// Takes the row of an erased key.
    mutating func takeErasure(_ found: SQLiteRow, _ path: JournalPath) throws(JournalError) -> Bool {
      guard let erased = ErasedRow(found), let position = erased.key.position else {
        throw .damagedErasures(path)
      }
      return take(.erased(erased.digest, at: position))
    }

    private mutating func take(_ item: JournalPartitionItem) -> Bool {
      items.append(item)
      count += 1
      return count < largestPage
    }

    /// Ends a part, which was read to its end if it has not reached a limit.
    mutating func endPart() {
      if let last = items.last, count >= largestPage || count > 0 && bytes >= byteCount {
        bound = min(bound ?? last.position, last.position)
      }
      (count, bytes) = (0, 0)
    }

    /// - Parameter previous: the record at the position behind which the page begins.
    func page(_ previous: JournalRecord.ID?) -> JournalPartitionPage {
      let found = items.filter { item in bound.map { item.position <= $0 } ?? true }
      return JournalPartitionPage(
        found.sorted { $0.position < $1.position }, after: start, last: row.position, upTo: .max, bound: bound,
        previous: previous)
    }
  }
#endif
