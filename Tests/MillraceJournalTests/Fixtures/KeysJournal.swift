import MillraceJournal
import MillraceTesting
import Synchronization

/// A journal of many keys that records its calls, and whose openings wait or fail as a test says.
final class KeysJournal: PartitionedJournal {
  private struct Script {
    var readGate: Gate?
    var failures: [JournalError.Code] = []
    var snapshotGate: Gate?
    var appendGate: Gate?
    var failingAppends: JournalError.Code?
  }

  /// The names of the keys whose snapshots were read: one for each opening.
  let openings = Recorder<String>()
  /// The names of the keys to which records were appended, one for each call.
  let appends = Recorder<String>()
  /// The changes of wake times, one for each batch.
  let wakes = Recorder<JournalWake>()
  /// The names of the keys whose snapshots were stored.
  let snapshots = Recorder<String>()

  let base: MemoryJournal
  private let script = Mutex(Script())

  private let hidesChanges: Bool

  /// - Parameter hidesChanges: whether sequences of changes have no elements.
  init(_ base: MemoryJournal = MemoryJournal(), hidesChanges: Bool = false) {
    self.base = base
    self.hidesChanges = hidesChanges
  }

  /// Holds openings at a gate; nil lets them pass.
  func holdOpenings(at gate: Gate?) { script.withLock { $0.readGate = gate } }

  /// Holds snapshots at a gate.
  func holdSnapshots(at gate: Gate) { script.withLock { $0.snapshotGate = gate } }

  /// Holds the answers of appends at a gate.
  func holdAppends(at gate: Gate?) { script.withLock { $0.appendGate = gate } }

  /// Fails appends with this error, and stores nothing, until this is called again; nil ends the failures.
  func failAppends(_ code: JournalError.Code?) { script.withLock { $0.failingAppends = code } }

  /// Fails the next openings with these errors.
  func failOpenings(_ codes: JournalError.Code...) { script.withLock { $0.failures = codes } }

  var largestBatch: Int { base.largestBatch }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    openings.record(key.name)
    try? await script.withLock { $0.readGate }?.enter()
    let failure = script.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
    if let failure { throw JournalError(failure, "The journal does not answer; try again.") }
    return try await base.snapshot(of: key)
  }

  func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
    for append in appends {
      self.appends.record(append.key.name)
      for batch in append.batches { wakes.record(batch.wake) }
    }
    if let code = script.withLock({ $0.failingAppends }) {
      let failure = JournalError(code, "The journal does not answer; try again.")
      return appends.map { JournalAppend(stored: 0, last: $0.last, failure: failure) }
    }
    let results = await base.append(appends, claim: claim)
    try? await script.withLock { $0.appendGate }?.enter()
    return results
  }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    await base.append(batches, to: key, after: last)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?
  ) async throws(JournalError) -> JournalSequence {
    try? await script.withLock { $0.snapshotGate }?.enter()
    let removed = try await base.store(snapshot, of: key, truncatingBefore: time)
    snapshots.record(key.name)
    return removed
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await base.lastSequence(of: key)
  }

  func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64) async throws(JournalError)
    -> JournalSequence
  {
    try await base.truncate(key, through: sequence, before: time)
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

  func changes() async throws(JournalError) -> AsyncStream<Void> {
    hidesChanges ? AsyncStream { _ in } : try await base.changes()
  }

  func close() async { await base.close() }

  func partitions(of stores: String) async throws(JournalError) -> Int { try await base.partitions(of: stores) }

  func claim(_ partition: JournalPartition, as owner: JournalEpoch) async throws(JournalError) -> JournalClaim {
    try await base.claim(partition, as: owner)
  }

  func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue] {
    try await base.due(in: partition, before: time, after: due, upTo: count)
  }

  func wake(of key: JournalKey) async throws(JournalError) -> Int64? { try await base.wake(of: key) }

  func records(
    ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPartitionPage {
    try await base.records(ofPartition: partition, after: position, upTo: byteCount)
  }

  func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey] {
    try await base.keys(of: stores, prefix: prefix, after: name)
  }

  func erase(_ key: JournalKey, claim: JournalClaim?) async throws(JournalError) {
    try await base.erase(key, claim: claim)
  }
}

extension JournalKey {
  /// A key of the accounts of many.
  static func account(_ name: String) -> JournalKey { JournalKey(name, of: "accounts") }
}
