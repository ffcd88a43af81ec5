import MillraceEntries

/// The failure of a journal.
///
/// A store that gets a transient error tries again; any other one stops it.
public struct JournalError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failures; later versions may add some.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The name of the kind.
    public var description: String { name }

    /// The log ends behind the expected sequence; ``JournalError/newcomer`` is the writer that took it over, if one did.
    public static let conflict = Code(name: "conflict")
    /// The journal lacks records that it had acknowledged: it was restored from an older copy, or a server without the newest records has taken over
    /// from another one.
    ///
    /// The log ends before the expected sequence, has another record there, or the claim of its partition is gone.
    public static let lost = Code(name: "lost")
    /// The journal cannot be used now, and nothing was stored; the same call may succeed later.
    public static let unavailable = Code(name: "unavailable")
    /// The journal cannot say whether a batch was stored; reading it back by its id tells.
    public static let unknown = Code(name: "unknown")
    /// Stored bytes have changed since they were written; ``JournalError/sequence`` is the record, if it is known.
    public static let corrupt = Code(name: "corrupt")
    /// A batch is larger than ``Journal/largestBatch``, or a snapshot larger than the journal stores; nothing of it was stored.
    public static let tooLarge = Code(name: "tooLarge")
    /// The coder of a store cannot encode an action or a mutation; nothing of it was committed.
    public static let notEncoded = Code(name: "notEncoded")
    /// The requested records were removed, because a snapshot covers them.
    public static let truncated = Code(name: "truncated")
    /// A snapshot is ahead of its log, or a truncation ahead of its snapshot; nothing was changed.
    public static let ahead = Code(name: "ahead")
    /// The journal has failed for all keys and has to be opened again, which shows whether a batch in progress was stored.
    public static let failed = Code(name: "failed")
    /// The journal was closed before the call; nothing was stored.
    public static let closed = Code(name: "closed")
    /// The key belongs to another partition than the claim, or to none, or the stores have no such partition; nothing was changed.
    public static let otherPartition = Code(name: "otherPartition")
    /// The text is none of a key of these stores; nothing was changed.
    public static let noKey = Code(name: "noKey")
    /// Stores were opened with an address in a journal that processes cannot share; nothing was changed.
    public static let notShared = Code(name: "notShared")
    /// An event of a projection was rejected by its interactor, or asks for a handler.
    public static let rejected = Code(name: "rejected")
    /// The journal was opened to be read alone; nothing was changed.
    public static let readOnly = Code(name: "readOnly")
    /// The file is open in this process already.
    public static let inUse = Code(name: "inUse")
    /// The file cannot be opened, read or written.
    public static let cannotOpen = Code(name: "cannotOpen")
    /// The file is no journal.
    public static let notAJournal = Code(name: "notAJournal")
    /// The file has a format that this program does not read.
    public static let otherVersion = Code(name: "otherVersion")
  }

  /// The kind of the failure.
  public let code: Code

  /// The record that the failure is about; nil if it is about none.
  public let sequence: JournalSequence?

  /// The writer that has taken the log over; nil unless the code is ``Code/conflict`` or ``Code/lost`` and another writer did.
  public let newcomer: JournalEpoch?

  /// The failure as a sentence, with the fix.
  public let description: String

  /// Creates an error, as an engine does.
  ///
  /// - Parameters:
  ///   - code: The kind of the failure.
  ///   - sequence: The record that it is about.
  ///   - newcomer: The writer that has taken the log over.
  ///   - description: A sentence that says the fix. Control characters are escaped.
  public init(_ code: Code, sequence: JournalSequence? = nil, newcomer: JournalEpoch? = nil, _ description: String) {
    self.code = code
    self.sequence = sequence
    self.newcomer = newcomer
    // Keys, and names of machines, may come from a file of unknown origin.
    self.description = description.shown()
  }

  /// Whether the same call may succeed later: true only for ``Code/unavailable`` and ``Code/unknown``.
  public var isTransient: Bool { code == .unavailable || code == .unknown }
}

extension JournalError {
  /// The error of an append that expects another end than the log has.
  package static func conflict(
    _ key: JournalKey, expected: JournalSequence, last: JournalSequence, newcomer: JournalEpoch?,
    erased: JournalSequence? = nil
  ) -> JournalError {
    if last < expected {
      return JournalError(
        .lost, sequence: last,
        """
        The log of \(key.quoted) ends at \(last), and the journal had acknowledged the records up to \(expected), so the ones behind \(last) \
        are lost; see whether the journal was restored from an older copy, and open the store again to continue from there.
        """)
    }
    if let erased, expected < erased {
      return JournalError(
        .conflict, sequence: erased,
        "The log of \(key.quoted) was erased, with all records up to \(expected); open the store again to begin anew.")
    }
    let reason = newcomer.map { "another writer took it over: \($0)" } ?? "the writer expected another end"
    let fix =
      newcomer == nil
      ? "read the log to its end and open the store again, or give each store a key of its own."
      : "this writer has to stop; open the store again where it is to continue."
    return JournalError(
      .conflict, newcomer: newcomer,
      "The log of \(key.quoted) ends at \(last) and not at \(expected), because \(reason); \(fix)")
  }

  package static func corrupt(_ key: JournalKey, at sequence: JournalSequence) -> JournalError {
    JournalError(
      .corrupt, sequence: sequence,
      """
      Record \(sequence) of \(key.quoted) is missing or is not the one that was written, so the storage has damaged it; restore the \
      journal from a copy.
      """)
  }

  package static func unreadable(_ key: JournalKey, at sequence: JournalSequence, _ reason: String) -> JournalError {
    JournalError(
      .corrupt, sequence: sequence,
      """
      Record \(sequence) of \(key.quoted) is whole and cannot be read: \(reason); read it with the version of the program that \
      wrote it.
      """)
  }

  package static func unreadableAction(
    _ key: JournalKey, _ sequence: UInt64, version: Int, of newest: Int, _ reason: String
  ) -> JournalError {
    let step = "'upcastingActions(from: \(version))'"
    return JournalError(
      .corrupt, sequence: JournalSequence(sequence),
      """
      The action of an open run of \(key.quoted) (record \(sequence)) cannot be decoded: \(reason); \
      \(version == newest ? "raise the version of the schema to \(version + 1), and add \(step) to it" : "add \(step) to the schema").
      """)
  }

  package static func corruptSnapshot(_ key: JournalKey) -> JournalError {
    JournalError(
      .corrupt,
      """
      The snapshot of \(key.quoted) is missing or is not the one that was written, so the storage has damaged it; restore the \
      journal from a copy.
      """)
  }

  package static func tooLarge(_ batch: JournalBatch, limit: Int) -> JournalError {
    JournalError(
      .tooLarge,
      "A batch of \(batch.byteCount) bytes is larger than the \(limit) that the journal takes; write smaller mutations."
    )
  }

  package static func truncated(_ key: JournalKey, after sequence: JournalSequence, through: JournalSequence)
    -> JournalError
  {
    JournalError(
      .truncated, sequence: through,
      """
      The records of \(key.quoted) behind \(sequence) were removed up to \(through), because a snapshot covers them; begin with the \
      snapshot.
      """)
  }

  package static func snapshotAhead(_ key: JournalKey, _ sequence: JournalSequence, last: JournalSequence)
    -> JournalError
  {
    JournalError(
      .ahead, sequence: sequence,
      """
      The snapshot of \(key.quoted) at \(sequence) is ahead of its log, which ends at \(last); store a snapshot once its records \
      are durable.
      """)
  }

  package static func truncationAhead(
    _ key: JournalKey, _ sequence: JournalSequence, snapshot: JournalSequence?
  ) -> JournalError {
    let covered = snapshot.map { "the snapshot covers the records up to \($0) only" } ?? "there is no snapshot"
    return JournalError(
      .ahead, sequence: sequence,
      "The log of \(key.quoted) cannot be truncated through \(sequence), because \(covered); store a snapshot first.")
  }

  package static let closed = JournalError(
    .closed, "The journal is closed; open it again, or close it after its stores.")
}
