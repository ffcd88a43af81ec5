/// A journal whose appends name the claim of a partition, as each of many stores has it.
struct ClaimedJournal: Journal {
  let base: any PartitionedJournal
  let claim: JournalClaim

  var largestBatch: Int { base.largestBatch }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    let results = await base.append([JournalKeyAppend(batches, to: key, after: last)], claim: claim)
    return results.first ?? JournalAppend(stored: 0, last: last, failure: .noReason(key))
  }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try await base.records(of: key, after: sequence, upTo: byteCount)
  }

  func batch(
    _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence
  ) async throws(JournalError) -> [JournalRecord]? {
    try await base.batch(id, of: key, after: last)
  }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await base.lastSequence(of: key)
  }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try await base.snapshot(of: key)
  }

  func beginning(of key: JournalKey) async throws(JournalError) -> JournalBeginning {
    try await base.beginning(of: key)
  }

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
