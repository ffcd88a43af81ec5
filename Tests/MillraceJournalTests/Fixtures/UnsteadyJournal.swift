import MillraceJournal
import Synchronization

/// A journal whose appends fail as long as a test says so.
final class UnsteadyJournal: Journal {
  private let base: MemoryJournal
  private let failure = Mutex<(code: JournalError.Code, stores: Bool)?>(nil)

  init(_ base: MemoryJournal) { self.base = base }

  /// Lets appends fail, before or after the batches are stored; nil lets them succeed.
  func fail(_ code: JournalError.Code?, afterStoring stores: Bool = false) {
    failure.withLock { $0 = code.map { ($0, stores) } }
  }

  var largestBatch: Int { base.largestBatch }

  func append(
    _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
  ) async -> JournalAppend {
    guard let (code, stores) = failure.withLock({ $0 }) else { return await base.append(batches, to: key, after: last) }
    if stores { _ = await base.append(batches, to: key, after: last) }
    return JournalAppend(stored: 0, last: last, failure: JournalError(code, "The journal does not answer; try again."))
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await base.lastSequence(of: key)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try await base.snapshot(of: key)
  }

  func store(_ snapshot: JournalSnapshot, of key: JournalKey) async throws(JournalError) {
    try await base.store(snapshot, of: key)
  }

  func truncate(_ key: JournalKey, through sequence: JournalSequence) async throws(JournalError) {
    try await base.truncate(key, through: sequence)
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

  func close() async { await base.close() }
}
