import Millrace

extension MemoryJournal: SharedJournal {
  /// Adds a member, as ``SharedJournal/join(_:lease:)`` says; the journal's clock ends its lease.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func join(_ member: JournalMember, lease: Duration) async throws(JournalError) {
    try await share { $0.leases.join(member, until: $1 &+ lease.nanoseconds) }
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
