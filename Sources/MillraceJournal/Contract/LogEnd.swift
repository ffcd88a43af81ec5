/// The end of a key's log, by which a copy sees whether another journal has the same log.
package struct LogEnd: Sendable {
  /// The last sequence.
  package let last: JournalSequence
  /// The last record that was removed; ``last`` for a key that was erased.
  package let removed: JournalSequence
  /// The last record; nil if it was removed, or if there never was one.
  package let record: JournalRecord?
  /// The last record that the newest snapshot covers, and the checksum of the snapshot, which is the same in each journal; nil without one.
  package let snapshot: (sequence: JournalSequence, checksum: UInt64)?
  /// The wake time of a key of many stores.
  package let wake: Int64?

  /// Creates the end of a log, as an engine does.
  package init(
    last: JournalSequence, removed: JournalSequence, record: JournalRecord?,
    snapshot: (sequence: JournalSequence, checksum: UInt64)?, wake: Int64?
  ) {
    (self.last, self.removed, self.record) = (last, removed, record)
    (self.snapshot, self.wake) = (snapshot, wake)
  }
}
