/// A journal whose partitions several processes own together.
///
/// Each process joins as a member, renews its lease, and takes the partitions that are free: those without an owner, and those whose owner has no lease
/// any longer. All times are those of the engine, so that the clocks of the processes need not agree.
public protocol SharedJournal: PartitionedJournal {
  /// Adds a member, whose lease begins now.
  ///
  /// A member whose lease has ended joins again by this. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - lease: The time for which it is one without being renewed.
  /// - Throws: ``JournalError``, with ``JournalError/Code/conflict`` if a later member has replaced this one.
  func join(_ member: JournalMember, lease: Duration) async throws(JournalError)

  /// Ends the leases of all other members with the stores and the address of a member, which then cannot join again.
  ///
  /// `Stores.open` calls this once its member has joined: a process that is restarted with its address would otherwise find itself among the others until
  /// the lease of its former life ends. Nothing else calls it. Cancellation has no effect.
  ///
  /// - Parameter member: A member that has joined. If a later one has replaced it, or it has no address, nothing is changed.
  /// - Returns: The members whose leases had not ended before.
  /// - Throws: ``JournalError``.
  func replaceMembers(with member: JournalMember) async throws(JournalError) -> [JournalMember]

  /// Begins the lease of a member anew.
  ///
  /// Cancellation has no effect.
  ///
  /// - Returns: Whether the lease had not ended; false for a member that has to join again.
  /// - Throws: ``JournalError``.
  func renew(_ member: JournalMember.ID, lease: Duration) async throws(JournalError) -> Bool

  /// Ends the lease of a member, whose partitions are free then.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  func leave(_ member: JournalMember.ID) async throws(JournalError)

  /// Reads the members whose leases have not ended, and the owners of the partitions.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter stores: The name of the stores.
  /// - Throws: ``JournalError``.
  func shares(of stores: String) async throws(JournalError) -> JournalShares

  /// Takes those of some partitions that are free, each with a new claim, which fences the earlier owner.
  ///
  /// It waits for no transaction of an earlier owner: a partition that one is in is taken by a later call. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - partitions: The numbers of the partitions.
  ///   - member: The member, whose lease has not ended.
  /// - Returns: The claims of the partitions that were taken; none for a member without a lease.
  /// - Throws: ``JournalError``.
  func take(_ partitions: [Int], as member: JournalMember) async throws(JournalError) -> [JournalClaim]

  /// Releases partitions, so that any member may take them; those that were taken meanwhile stay with their owner.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  func release(_ claims: [JournalClaim]) async throws(JournalError)
}

/// The members of many stores, and the owners of the partitions.
public struct JournalShares: Sendable, Hashable {
  /// The newest claim of a partition.
  public struct Owner: Sendable, Hashable {
    /// The member; nil if the partition was released, or claimed by a process that is no member.
    public let member: JournalMember.ID?

    /// The number of the claim.
    public let epoch: UInt64

    /// The name of the claim, as ``JournalClaim/name``.
    public let name: UInt64

    /// Creates an owner, as an engine does.
    public init(_ member: JournalMember.ID?, epoch: UInt64, name: UInt64 = 0) {
      self.member = member
      self.epoch = epoch
      self.name = name
    }
  }

  /// The members whose leases have not ended.
  public let members: [JournalMember]

  /// The owners by the numbers of their partitions; none for a partition that was never claimed.
  public let owners: [Int: Owner]

  /// Creates shares, as an engine does.
  public init(members: [JournalMember], owners: [Int: Owner]) {
    (self.members, self.owners) = (members, owners)
  }

  /// The member that owns a partition, and has a lease.
  public func owner(of partition: Int) -> JournalMember? {
    guard let id = owners[partition]?.member else { return nil }
    return members.first { $0.id == id }
  }
}
