import Foundation
import Millrace
import MillraceFlags
import MillraceJournal

/// Changes of a journal by hand.
struct KeyChanges<Types: JournalTypes> {
  let journal: any PartitionedJournal
  let types: Types
  /// The words before the name of a command, for errors.
  let command: String
  /// The journal's place as the subject of a sentence.
  let place: String

  /// Removes everything of a key, and returns a sentence.
  ///
  /// - Throws: ``CommandFailure`` for a key that the journal does not have.
  func erase(_ key: JournalKey) async throws -> String {
    try await JournalLists(journal: journal, command: command, place: place).check(key)
    try await journal.erase(key, claim: try await claim(of: key))
    return "The key \(FlagError.quoted(key.name)) is erased."
  }

  /// Ends an open run as abandoned, and returns a sentence.
  ///
  /// - Throws: ``CommandFailure`` for a key that the journal does not have, or a run that is not open.
  func abandon(_ run: JournalSequence, of key: JournalKey, at time: Int64) async throws -> String {
    try await JournalLists(journal: journal, command: command, place: place).check(key)
    guard let (entry, last) = try await types.abandonment(of: run, key, in: journal) else {
      throw CommandFailure(
        """
        \(FlagError.quoted(key.name)) has no open run \(run); \(command) runs lists those it has, by the records of their take-ups.
        """, code: EX_DATAERR)
    }
    let claim = try await claim(of: key)
    // Who changes the log of a single store takes it over first.
    let entries = (claim == nil ? [.epoch(.now())] : []) + [entry]
    let batch = JournalBatch(id: .init(writer: .random(in: .min ... .max), number: 0), entries: entries, time: time)
    let result =
      if let claim {
        await journal.append([JournalKeyAppend([batch], to: key, after: last)], claim: claim)[0]
      } else {
        await journal.append([batch], to: key, after: last)
      }
    if let failure = result.failure { throw failure }
    return "The run \(run) of \(FlagError.quoted(key.name)) is abandoned, by record \(result.last)."
  }

  /// A claim of the partition of a key; nil for a single store.
  private func claim(of key: JournalKey) async throws(JournalError) -> JournalClaim? {
    guard let stores = key.stores else { return nil }
    let count = try await journal.partitions(of: stores)
    return try await journal.claim(JournalPartition(of: stores, holding: key.name, among: count), as: .now())
  }
}
