import Millrace
import MillraceJournal
import MillraceTesting

/// A journal in memory that stores nothing more, or answers late, as a test says.
final class FakeJournal: Journal {
  private struct Script {
    var failure: JournalError?
    var gate: Gate?
  }

  private let base = MemoryJournal()
  private let script = Lock(Script())

  /// Makes all appends fail for good from now on.
  func fail() { script.withLock { $0.failure = JournalError(.failed, "The disk is full; free some space.") } }

  /// Holds the answers of appends at a gate.
  func hold(at gate: Gate) { script.withLock { $0.gate = gate } }

  var largestBatch: Int { base.largestBatch }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    let (failure, gate) = script.withLock { ($0.failure, $0.gate) }
    if let failure { return JournalAppend(stored: 0, last: last, failure: failure) }
    let result = await base.append(batches, to: key, after: last)
    try? await gate?.enter()
    return result
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await base.lastSequence(of: key)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? { try await base.snapshot(of: key) }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
  }

  func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int)
    async throws(JournalError)
    -> JournalSequence
  {
    try await base.truncate(key, through: sequence, before: time, keeping: byteCount)
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

  func changes() async throws(JournalError) -> AsyncStream<Void> { try await base.changes() }

  func close() async { await base.close() }
}
