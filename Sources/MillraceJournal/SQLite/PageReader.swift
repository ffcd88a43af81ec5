#if SQLite
  import MillraceEntries

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
      guard let record = chain.record(found), sequence == next, sequence <= row.last else {
        throw .corrupt(row.key, at: next)
      }
      self.chain = chain
      records.append(record)
      count += record.entry.payload.count
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

  extension RecordChain {
    /// The columns of a record that are read.
    static let columns = "sequence, writer, batch, kind, version, revision, payload, chain, time, position"

    /// Adds a row of these columns, and returns its record; nil if it does not fit the checksum of the record before.
    mutating func record(_ row: SQLiteRow) -> JournalRecord? {
      let (sequence, batch) = (
        JournalSequence(row.number(0)), JournalBatch.ID(writer: row.number(1), number: row.number(2))
      )
      guard let kind = UInt8(exactly: row.int(3)) else { return nil }
      let revision = row.int(5)
      let entry = JournalEntry(
        kind: JournalEntry.Kind(rawValue: kind), payload: row.bytes(6), schemaVersion: row.int(4),
        revision: revision == -1 ? nil : revision)
      let time = row.isNull(8) ? nil : Int64(bitPattern: row.number(8))
      let position = row.isNull(9) ? nil : JournalPosition(row.number(9))
      add(entry, sequence: sequence, batch: batch, time: time, position: position)
      guard value == row.number(7) else { return nil }
      return JournalRecord(
        entry, sequence: sequence, batch: batch, time: time, position: position, checksum: value)
    }
  }
#endif
