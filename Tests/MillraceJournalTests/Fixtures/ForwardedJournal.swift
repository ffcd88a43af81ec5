import MillraceJournal

/// A journal in memory with something in front of it: each call that a fixture does not have is passed on.
protocol ForwardedJournal: PartitionedJournal {
  var base: MemoryJournal { get }
}

extension ForwardedJournal {
  var largestBatch: Int { base.largestBatch }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    await base.append(batches, to: key, after: last)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
  }

  func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    try await base.truncate(key, through: sequence, before: time, keeping: byteCount)
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

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

  func changes() async throws(JournalError) -> AsyncStream<Void> { try await base.changes() }

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

  func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition] {
    try await base.positions(of: stores)
  }

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
