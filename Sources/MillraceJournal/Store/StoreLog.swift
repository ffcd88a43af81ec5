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

  /// Encodes and stores a snapshot, and removes the records that it covers if the options say so; returns its size.
  ///
  /// - Throws: ``JournalError``. The log and the earlier snapshot are unchanged then, unless only the truncation failed.
  func store(
    _ payload: SnapshotPayload<I.Action, I.State>, at sequence: JournalSequence, revision: Int
  ) async throws(JournalError) -> Int {
    let data: Data
    do {
      data = try options.coder.encode(payload)
      // The records that it covers may be removed, so it has to be one that can be read.
      _ = try options.coder.decode(SnapshotPayload<I.Action, I.State>.self, from: data)
    } catch {
      throw .notEncoded(key, "The snapshot", DecodingReason.text(of: error))
    }
    try await journal.store(
      JournalSnapshot(
        sequence: sequence, revision: revision, payload: Array(data), schemaVersion: schema.version), of: key)
    if options.truncatesLog { try await journal.truncate(key, through: sequence) }
    return data.count
  }

  /// Decodes the payload of a record.
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
}

extension JournalError {
  static func bufferFull(_ key: JournalKey, limit: Int) -> JournalError {
    JournalError(
      .unavailable,
      """
      More than \(limit) bytes of \(key.quoted) wait to be stored, so its store has stopped; open it again when the journal is \
      available, or raise 'bufferedBytes'.
      """)
  }

  static func deadline(_ key: JournalKey, _ deadline: Duration, _ failure: JournalError) -> JournalError {
    JournalError(
      failure.code,
      """
      The journal of \(key.quoted) was unavailable for \(deadline), so its store has stopped; open it again when the journal is \
      available. The last attempt failed: \(failure.description)
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
