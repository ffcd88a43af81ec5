import Foundation
import Millrace
import MillraceEntries

/// The log of one store in a journal, with the encoding of its entries and snapshots.
struct StoreLog<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  let journal: any Journal
  let key: JournalKey
  let schema: StoreSchema<I>
  let options: JournalOptions
  private let encoder: PayloadEncoder

  init(journal: any Journal, key: JournalKey, schema: StoreSchema<I>, options: JournalOptions) {
    self.journal = journal
    self.key = key
    self.schema = schema
    self.options = options
    encoder = PayloadEncoder(options.coder)
  }

  /// Encodes an entry.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/notEncoded``.
  func entry<Head: PayloadHead>(
    _ kind: JournalEntry.Kind, _ head: Head, _ mutations: DecidedMutations<I.Mutation>, after revision: Int
  ) throws(JournalError) -> JournalEntry {
    let payload: [UInt8]
    do {
      payload = try encoder.encode(head, mutations)
    } catch {
      throw .notEncoded(key, "An entry '\(kind)'", "\(error)")
    }
    let count = mutations.count
    return JournalEntry(
      kind: kind, payload: payload, schemaVersion: schema.version, revision: count == 0 ? nil : revision + count)
  }

  /// The initial state for the epochs of the log; nil if it cannot be encoded.
  func digest(of initial: I.State) -> InitialState? {
    guard let data = try? options.coder.encode(initial) else { return nil }
    var checksum = Checksum()
    checksum.add(bytes: Array(data))
    return InitialState(digest: checksum.value, version: schema.version)
  }

  /// Encodes a snapshot.
  ///
  /// - Parameter isChecked: Whether it is decoded to see that it can be read, because the records that it covers may be removed.
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/notEncoded``.
  func encode(
    _ payload: SnapshotPayload<I.State>, isChecked: Bool
  ) throws(JournalError) -> [UInt8] {
    do {
      let data = try options.coder.encode(payload)
      if data.isEmpty { throw EmptySnapshot() }
      if isChecked { _ = try options.coder.decode(SnapshotPayload<I.State>.self, from: data) }
      return Array(data)
    } catch {
      throw .notEncoded(key, "The snapshot", DecodingReason.text(of: error))
    }
  }

  /// Stores a snapshot, and removes the first records that it covers if the options say so.
  ///
  /// - Parameter time: the wall time in milliseconds since 1970.
  /// - Returns: the last record that is removed.
  /// - Throws: ``JournalError``. The log and the earlier snapshot are unchanged then.
  func persist(
    _ payload: [UInt8], at sequence: JournalSequence, revision: Int, time: Int64
  ) async throws(JournalError) -> JournalSequence {
    try await journal.store(
      JournalSnapshot(sequence: sequence, revision: revision, payload: payload, schemaVersion: schema.version), of: key,
      truncatingBefore: options.truncatesLog ? kept(at: time) : nil, keeping: options.keptBytesForReaders)
  }

  /// Removes the other records that a snapshot covers, if the options say so, in calls that leave room for other calls.
  func truncate(
    from first: JournalSequence, through sequence: JournalSequence, time: Int64
  ) async throws(JournalError) {
    guard options.truncatesLog else { return }
    let time = kept(at: time)
    // What a small log still has is kept for readers, so another call would cost a transaction for nothing.
    if time < .max, sequence <= first.advanced(by: largestTruncation) { return }
    var removed = first
    while removed < sequence {
      let end = try await journal.truncate(
        key, through: sequence, before: time, keeping: options.keptBytesForReaders)
      // A journal that removes no more is asked again behind the next snapshot.
      if end <= removed { return }
      removed = end
    }
  }

  /// The wall time from which on records are kept for readers.
  private func kept(at time: Int64) -> Int64 {
    let kept = (options.keptForReaders ?? (key.stores == nil ? .zero : .seconds(3_600))).nanoseconds / 1_000_000
    return kept > 0 ? time.subtractingReportingOverflow(kept).partialValue : .max
  }

  /// Decodes the payload of a record, of a take-up without its action.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence.
  func payload<Head: Codable>(
    _ head: Head.Type, of record: JournalRecord
  ) throws(JournalError) -> EntryPayload<Head, I.Mutation> {
    do {
      return try schema.payload(head, of: record.entry, options.coder)
    } catch {
      throw .unreadable(key, at: record.sequence, error.reason)
    }
  }

  /// Decodes the action of an open run.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence of the take-up.
  func action(of run: LoggedRun) throws(JournalError) -> I.Action {
    do {
      return try schema.action(of: run, options.coder)
    } catch {
      throw .unreadableAction(key, run.sequence, version: run.schemaVersion, of: schema.version, error.reason)
    }
  }

  /// The open runs of a snapshot that was read.
  ///
  /// - Returns: the runs, and by their sequences the reasons for which actions cannot be read that a snapshot of an earlier version of
  ///   the library has.
  /// - Throws: ``StoreSchema/Unreadable``.
  func openRuns(
    of payload: SnapshotPayload<I.State>, in snapshot: JournalSnapshot
  ) throws -> (runs: [LoggedRun], unreadable: [UInt64: String]) {
    let isEarlier = payload.runs.contains { $0.payload == nil }
    if isEarlier { return try openRuns(try schema.earlierRuns(in: snapshot, options.coder), snapshot.schemaVersion) }
    return (
      try payload.runs.map { run in
        let (bytes, version) = (run.payload?.bytes ?? [], run.version ?? snapshot.schemaVersion)
        let takeUp = try options.coder.decode(TakenUpHead.self, from: Data(bytes)).head
        return LoggedRun(
          sequence: run.sequence, takeUp: takeUp, payload: bytes, schemaVersion: version, resumed: run.resumed,
          steps: run.steps,
          joined: JoinedKeys(keys: Set((run.joinedKeys ?? []).map { UTF8Text($0) }), time: run.joinTime))
      }, [:]
    )
  }

  private func openRuns(
    _ earlier: [EarlierRun<StoredAction<I.Action>>], _ version: Int
  ) throws -> (runs: [LoggedRun], unreadable: [UInt64: String]) {
    var unreadable: [UInt64: String] = [:]
    let runs = try earlier.map { run in
      let takeUp = run.takeUp.with(EncodedAction())
      switch run.takeUp.action {
      case .readable(let action):
        let payload = try encoder.encode(run.takeUp.with(action), DecidedMutations<I.Mutation>.none)
        return LoggedRun(
          sequence: run.sequence, takeUp: takeUp, payload: payload, schemaVersion: schema.version, resumed: run.resumed,
          steps: run.steps)
      case .unreadable(let reason):
        unreadable[run.sequence] = reason
        return LoggedRun(sequence: run.sequence, takeUp: takeUp, payload: [], schemaVersion: version)
      }
    }
    return (runs, unreadable)
  }
}

/// The reason for which a snapshot is not stored whose coder has made no bytes: without any it stands for the initial state.
private struct EmptySnapshot: Error, CustomStringConvertible {
  let description = "its coder made no bytes of it"
}

extension JournalError {
  static func noRoom(_ key: JournalKey, limit: Int) -> JournalError {
    JournalError(
      .unavailable,
      """
      Three quarters of the \(limit) bytes that may wait to be stored for \(key.quoted) do, so a run that emitted more was ended; return a \
      sequence of mutations from 'handle', which is asked for the next one only while there is room, or raise 'bufferedBytes'.
      """)
  }

  static func bufferTooSmall(_ key: JournalKey, limit: Int, largestBatch: Int) -> JournalError {
    JournalError(
      .tooLarge,
      """
      A batch of the journal may have \(largestBatch) bytes, more than half of the \(limit) that may wait to be stored for \(key.quoted), so \
      it might never have room; open the journal with a smaller 'largestBatch', or raise 'bufferedBytes' to twice as much.
      """)
  }

  static func deadline(_ key: JournalKey, _ deadline: Duration, _ failure: JournalError) -> JournalError {
    JournalError(
      failure.code,
      """
      The journal of \(key.quoted) was unavailable for \(deadline); open the store again when the journal is available, or raise \
      'deadline'. The last attempt failed: \(failure.description)
      """)
  }

  static func noAnswer(_ key: JournalKey, _ deadline: Duration) -> JournalError {
    JournalError(
      .unknown,
      """
      The journal of \(key.quoted) did not answer within \(deadline), and what it was given may be stored or not; see that its disk or its \
      server answers, and open the store again, or raise 'deadline'.
      """)
  }

  static func noReason(_ key: JournalKey) -> JournalError {
    JournalError(
      .failed,
      """
      The journal of \(key.quoted) stored nothing and gave no reason, against its contract; mend the engine, and open the store again.
      """)
  }

  static func snapshotBeyondLog(_ key: JournalKey, _ snapshot: JournalSequence, last: JournalSequence) -> JournalError {
    JournalError(
      .corrupt, sequence: snapshot,
      """
      The snapshot of \(key.quoted) covers the records up to \(snapshot), and its log ends at \(last), so records are missing; restore the \
      journal from a copy.
      """)
  }

  static func notFlushed(_ key: JournalKey, _ count: Int, within deadline: Duration) -> JournalError {
    JournalError(
      .unknown,
      """
      The store of \(key.quoted) was shut down, and its journal did not store the last entries (\(count)) within \(deadline); open the \
      store again to see which of them are in the log, or raise 'deadline'.
      """)
  }

  static func notEncoded(_ key: JournalKey, _ subject: String, _ reason: String) -> JournalError {
    JournalError(
      .notEncoded,
      """
      \(subject) of \(key.quoted) cannot be encoded: \(reason.shortened(to: 400)); nothing of it was stored. Keep values out \
      of actions, mutations and the state that the coder does not take.
      """)
  }

  static func unreadableSnapshot(_ key: JournalKey, _ snapshot: JournalSnapshot, _ reason: String) -> JournalError {
    JournalError(
      .corrupt, sequence: snapshot.sequence,
      """
      The snapshot of \(key.quoted) at \(snapshot.sequence) is whole and cannot be read: \(reason); the records before it were \
      removed, so read it with the version of the program that wrote it, or add the step to the schema.
      """)
  }
}

/// The growth of a log since its newest snapshot, which says when the next one is due.
struct LogGrowth: Sendable {
  private(set) var records = 0
  private(set) var bytes = 0
  /// Whether a record changes the state, a run or a key, so that a snapshot would not equal the one before.
  private(set) var hasChanges = false
  private(set) var isTaking = false
  /// The size of the newest snapshot.
  private var snapshotBytes = 0
  /// The records, and their bytes, that snapshots cover which are being taken, or failed.
  private var uncovered = (records: 0, bytes: 0)

  /// The records since the newest snapshot that is stored, and their bytes.
  var sinceStored: (records: Int, bytes: Int) { (uncovered.records + records, uncovered.bytes + bytes) }

  mutating func add(_ entry: JournalEntry) {
    records += 1
    bytes += entry.payload.count
    if !entry.kind.isOfOpening { hasChanges = true }
  }

  /// Whether a snapshot is due.
  ///
  /// The log grows to four times the size of a snapshot before the next one, so that a large state is not written all the time.
  func isDue(_ options: JournalOptions) -> Bool {
    guard hasChanges, !isTaking, bytes >= options.snapshotGrowth * snapshotBytes else { return false }
    return records >= options.snapshotRecords || bytes >= options.snapshotBytes
  }

  /// Whether a snapshot is due when the store ends.
  ///
  /// One of many is opened again soon, so its log stays short; but it may hibernate often, and most logs are short.
  func isDueAtEnd(_ options: JournalOptions, isOneOfMany: Bool) -> Bool {
    guard hasChanges else { return false }
    if options.snapshotAtShutdown { return true }
    let log = sinceStored
    return isOneOfMany && (log.records > 100 || log.bytes > 1 << 16)
  }

  /// Begins a snapshot, which covers all records.
  mutating func take() {
    uncovered = sinceStored
    (records, bytes, hasChanges) = (0, 0, false)
    isTaking = true
  }

  /// Notes the size of a snapshot that is stored.
  mutating func didStore(_ size: Int) {
    snapshotBytes = size
    uncovered = (0, 0)
  }

  /// Ends a snapshot; if it was not stored, the next one is due as if it had been.
  mutating func didTake() { isTaking = false }
}

extension JournalEntry.Kind {
  /// Whether an entry of the kind says who writes the log and how it was opened, and changes nothing that a snapshot has.
  fileprivate var isOfOpening: Bool { self == .epoch || self == .mark || self == .resumed }
}
