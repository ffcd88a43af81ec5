/// An entry that a journal has stored.
public struct JournalRecord: Sendable, Hashable {
  /// The position in the log of the key.
  public let sequence: JournalSequence

  /// The batch that the record was stored with.
  public let batch: JournalBatch.ID

  /// The content.
  public let entry: JournalEntry

  /// The wall time of its batch in milliseconds since 1970; nil for a record of version 1 of the journal's format.
  public let time: Int64?

  /// The position in the partition of the key; nil for a key that belongs to none.
  public let position: JournalPosition?

  /// The checksum of the record, by which the engine finds a change; in memory and in a file also of all records of the key before it.
  public let checksum: UInt64

  /// Creates a record, as an engine does.
  public init(
    _ entry: JournalEntry, sequence: JournalSequence, batch: JournalBatch.ID, time: Int64?, position: JournalPosition?,
    checksum: UInt64
  ) {
    self.sequence = sequence
    self.batch = batch
    self.entry = entry
    self.time = time
    self.position = position
    self.checksum = checksum
  }

  /// The name of a record, which no other record of its key has.
  ///
  /// It outlives a restart of the journal. After a restore from an older copy, another record at the same position has another name.
  public struct ID: Sendable, Hashable {
    /// The batch that the record was stored with.
    public let batch: JournalBatch.ID

    /// The position of the record in the log of its key.
    public let sequence: JournalSequence

    /// Creates the name of a record, as an engine does.
    public init(batch: JournalBatch.ID, sequence: JournalSequence) {
      self.batch = batch
      self.sequence = sequence
    }
  }

  /// The name of the record.
  public var id: ID { ID(batch: batch, sequence: sequence) }
}

/// Records of a key in their order, as one read returns them.
public struct JournalPage: Sendable {
  /// The records, from the one behind the requested sequence on; the last one is the last of its batch.
  public let records: [JournalRecord]

  /// The last sequence of the key when the page was read.
  ///
  /// A reader has everything when the last record has this sequence, and shows its progress by comparing the two.
  public let last: JournalSequence

  /// Creates a page, as an engine does.
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

  /// Creates a result, as an engine does.
  public init(stored: Int, last: JournalSequence, failure: JournalError? = nil) {
    self.stored = stored
    self.last = last
    self.failure = failure
  }
}

/// The position of a record in the log of its key.
///
/// The first record has the sequence 1, and each record has the sequence of the one before it plus one.
public struct JournalSequence: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The position, from 1; 0 is the position before the first record.
  public let number: UInt64

  /// Creates the sequence of this number.
  public init(_ number: UInt64) {
    self.number = number
  }

  /// Creates the sequence of this number.
  public init(integerLiteral number: UInt64) {
    self.init(number)
  }

  /// The position before the first record of a key: the last sequence of an empty log.
  public static let start = JournalSequence(0)

  /// The largest sequence that a log may have: behind it there is room for every addition, and no log gets there.
  package static let largest = JournalSequence(1 << 62)

  /// The number in decimal digits.
  public var description: String { "\(number)" }

  /// Orders sequences by their numbers.
  public static func < (left: JournalSequence, right: JournalSequence) -> Bool { left.number < right.number }

  /// The sequence this many records later.
  package func advanced(by count: Int) -> JournalSequence { JournalSequence(number + UInt64(count)) }
}
