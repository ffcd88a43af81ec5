import Millrace

extension MemoryJournal: SharedJournal {
  /// Adds a member, as ``SharedJournal/join(_:lease:)`` says; the journal's clock ends its lease.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func join(_ member: JournalMember, lease: Duration) async throws(JournalError) {
    let newcomer = try await share { $0.leases.join(member, until: $1 &+ lease.nanoseconds) }
    if let newcomer { throw .replaced(member, by: newcomer) }
  }

  /// Ends the leases of the other members at an address, as ``SharedJournal/replaceMembers(with:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func replaceMembers(with member: JournalMember) async throws(JournalError) -> [JournalMember] {
    try await share { $0.leases.replaceMembers(with: member, at: $1) }
  }

  /// Begins the lease of a member anew, as ``SharedJournal/renew(_:lease:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func renew(_ member: JournalMember.ID, lease: Duration) async throws(JournalError) -> Bool {
    try await share { $0.leases.renew(member, until: $1 &+ lease.nanoseconds, at: $1) }
  }

  /// Ends the lease of a member.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func leave(_ member: JournalMember.ID) async throws(JournalError) {
    try await share { content, _ in content.leases.leave(member) }
  }

  /// Reads the members and the owners, as ``SharedJournal/shares(of:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func shares(of stores: String) async throws(JournalError) -> JournalShares {
    let now = time.now()
    return try await read { $0.shares(of: stores, at: now) }
  }

  /// Takes partitions that are free, as ``SharedJournal/take(_:as:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func take(_ partitions: [Int], as member: JournalMember) async throws(JournalError) -> [JournalClaim] {
    let numbers = partitions.filter { 0..<partitionCount ~= $0 }
    return try await share { $0.take(numbers, as: member, at: $1) }
  }

  /// Releases partitions.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func release(_ claims: [JournalClaim]) async throws(JournalError) {
    try await share { content, _ in content.release(claims) }
  }

  /// Changes the members or the owners in one step, at a time of the journal's clock.
  private func share<Value: Sendable>(_ body: (inout MemoryContent, Int64) -> Value) async throws(JournalError) -> Value
  {
    let now = time.now()
    let value = try change { body(&$0, now) }
    await Task.yield()
    return value
  }
}

/// The members of a journal in memory, with the ends of their leases in nanoseconds on the journal's clock.
struct MemberLeases: Sendable {
  private struct Lease: Sendable {
    let member: JournalMember
    var end: Int64
    /// The later process at the member's address, which has replaced it.
    var newcomer: JournalEpoch?
  }

  private var leases: [JournalMember.ID: Lease] = [:]

  /// Begins a lease, unless another process has replaced the member, which is returned then.
  mutating func join(_ member: JournalMember, until end: Int64) -> JournalEpoch? {
    if let newcomer = leases[member.id]?.newcomer { return newcomer }
    leases[member.id] = Lease(member: member, end: end)
    return nil
  }

  /// Ends the leases of the other members at an address, and returns those that had one.
  mutating func replaceMembers(with member: JournalMember, at now: Int64) -> [JournalMember] {
    guard let address = member.address, leases[member.id]?.newcomer == nil else { return [] }
    let earlier = leases.values.filter {
      $0.member.id != member.id && $0.member.stores.utf8.elementsEqual(member.stores.utf8)
        && $0.member.address.map { $0.utf8.elementsEqual(address.utf8) } ?? false
    }
    for lease in earlier where lease.newcomer == nil {
      leases[lease.member.id] = Lease(member: lease.member, end: min(lease.end, now), newcomer: member.process)
    }
    return earlier.filter { $0.end > now }.map(\.member).sorted { $0.id < $1.id }
  }

  /// Begins a lease anew; false if it has ended.
  mutating func renew(_ id: JournalMember.ID, until end: Int64, at now: Int64) -> Bool {
    guard isLive(id, at: now) else { return false }
    leases[id]?.end = end
    return true
  }

  mutating func leave(_ id: JournalMember.ID) { leases[id] = nil }

  func isLive(_ id: JournalMember.ID, at now: Int64) -> Bool { leases[id].map { $0.end > now } ?? false }

  func members(of stores: String, at now: Int64) -> [JournalMember] {
    leases.values.filter { $0.end > now && $0.member.stores.utf8.elementsEqual(stores.utf8) }.map(\.member)
      .sorted { $0.id < $1.id }
  }
}
