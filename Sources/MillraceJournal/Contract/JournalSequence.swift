/// The position of a record in the log of its key.
///
/// The first record has the sequence 1, and each record has the sequence of the one before it plus one.
public struct JournalSequence: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The position, from 1; 0 stands for the place before the first record.
  public let number: UInt64

  /// Makes the sequence of this number.
  public init(_ number: UInt64) {
    self.number = number
  }

  /// Makes the sequence of this number.
  public init(integerLiteral number: UInt64) {
    self.init(number)
  }

  /// The place before the first record of a key: the last sequence of an empty log.
  public static let start = JournalSequence(0)

  /// The number in decimal digits.
  public var description: String { "\(number)" }

  /// Orders sequences by their numbers.
  public static func < (left: JournalSequence, right: JournalSequence) -> Bool { left.number < right.number }

  /// The sequence this many records later.
  func advanced(by count: Int) -> JournalSequence { JournalSequence(number + UInt64(count)) }
}
