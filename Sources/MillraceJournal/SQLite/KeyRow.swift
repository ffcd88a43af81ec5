#if SQLite
  import MillraceEntries

  /// The row of a key in the table `keys`.
  struct KeyRow {
    let key: JournalKey
    /// The number of the key's partition; 0 for a single store.
    let partition: Int
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
    /// The time at which the key has to be opened, in milliseconds since 1970; nil for none.
    var wake: Int64?
    /// The position of the last record that was removed; nil if none was, or for a single store.
    var removed: JournalPosition?
    /// Whether the table has the row.
    let isStored: Bool
    /// Whether it is that of a key that was erased, and had no record since.
    var isErased: Bool { !isStored && last > .start }

    /// The row of a key that has had no record.
    init(_ key: JournalKey, in partition: Int, id: Int) {
      self.key = key
      self.partition = partition
      self.id = id
      isStored = false
      last = .start
      chain = RecordChain(of: key)
      truncated = .start
      truncatedChain = chain
      epochSequence = .start
      epoch = []
    }

    /// The row of a key that was erased, and has had no record since.
    init(_ key: JournalKey, in partition: Int, id: Int, erased: ErasedKey) {
      self.init(key, in: partition, id: id)
      (last, truncated, removed) = (erased.last, erased.last, erased.position)
      snapshot = (erased.last, JournalSnapshot.erased(through: erased.last).checksum(of: key))
    }

    static let columns = """
      partition, name, id, last, chain, truncated, truncatedChain, epochSequence, epoch, snapshot, snapshotChecksum, wake, removed, seal
      """

    /// Reads a row of these columns.
    ///
    /// - Parameter stores: The name of the stores of the key's partition; nil for a single store, or where only the checksum matters.
    /// - Throws: ``JournalError`` if the row is not the one that was written, or if no journal writes such a row.
    init(_ row: SQLiteRow, of stores: String? = nil) throws(JournalError) {
      let name = row.bytes(1)
      key = JournalKey(String(decoding: name, as: UTF8.self), of: stores)
      partition = row.int(0)
      id = row.int(2)
      last = JournalSequence(row.number(3))
      chain = RecordChain(continuing: row.number(4))
      truncated = JournalSequence(row.number(5))
      truncatedChain = RecordChain(continuing: row.number(6))
      epochSequence = JournalSequence(row.number(7))
      epoch = row.bytes(8)
      snapshot = row.isNull(9) ? nil : (JournalSequence(row.number(9)), row.number(10))
      wake = row.isNull(11) ? nil : Int64(bitPattern: row.number(11))
      removed = row.isNull(12) ? nil : JournalPosition(row.number(12))
      isStored = true
      // A name that has become bytes, or is no UTF-8, is found by no search for the text that is read.
      guard row.isText(1), name.elementsEqual(key.name.utf8), row.number(13) == seal, isPossible else {
        throw JournalError(
          .corrupt,
          "The row of the key \(key.quoted) is not the one that was written; restore the journal from a copy.")
      }
    }

    /// Whether a journal may have written the row; a program that forges the checksum may write others.
    private var isPossible: Bool {
      let covered = snapshot?.sequence ?? .start
      return id > 0 && partition >= 0 && truncated <= covered && covered <= last && epochSequence <= last
        && last <= .largest
    }

    /// The values of the columns.
    var values: [SQLiteValue] {
      [
        SQLiteValue(partition), .text(key.name), SQLiteValue(id), SQLiteValue(last.number), SQLiteValue(chain.value),
        SQLiteValue(truncated.number), SQLiteValue(truncatedChain.value), SQLiteValue(epochSequence.number),
        .bytes(epoch), snapshot.map { SQLiteValue($0.sequence.number) } ?? .null,
        SQLiteValue(snapshot?.checksum ?? 0), wake.map { .number($0) } ?? .null,
        removed.map { SQLiteValue($0.number) } ?? .null, SQLiteValue(seal),
      ]
    }

    /// The checksum of the row, which is that of version 1 for a single store.
    var seal: UInt64 {
      var checksum = Checksum()
      checksum.add(text: key.name)
      for number in [
        UInt64(bitPattern: Int64(id)), last.number, chain.value, truncated.number, truncatedChain.value,
        epochSequence.number,
        snapshot == nil ? 0 : 1, snapshot?.sequence.number ?? 0, snapshot?.checksum ?? 0,
      ] { checksum.add(number) }
      checksum.add(bytes: epoch)
      if partition != 0 || wake != nil || removed != nil {
        checksum.add(UInt64(bitPattern: Int64(partition)))
        for number in [wake.map { UInt64(bitPattern: $0) }, removed?.number] {
          checksum.add(number == nil ? 0 : 1)
          checksum.add(number ?? 0)
        }
      }
      return checksum.value
    }
  }
#endif
