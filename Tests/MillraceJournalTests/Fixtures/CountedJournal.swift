import MillraceJournal
import Synchronization

/// A journal that fails after a number of calls, so that a reader that makes no progress ends.
final class CountedJournal: Journal {
  private let base: any Journal
  private let left: Mutex<Int>

  init(_ base: any Journal, calls: Int) {
    self.base = base
    left = Mutex(calls)
  }

  /// Whether there were more calls.
  var isExceeded: Bool { left.withLock { $0 < 0 } }

  private func count() throws(JournalError) {
    let left = left.withLock { left in
      left -= 1
      return left
    }
    if left < 0 { throw JournalError(.failed, "The journal was called too often; make progress.") }
  }

  var largestBatch: Int { base.largestBatch }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    do throws(JournalError) { try count() } catch { return JournalAppend(stored: 0, last: last, failure: error) }
    return await base.append(batches, to: key, after: last)
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try count()
    return try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try count()
    return try await base.lastSequence(of: key)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try count()
    return try await base.snapshot(of: key)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try count()
    return try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
  }

  func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int)
    async throws(JournalError)
    -> JournalSequence
  {
    try count()
    return try await base.truncate(key, through: sequence, before: time, keeping: byteCount)
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] {
    try count()
    return try await base.keys(after: key)
  }

  func changes() async throws(JournalError) -> AsyncStream<Void> { try await base.changes() }

  func close() async { await base.close() }
}
