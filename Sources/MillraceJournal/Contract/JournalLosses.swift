public import Millrace

/// A partition whose last records a journal has lost.
public struct JournalLoss: Sendable, Hashable, CustomStringConvertible {
  /// The partition.
  public let partition: JournalPartition

  /// The highest position that this process knew.
  public let known: JournalPosition

  /// The last position that the partition has now.
  ///
  /// It is `known` or greater if another record is at the known position.
  public let found: JournalPosition

  /// The claim of this process that ended with the loss; nil if it did not own the partition.
  public let claim: JournalClaim?

  /// Creates a loss, as an engine does.
  public init(
    of partition: JournalPartition, known: JournalPosition, found: JournalPosition, claim: JournalClaim?
  ) {
    self.partition = partition
    self.known = known
    self.found = found
    self.claim = claim
  }

  /// Both positions and the fix, as a sentence.
  public var description: String {
    let records =
      found < known
      ? "ends at position \(found), but its records up to \(known) were stored; those after \(found) are lost"
      : "has another record at position \(known) than the one that was stored there, so that record is lost"
    return """
      \("\(partition)".capitalizedFirst) \(records). Check whether the database was restored from an older copy, or a standby without the newest \
      records has taken over; keep the other copy to recover the lost records from it. The stores continue from the records that the database has.
      """
  }
}

/// The losses of records that a journal has noticed since it was opened.
public struct JournalLosses: Sendable, Hashable {
  /// The number of losses; one restore is a loss for each partition that lacks records.
  public let count: Int

  /// The newest loss of each partition, by the partition's number.
  public let newest: [Int: JournalLoss]

  /// Creates losses, as an engine does.
  public init(count: Int = 0, newest: [Int: JournalLoss] = [:]) {
    self.count = count
    self.newest = newest
  }
}

extension PartitionedJournal {
  /// Returns no losses: an engine whose content cannot be replaced while it is open has none.
  public func losses(of stores: String) -> JournalLosses { JournalLosses() }
}

extension Incident.Kind {
  /// A journal lacks records of a partition that it had stored, as after a restore from an older copy.
  ///
  /// It concerns no action. Reported once a journal for each loss of a partition.
  public static let lostRecords = Incident.Kind(name: "lostRecords")
}
