import Millrace
import MillraceEntries

/// A part of the keys of many stores, which one process owns.
///
/// The keys of many stores with one name are divided into partitions by the hashes of their names. A key never changes its partition.
public struct JournalPartition: Sendable, Hashable, CustomStringConvertible {
  /// The name of the stores.
  public let stores: String

  /// The number of the partition, from 0.
  public let number: Int

  /// Creates the name of a partition.
  ///
  /// - Parameters:
  ///   - stores: The name of the stores.
  ///   - number: The number of the partition, from 0.
  public init(of stores: String, number: Int) {
    self.stores = stores
    self.number = number
  }

  /// Creates the name of the partition to which a key belongs: the FNV-1a hash of its UTF-8, modulo the number of partitions.
  ///
  /// - Parameters:
  ///   - name: The name of the key.
  ///   - stores: The name of the stores.
  ///   - count: The number of partitions, from 1, as ``PartitionedJournal/partitions(of:)`` returns it.
  public init(of stores: String, holding name: String, among count: Int) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.init(of: stores, number: Int(hash % UInt64(max(count, 1))))
  }

  /// Whether both have the same number, and stores whose names have the same UTF-8.
  public static func == (left: JournalPartition, right: JournalPartition) -> Bool {
    left.number == right.number && left.stores.utf8.elementsEqual(right.stores.utf8)
  }

  /// Hashes the number, and the UTF-8 of the name.
  public func hash(into hasher: inout Hasher) {
    for byte in stores.utf8 { hasher.combine(byte) }
    hasher.combine(number)
  }

  /// The number and the name, as the middle of a sentence.
  public var description: String { "partition \(number) of \"\(stores.shortened(to: 200))\"" }
}

/// The right to append to the keys of a partition, until another process claims it.
///
/// A claim has a number and a name. The number orders the claims of a partition. A journal that is restored from an older copy counts again from an earlier number; the
/// name tells the two claims with one number apart.
public struct JournalClaim: Sendable, Hashable {
  /// The partition.
  public let partition: JournalPartition

  /// The number of the claim, from 1; each one is greater than those before it.
  public let epoch: UInt64

  /// A random number that the engine draws for the claim; 0 in a journal whose content cannot be replaced while it is open.
  public let name: UInt64

  /// Creates a claim, as an engine does.
  public init(_ partition: JournalPartition, epoch: UInt64, name: UInt64 = 0) {
    self.partition = partition
    self.epoch = epoch
    self.name = name
  }
}

/// The position of a record among all records of its partition.
///
/// The first record of a partition has the position 1. Positions have no gaps and become visible in their order, so a reader that has read to
/// a position has seen every record up to there, or that it was removed.
public struct JournalPosition: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The position, from 1; 0 is the position before the first record.
  public let number: UInt64

  /// Creates the position of this number.
  public init(_ number: UInt64) {
    self.number = number
  }

  /// Creates the position of this number.
  public init(integerLiteral number: UInt64) {
    self.init(number)
  }

  /// The position before the first record of a partition.
  public static let start = JournalPosition(0)

  /// The number in decimal digits.
  public var description: String { "\(number)" }

  /// Orders positions by their numbers.
  public static func < (left: JournalPosition, right: JournalPosition) -> Bool { left.number < right.number }

  /// The next position.
  var next: JournalPosition { JournalPosition(number + 1) }
}

/// The change of the time at which a key has to be opened, also without an action that is sent to it.
public enum JournalWake: Sendable, Hashable {
  /// The time is as before; a new key has none.
  case keep
  /// The key has no such time: only who sends to it opens it.
  case never
  /// The key has to be open all the time.
  case now
  /// The key has to be opened at this wall time in milliseconds since 1970.
  case at(Int64)

  /// The time that is stored after the change: 0 for a key that has to be open, nil for none.
  package func time(after before: Int64?) -> Int64? {
    switch self {
    case .keep: before
    case .never: nil
    case .now: 0
    case .at(let time): max(time, 0)
    }
  }
}

/// A key that has to be opened.
public struct JournalDue: Sendable, Hashable {
  /// The key.
  public let key: JournalKey

  /// The wall time in milliseconds since 1970; 0 for a key that has to be open all the time.
  public let wake: Int64

  /// Creates the name of a key that is due, as an engine does.
  public init(_ key: JournalKey, wake: Int64) {
    self.key = key
    self.wake = wake
  }
}
