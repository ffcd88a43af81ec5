import MillraceJournal

/// A shared journal as one process reaches it: calls are late, refused, or their answers are lost, as a test says.
final class DisturbedJournal: ForwardedJournal, SharedJournal {
  enum Disturbance {
    case none, refused
    /// The call is done, and its answer is lost.
    case unanswered
    /// The call is not done, because the journal knows less than it had acknowledged.
    case lost
  }

  let base: MemoryJournal
  /// Called before each call, which waits until it returns.
  private let disturb: @Sendable () async -> Disturbance

  /// The same of appends alone.
  private let disturbAppend: @Sendable () async -> Disturbance
  /// Called when an append is stored though its partition had a newer claim before.
  private let didStoreLate: @Sendable (JournalClaim) -> Void
  /// The same as `disturb` of takings alone.
  private let disturbTaking: @Sendable () async -> Disturbance

  init(
    _ base: MemoryJournal, disturb: @escaping @Sendable () async -> Disturbance,
    ofAppends: (@Sendable () async -> Disturbance)? = nil, ofTakings: (@Sendable () async -> Disturbance)? = nil,
    didStoreLate: @escaping @Sendable (JournalClaim) -> Void = { _ in }
  ) {
    self.didStoreLate = didStoreLate
    (self.base, self.disturb) = (base, disturb)
    (disturbAppend, disturbTaking) = (ofAppends ?? disturb, ofTakings ?? disturb)
  }

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

  func replaceMembers(with member: JournalMember) async throws(JournalError) -> [JournalMember] {
    try await disturbed { () async throws(JournalError) in try await base.replaceMembers(with: member) }
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
    let newest = try? await base.shares(of: claim.partition.stores).owners[claim.partition.number]?.epoch
    let results = await base.append(appends, claim: claim)
    if let newest, newest > claim.epoch, results.contains(where: { $0.stored > 0 }) { didStoreLate(claim) }
    if disturbance == .none { return results }
    return appends.map { JournalAppend(stored: 0, last: $0.last, failure: Self.failure(.unknown)) }
  }
}
