import MillraceJournal
import MillraceTesting
import Synchronization

/// A journal whose appends fail, or are answered late, as a test says.
final class UnsteadyJournal: Journal {
  /// An append that fails, before or after its batches are stored.
  struct Failure {
    let code: JournalError.Code
    var stores = false
  }

  private struct Script {
    var next: [Failure] = []
    var always: Failure?
    var gate: Gate?
    var snapshotGate: Gate?
    var hidesSnapshot = false
    var snapshot: JournalSnapshot?
    var failingReads = 0
    var readGate: Gate?
  }

  /// The snapshots that were stored.
  let snapshots = Recorder<JournalSnapshot>()
  /// The sequences through which the log was truncated.
  let truncations = Recorder<JournalSequence>()

  private let base: any Journal
  private let hidesChanges: Bool
  private let script: Mutex<Script>

  /// - Parameters:
  ///   - failures: the failures of the first appends.
  ///   - hidesChanges: whether sequences of changes have no elements.
  init(_ base: any Journal, failing failures: [Failure] = [], hidesChanges: Bool = false) {
    self.base = base
    self.hidesChanges = hidesChanges
    script = Mutex(Script(next: failures))
  }

  /// Fails appends with this error until this is called again; nil ends the failures.
  func fail(_ code: JournalError.Code?, afterStoring stores: Bool = false) {
    script.withLock { $0.always = code.map { Failure(code: $0, stores: stores) } }
  }

  /// Holds snapshots at a gate.
  func holdSnapshots(at gate: Gate) { script.withLock { $0.snapshotGate = gate } }

  /// Holds the answers of appends at a gate.
  func hold(at gate: Gate) { script.withLock { $0.gate = gate } }

  /// Answers the next read of a snapshot as if it had not been stored yet.
  func hideSnapshotOnce() { script.withLock { $0.hidesSnapshot = true } }

  /// Answers each read of a snapshot with this one.
  func answer(_ snapshot: JournalSnapshot) { script.withLock { $0.snapshot = snapshot } }

  /// Fails this number of reads as unavailable.
  func failReads(_ count: Int) { script.withLock { $0.failingReads = count } }

  /// Holds the next reads at a gate.
  func holdReads(at gate: Gate) { script.withLock { $0.readGate = gate } }

  private func checkRead() throws(JournalError) {
    let fails = script.withLock { script in
      guard script.failingReads > 0 else { return false }
      script.failingReads -= 1
      return true
    }
    if fails { throw JournalError(.unavailable, "The journal does not answer; try again.") }
  }

  var largestBatch: Int { base.largestBatch }

  func append(
    _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
  ) async -> JournalAppend {
    let (failure, gate) = script.withLock { script in
      (script.next.isEmpty ? script.always : script.next.removeFirst(), script.gate)
    }
    let stored = failure?.stores != false ? await base.append(batches, to: key, after: last) : nil
    try? await gate?.enter()
    guard let failure else { return stored ?? JournalAppend(stored: 0, last: last) }
    return JournalAppend(
      stored: 0, last: last, failure: JournalError(failure.code, "The journal does not answer; try again."))
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try checkRead()
    try? await script.withLock { $0.readGate }?.enter()
    return try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await base.lastSequence(of: key)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try checkRead()
    if let snapshot = script.withLock({ $0.snapshot }) { return snapshot }
    let isHidden = script.withLock { script in
      defer { script.hidesSnapshot = false }
      return script.hidesSnapshot
    }
    return isHidden ? nil : try await base.snapshot(of: key)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try? await script.withLock { $0.snapshotGate }?.enter()
    let removed = try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
    snapshots.record(snapshot)
    if time != nil { truncations.record(removed) }
    return removed
  }

  @discardableResult
  func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int)
    async throws(JournalError)
    -> JournalSequence
  {
    let removed = try await base.truncate(key, through: sequence, before: time, keeping: byteCount)
    truncations.record(removed)
    return removed
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

  func changes() async throws(JournalError) -> AsyncStream<Void> {
    hidesChanges ? AsyncStream { _ in } : try await base.changes()
  }

  func close() async { await base.close() }
}
