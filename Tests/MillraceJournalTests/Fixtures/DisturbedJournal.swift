import MillraceJournal

/// A shared journal as one process reaches it: calls are late, refused, or their answers are lost, as a test says.
final class DisturbedJournal: SharedJournal {
  enum Disturbance {
    case none, refused
    /// The call is done, and its answer is lost.
    case unanswered
    /// The call is not done, because the journal knows less than it had acknowledged.
    case lost
  }

  private let base: MemoryJournal
  /// Called before each call, which waits until it returns.
  private let disturb: @Sendable () async -> Disturbance

  /// The same of appends alone.
  private let disturbAppend: @Sendable () async -> Disturbance
  /// The same of takings alone.
  private let disturbTaking: @Sendable () async -> Disturbance

  init(
    _ base: MemoryJournal, disturb: @escaping @Sendable () async -> Disturbance,
    ofAppends: (@Sendable () async -> Disturbance)? = nil, ofTakings: (@Sendable () async -> Disturbance)? = nil
  ) {
    (self.base, self.disturb) = (base, disturb)
    (disturbAppend, disturbTaking) = (ofAppends ?? disturb, ofTakings ?? disturb)
  }

  var largestBatch: Int { base.largestBatch }

  private static func failure(_ code: JournalError.Code) -> JournalError {
    JournalError(code, "The journal does not answer; try again.")
  }

  private func disturbed<Value>(
    by disturb: (@Sendable () async -> Disturbance)? = nil, _ call: () async throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    let disturbance = await (disturb ?? self.disturb)()
    if disturbance == .refused { throw Self.failure(.unavailable) }
    let value = try await call()
    if disturbance == .unanswered { throw Self.failure(.unknown) }
    return value
  }

  // MARK: Sharing

  func join(_ member: JournalMember, lease: Duration) async throws(JournalError) {
    try await disturbed { () async throws(JournalError) in try await base.join(member, lease: lease) }
  }

  func renew(_ member: JournalMember.ID, lease: Duration) async throws(JournalError) -> Bool {
    try await disturbed { () async throws(JournalError) in try await base.renew(member, lease: lease) }
  }

  func leave(_ member: JournalMember.ID) async throws(JournalError) {
    try await disturbed { () async throws(JournalError) in try await base.leave(member) }
  }

  func shares(of stores: String) async throws(JournalError) -> JournalShares {
    try await disturbed { () async throws(JournalError) in try await base.shares(of: stores) }
  }

  func take(_ partitions: [Int], as member: JournalMember) async throws(JournalError) -> [JournalClaim] {
    try await disturbed(by: disturbTaking) { () async throws(JournalError) in
      try await base.take(partitions, as: member)
    }
  }

  func release(_ claims: [JournalClaim]) async throws(JournalError) {
    try await disturbed { () async throws(JournalError) in try await base.release(claims) }
  }

  // MARK: Records

  func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
    let disturbance = await disturbAppend()
    if disturbance == .refused || disturbance == .lost {
      let failure = Self.failure(disturbance == .lost ? .lost : .unavailable)
      return appends.map { JournalAppend(stored: 0, last: $0.last, failure: failure) }
    }
    let results = await base.append(appends, claim: claim)
    if disturbance == .none { return results }
    return appends.map { JournalAppend(stored: 0, last: $0.last, failure: Self.failure(.unknown)) }
  }

  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend {
    await base.append(batches, to: key, after: last)
  }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?
  ) async throws(JournalError) -> JournalSequence {
    try await base.store(snapshot, of: key, truncatingBefore: time)
  }

  func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64
  ) async throws(JournalError) -> JournalSequence {
    try await base.truncate(key, through: sequence, before: time)
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
