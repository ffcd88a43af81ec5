#if SQLite
  /// Takes the rows of a key's records one by one, and checks that none is missing or changed.
  struct PageReader {
    private let row: KeyRow
    private let start: JournalSequence
    private let byteCount: Int
    private var chain: RecordChain?
    private var records: [JournalRecord] = []
    private var count = 0
    private var hasMore = false

    /// - Parameter start: The sequence before the first record of the page; its own row comes first, unless it was removed.
    init(_ row: KeyRow, after start: JournalSequence, upTo byteCount: Int) {
      self.row = row
      self.start = start
      self.byteCount = byteCount
      if start == row.truncated { chain = row.truncatedChain }
    }

    private var next: JournalSequence { (records.last?.sequence ?? start).advanced(by: 1) }

    /// Takes a row; false if the page ends before it.
    mutating func take(_ found: SQLiteRow) throws(JournalError) -> Bool {
      let sequence = JournalSequence(found.number(0))
      guard var chain else {
        guard sequence == start else { throw .corrupt(row.key, at: start) }
        chain = RecordChain(continuing: found.number(7))
        return true
      }
      let batch = JournalBatch.ID(writer: found.number(1), number: found.number(2))
      if count >= byteCount, let last = records.last, last.batch != batch {
        hasMore = true
        return false
      }
      let revision = found.int(5)
      let entry = JournalEntry(
        kind: JournalEntry.Kind(rawValue: UInt8(truncatingIfNeeded: found.int(3))), payload: found.bytes(6),
        schemaVersion: found.int(4), revision: revision == -1 ? nil : revision)
      chain.add(entry, sequence: sequence, batch: batch)
      guard sequence == next, sequence <= row.last, chain.value == found.number(7) else {
        throw .corrupt(row.key, at: next)
      }
      self.chain = chain
      records.append(JournalRecord(entry, sequence: sequence, batch: batch, checksum: chain.value))
      count += entry.payload.count
      return true
    }

    /// The page, once all rows were taken.
    func page() throws(JournalError) -> JournalPage {
      // The last row, and the chain that ends with it, also stand in the row of the key.
      guard hasMore || next == row.last.advanced(by: 1) else { throw .corrupt(row.key, at: next) }
      guard hasMore || chain == row.chain else { throw .corrupt(row.key, at: row.last) }
      return JournalPage(records: records, last: row.last)
    }
  }
#endif
