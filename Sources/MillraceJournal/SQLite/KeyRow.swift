#if SQLite
  import MillraceEntries

  /// The row of a key in the table `keys`.
  struct KeyRow {
    let key: JournalKey
    /// The number by which other tables know the key, from 1.
    let id: Int
    var last: JournalSequence
    var chain: RecordChain
    /// The last record that was removed, and the chain up to it.
    var truncated: JournalSequence
    var truncatedChain: RecordChain
    /// The newest entry of the kind `epoch`; `start` and no bytes if there is none.
    var epochSequence: JournalSequence
    var epoch: [UInt8]
    /// The newest snapshot; nil if there is none.
    var snapshot: (sequence: JournalSequence, checksum: UInt64)?

    init(_ key: JournalKey, id: Int) {
      self.key = key
      self.id = id
      last = .start
      chain = RecordChain(of: key)
      truncated = .start
      truncatedChain = chain
      epochSequence = .start
      epoch = []
    }

    static let columns =
      "name, id, last, chain, truncated, truncatedChain, epochSequence, epoch, snapshot, snapshotChecksum, seal"

    /// Reads a row of these columns.
    ///
    /// - Throws: ``JournalError`` if the row is not the one that was written, or if no journal writes such a row.
    init(_ row: SQLiteRow) throws(JournalError) {
      let name = row.bytes(0)
      key = JournalKey(String(decoding: name, as: UTF8.self))
      id = row.int(1)
      last = JournalSequence(row.number(2))
      chain = RecordChain(continuing: row.number(3))
      truncated = JournalSequence(row.number(4))
      truncatedChain = RecordChain(continuing: row.number(5))
      epochSequence = JournalSequence(row.number(6))
      epoch = row.bytes(7)
      snapshot = row.isNull(8) ? nil : (JournalSequence(row.number(8)), row.number(9))
      // A name that has become bytes, or is no UTF-8, is found by no search for the text that is read.
      guard row.isText(0), name.elementsEqual(key.name.utf8), row.number(10) == seal, isPossible else {
        throw JournalError(
          .corrupt,
          "The row of the key \(key.quoted) is not the one that was written; restore the journal from a copy.")
      }
    }

    /// Whether a journal may have written the row; a program that forges the checksum may write others.
    private var isPossible: Bool {
      let covered = snapshot?.sequence ?? .start
      return id > 0 && truncated <= covered && covered <= last && epochSequence <= last && last <= .largest
    }

    /// The values of the columns.
    var values: [SQLiteValue] {
      [
        .text(key.name), SQLiteValue(id), SQLiteValue(last.number), SQLiteValue(chain.value),
        SQLiteValue(truncated.number),
        SQLiteValue(truncatedChain.value), SQLiteValue(epochSequence.number), .bytes(epoch),
        snapshot.map { SQLiteValue($0.sequence.number) } ?? .null, SQLiteValue(snapshot?.checksum ?? 0),
        SQLiteValue(seal),
      ]
    }

    /// The checksum of the row.
    var seal: UInt64 {
      var checksum = Checksum()
      checksum.add(text: key.name)
      for number in [
        UInt64(bitPattern: Int64(id)), last.number, chain.value, truncated.number, truncatedChain.value,
        epochSequence.number,
        snapshot == nil ? 0 : 1, snapshot?.sequence.number ?? 0, snapshot?.checksum ?? 0,
      ] { checksum.add(number) }
      checksum.add(bytes: epoch)
      return checksum.value
    }
  }

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
      guard let kind = UInt8(exactly: found.int(3)) else { throw .corrupt(row.key, at: next) }
      let entry = JournalEntry(
        kind: JournalEntry.Kind(rawValue: kind), payload: found.bytes(6), schemaVersion: found.int(4),
        revision: revision == -1 ? nil : revision)
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
