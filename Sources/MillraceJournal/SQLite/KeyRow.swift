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
    /// - Throws: ``JournalError`` if the row is not the one that was written.
    init(_ row: SQLiteRow) throws(JournalError) {
      key = JournalKey(row.text(0))
      id = row.int(1)
      last = JournalSequence(row.number(2))
      chain = RecordChain(continuing: row.number(3))
      truncated = JournalSequence(row.number(4))
      truncatedChain = RecordChain(continuing: row.number(5))
      epochSequence = JournalSequence(row.number(6))
      epoch = row.bytes(7)
      snapshot = row.isNull(8) ? nil : (JournalSequence(row.number(8)), row.number(9))
      // A name that has become bytes reads the same, and is found by no search.
      guard row.isText(0), row.number(10) == seal else {
        throw JournalError(
          .corrupt,
          "The row of the key \(key.quoted) is not the one that was written; restore the journal from a copy.")
      }
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
    private var seal: UInt64 {
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
#endif
