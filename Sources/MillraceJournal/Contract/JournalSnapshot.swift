/// The state of a store after the records up to a sequence, as the writer has encoded it.
public struct JournalSnapshot: Sendable, Hashable {
  /// The last record whose effects are in the state.
  public let sequence: JournalSequence

  /// The revision of the state, from 0; a snapshot with a negative one cannot be read.
  public let revision: Int

  /// The version of the schema of the payload.
  public let schemaVersion: Int

  /// The bytes that the writer has encoded.
  public let payload: [UInt8]

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - sequence: The last record whose effects are in the state.
  ///   - revision: The revision of the state.
  ///   - payload: The encoded state.
  ///   - schemaVersion: The version of the payload's schema.
  public init(sequence: JournalSequence, revision: Int, payload: [UInt8], schemaVersion: Int = 1) {
    self.sequence = sequence
    self.revision = revision
    self.payload = payload
    self.schemaVersion = schemaVersion
  }

  /// The snapshot of a key whose log was erased up to a sequence: it stands for the initial state.
  package static func erased(through sequence: JournalSequence) -> JournalSnapshot {
    JournalSnapshot(sequence: sequence, revision: 0, payload: [])
  }

  /// The snapshot of a key whose log is being copied from another journal: it has no state, and no store opens it.
  package static func incomplete(through sequence: JournalSequence) -> JournalSnapshot {
    JournalSnapshot(
      sequence: sequence, revision: 0, payload: Array("The copy of this key has not ended.".utf8), schemaVersion: 0)
  }

  /// Whether its key is being copied from another journal.
  package var isIncomplete: Bool { self == .incomplete(through: sequence) }

  /// Whether it has no payload, and so stands for the initial state: the log up to it was erased.
  public var isInitial: Bool { payload.isEmpty }
}
