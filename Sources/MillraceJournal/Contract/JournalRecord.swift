/// An entry that a journal has stored.
public struct JournalRecord: Sendable, Hashable {
  /// The position in the log of the key.
  public let sequence: JournalSequence

  /// The batch that the record was stored with.
  public let batch: JournalBatch.ID

  /// The content.
  public let entry: JournalEntry

  /// The checksum of the record and of all records of the key before it.
  public let checksum: UInt64

  /// Makes a record, as an engine does.
  public init(_ entry: JournalEntry, sequence: JournalSequence, batch: JournalBatch.ID, checksum: UInt64) {
    self.sequence = sequence
    self.batch = batch
    self.entry = entry
    self.checksum = checksum
  }
}

/// Records of a key in their order, as one read returns them.
public struct JournalPage: Sendable {
  /// The records, from the one behind the requested sequence on; the last one is the last of its batch.
  public let records: [JournalRecord]

  /// The last sequence of the key when the page was read.
  ///
  /// A reader has everything when the last record has this sequence, and shows its progress by comparing the two.
  public let last: JournalSequence

  /// Makes a page, as an engine does.
  public init(records: [JournalRecord], last: JournalSequence) {
    self.records = records
    self.last = last
  }
}

/// The result of an append.
public struct JournalAppend: Sendable {
  /// The number of batches that are durable, from the first one on.
  public let stored: Int

  /// The sequence of the last record that is durable; the expected last sequence if no batch was stored.
  public let last: JournalSequence

  /// The reason for which the batch behind them was not stored, or may not have been stored; nil if all are durable.
  public let failure: JournalError?

  /// Makes a result, as an engine does.
  public init(stored: Int, last: JournalSequence, failure: JournalError? = nil) {
    self.stored = stored
    self.last = last
    self.failure = failure
  }
}
