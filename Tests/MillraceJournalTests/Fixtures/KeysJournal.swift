import MillraceJournal
import MillraceTesting
import Synchronization

/// A journal of many keys that records its calls, and whose openings wait or fail as a test says.
final class KeysJournal: ForwardedJournal {
  private struct Script {
    var readGate: Gate?
    var failures: [JournalError.Code] = []
    var snapshotGate: Gate?
    var appendGate: Gate?
    var failingAppends: JournalError.Code?
    var failingPositions = 0
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

  /// Fails this number of reads of positions as unavailable.
  func failPositions(_ count: Int) { script.withLock { $0.failingPositions = count } }

  func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition] {
    let fails = script.withLock { script in
      guard script.failingPositions > 0 else { return false }
      script.failingPositions -= 1
      return true
    }
    if fails { throw JournalError(.unavailable, "The journal does not answer; try again.") }
    return try await base.positions(of: stores)
  }

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

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try? await script.withLock { $0.snapshotGate }?.enter()
    let removed = try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
    snapshots.record(key.name)
    return removed
  }

  func changes() async throws(JournalError) -> AsyncStream<Void> {
    hidesChanges ? AsyncStream { _ in } : try await base.changes()
  }
}

extension JournalKey {
  /// A key of the accounts of many.
  static func account(_ name: String) -> JournalKey { JournalKey(name, of: "accounts") }
}
