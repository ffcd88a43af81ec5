/// What a store begins with when its log is opened: the newest snapshot, and what an engine knows of the log beside it.
public struct JournalBeginning: Sendable {
  /// The newest snapshot; nil if there is none.
  public let snapshot: JournalSnapshot?

  /// The last sequence of the log, read in the same step as the snapshot; nil if the engine has not read it.
  ///
  /// A store that knows it reads no records if the log ends with the snapshot.
  public let last: JournalSequence?

  /// Creates the beginning of a log, as an engine does.
  public init(snapshot: JournalSnapshot?, last: JournalSequence? = nil) {
    self.snapshot = snapshot
    self.last = last
  }
}
