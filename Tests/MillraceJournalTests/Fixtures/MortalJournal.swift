import MillraceJournal
import MillraceTesting
import Synchronization

/// A journal as one process sees it: once that has ended, nothing more is stored or read.
final class MortalJournal: ForwardedJournal {
  let base: MemoryJournal
  /// The kinds of the entries that were stored, in their order.
  let stored = Recorder<JournalEntry.Kind>()
  private let hasEnded = Atomic(false)
  /// What becomes of appends with an entry of a kind: they wait at a gate, or fail for good.
  private let script: (kind: JournalEntry.Kind, gate: Gate?)?

  /// - Parameters:
  ///   - kind: the kind of entries whose appends fail for good, or wait at the gate before they are stored.
  ///   - gate: the gate at which they wait.
  init(_ base: MemoryJournal, failingAt kind: JournalEntry.Kind? = nil, unlessPast gate: Gate? = nil) {
    self.base = base
    script = kind.map { ($0, gate) }
  }

  /// Ends the process: what is stored by now is what the next one finds.
  func end() { hasEnded.store(true, ordering: .releasing) }

  private var failure: JournalError? {
    hasEnded.load(ordering: .acquiring) ? JournalError(.closed, "The process has ended; open the journal again.") : nil
  }

  /// Returns once this number of entries of a kind was stored, of those that no earlier call has counted.
  func waitForEntries(_ count: Int, of kind: JournalEntry.Kind) async throws {
    var missing = count
    while missing > 0 { if try await stored.next() == kind { missing -= 1 } }
  }

  private func check() throws(JournalError) { if let failure { throw failure } }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    if let script, batches.contains(where: { $0.entries.contains { $0.kind == script.kind } }) {
      guard let gate = script.gate else {
        return JournalAppend(stored: 0, last: last, failure: JournalError(.failed, "The journal has failed."))
      }
      try? await gate.enter()
    }
    if let failure { return JournalAppend(stored: 0, last: last, failure: failure) }
    let result = await base.append(batches, to: key, after: last)
    for batch in batches.prefix(result.stored) { for entry in batch.entries { stored.record(entry.kind) } }
    return result
  }

  func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
    if let failure { return appends.map { JournalAppend(stored: 0, last: $0.last, failure: failure) } }
    return await base.append(appends, claim: claim)
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try check()
    return try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try check()
    return try await base.snapshot(of: key)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try check()
    return try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
  }
}
