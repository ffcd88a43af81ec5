import MillraceEntries

/// The checksums of a key, each made of a record and of the checksum before it.
package struct RecordChain: Sendable, Hashable {
  package private(set) var value: UInt64

  /// Begins the chain of a key, so that a record that stands under another key does not fit.
  package init(of key: JournalKey) {
    var checksum = Checksum()
    checksum.add(key)
    value = checksum.value
  }

  /// Continues a chain.
  init(continuing value: UInt64) {
    self.value = value
  }

  /// Adds a record.
  ///
  /// Records of version 1 of the format have no time, and only those of partitions have a position.
  package mutating func add(
    _ entry: JournalEntry, sequence: JournalSequence, batch: JournalBatch.ID, time: Int64?, position: JournalPosition?
  ) {
    var checksum = Checksum(continuing: value)
    checksum.add(sequence.number)
    checksum.add(batch.writer)
    checksum.add(batch.number)
    checksum.add(UInt64(entry.kind.rawValue))
    checksum.add(UInt64(bitPattern: Int64(entry.schemaVersion)))
    checksum.add(UInt64(bitPattern: Int64(entry.revision ?? -1)))
    checksum.add(bytes: entry.payload)
    if let time { checksum.add(UInt64(bitPattern: time)) }
    if let position { checksum.add(~position.number) }
    value = checksum.value
  }

  /// Creates the records of a batch, and adds them.
  ///
  /// - Parameters:
  ///   - last: The sequence before the first one.
  ///   - position: The last position of the partition, which moves with each record; nil for a key that belongs to none.
  mutating func records(
    of batch: JournalBatch, after last: JournalSequence, _ position: inout JournalPosition?
  ) -> [JournalRecord] {
    var sequence = last
    return batch.entries.map { entry in
      sequence = sequence.advanced(by: 1)
      position = position?.next
      add(entry, sequence: sequence, batch: batch.id, time: batch.time, position: position)
      return JournalRecord(
        entry, sequence: sequence, batch: batch.id, time: batch.time, position: position, checksum: value)
    }
  }
}

extension JournalSnapshot {
  /// The checksum of the snapshot under its key.
  package func checksum(of key: JournalKey) -> UInt64 {
    var checksum = checksumBeforePayload(of: key)
    payload.withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }

  /// The checksum to which the bytes of the payload are to be added, in any number of parts.
  func checksumBeforePayload(of key: JournalKey) -> Checksum {
    var checksum = Checksum()
    checksum.add(key)
    checksum.add(sequence.number)
    checksum.add(UInt64(bitPattern: Int64(revision)))
    checksum.add(UInt64(bitPattern: Int64(schemaVersion)))
    checksum.add(UInt64(payload.count))
    return checksum
  }
}

extension Checksum {
  /// Adds the names of a key.
  mutating func add(_ key: JournalKey) {
    add(text: key.name)
    if let stores = key.stores { add(text: stores) }
  }

  /// Adds the number of bytes, and the bytes.
  mutating func add(bytes: [UInt8]) {
    add(UInt64(bytes.count))
    bytes.withUnsafeBytes { add($0) }
  }

  /// Adds the number of bytes of a text's UTF-8, and these bytes.
  mutating func add(text: String) {
    add(bytes: Array(text.utf8))
  }
}
