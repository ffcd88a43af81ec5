#if SQLite
  import MillraceEntries

  /// The row of a partition in the table `partitions`.
  struct PartitionRow {
    let partition: JournalPartition
    /// The number by which other tables know the partition, from 1.
    let id: Int
    /// The number of claims, and the process that made the last one.
    var epoch: UInt64 = 0
    var owner: [UInt8] = []
    /// The last position that a record or an erasure has.
    var position = JournalPosition.start

    static let columns = "id, stores, number, epoch, owner, position, seal"

    init(_ partition: JournalPartition, id: Int) {
      self.partition = partition
      self.id = id
    }

    /// Reads a row of these columns.
    ///
    /// - Throws: ``JournalError`` if the row is not the one that was written.
    init(_ row: SQLiteRow) throws(JournalError) {
      self.init(JournalPartition(of: row.text(1), number: row.int(2)), id: row.int(0))
      (epoch, owner, position) = (row.number(3), row.bytes(4), JournalPosition(row.number(5)))
      guard row.bytes(1).elementsEqual(partition.stores.utf8), row.number(6) == seal, id > 0,
        position.number < 1 << 62
      else {
        throw JournalError(
          .corrupt, "The row of \(partition) is not the one that was written; restore the journal from a copy.")
      }
    }

    var values: [SQLiteValue] {
      [
        SQLiteValue(id), .text(partition.stores), SQLiteValue(partition.number), SQLiteValue(epoch), .bytes(owner),
        SQLiteValue(position.number), SQLiteValue(seal),
      ]
    }

    /// The process that made the last claim; nil if its name cannot be read.
    var newcomer: JournalEpoch? {
      try? JournalEpoch(payload: owner, of: JournalKey(partition.stores), at: .start)
    }

    private var seal: UInt64 {
      var checksum = Checksum()
      checksum.add(text: partition.stores)
      for number in [
        UInt64(bitPattern: Int64(id)), UInt64(bitPattern: Int64(partition.number)), epoch, position.number,
      ] {
        checksum.add(number)
      }
      checksum.add(bytes: owner)
      return checksum.value
    }
  }

  /// The row of an erased key in the table `erased`.
  struct ErasedRow {
    let digest: JournalKeyDigest
    /// The id of the partition; 0 for a single store.
    let partition: Int
    let key: ErasedKey

    static let columns = "digest, partition, last, position, seal"

    init(_ digest: JournalKeyDigest, in partition: Int, _ key: ErasedKey) {
      self.digest = digest
      self.partition = partition
      self.key = key
    }

    /// Reads a row of these columns; nil if it is not one that was written.
    init?(_ row: SQLiteRow) {
      let position = row.isNull(3) ? nil : JournalPosition(row.number(3))
      self.init(
        JournalKeyDigest(row.text(0)), in: row.int(1),
        ErasedKey(last: JournalSequence(row.number(2)), position: position))
      guard row.isText(0), row.number(4) == seal, key.last <= .largest else { return nil }
    }

    var values: [SQLiteValue] {
      [
        .text(digest.description), SQLiteValue(partition), SQLiteValue(key.last.number),
        key.position.map { SQLiteValue($0.number) } ?? .null, SQLiteValue(seal),
      ]
    }

    private var seal: UInt64 {
      var checksum = Checksum()
      checksum.add(text: digest.description)
      for number in [UInt64(bitPattern: Int64(partition)), key.last.number, key.position?.number ?? 0] {
        checksum.add(number)
      }
      return checksum.value
    }
  }
#endif
