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

  /// Creates a record, as an engine does.
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
  static let largest = JournalSequence(1 << 62)

  /// The number in decimal digits.
  public var description: String { "\(number)" }

  /// Orders sequences by their numbers.
  public static func < (left: JournalSequence, right: JournalSequence) -> Bool { left.number < right.number }

  /// The sequence this many records later.
  func advanced(by count: Int) -> JournalSequence { JournalSequence(number + UInt64(count)) }
}

/// The name of a log in a journal; each store has a log of its own.
///
/// Two keys are equal if their names have the same UTF-8, so `é` as one scalar and as two are different keys.
public struct JournalKey: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name, of any length and with any characters.
  public let name: String

  /// Creates the key of this name.
  public init(_ name: String) {
    self.name = name
  }

  /// Creates the key of this name.
  public init(stringLiteral name: String) {
    self.init(name)
  }

  /// The name.
  public var description: String { name }
}

extension JournalKey: Hashable, Comparable {
  /// Whether both names have the same UTF-8.
  public static func == (left: JournalKey, right: JournalKey) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// Hashes the UTF-8 of the name.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }

  /// Orders keys by the UTF-8 of their names.
  public static func < (left: JournalKey, right: JournalKey) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}
