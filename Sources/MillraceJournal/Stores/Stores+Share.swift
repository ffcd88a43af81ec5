public import Millrace

extension Stores {
  /// The process that owns a key, or to which this one is giving it, as this one has seen it last; nil if none is known.
  ///
  /// It is also nil if the process owns all keys alone. An action that is sent to the owner may be rejected there as `Rejection.notOwner` for a moment, while
  /// the key changes hands.
  ///
  /// **Cost.** It reads no journal.
  public func owner(of id: Key) -> JournalMember? {
    guard let partitions = core.source.partitions else { return nil }
    return partitions.owner(of: partitions.number(of: journalKey(id)))
  }

  /// The processes that share the partitions, and the owners, as this one has seen them last; nil if the process owns all keys alone.
  ///
  /// It is a state over time, which is renewed ten times a lease.
  public var shares: StateReader<JournalShares>? { sharing?.membership.shares.reader }
}

/// The tasks by which a process owns a part of the partitions.
struct SharingTasks: Sendable {
  let membership: Membership
  let sharing: Task<Void, Never>
  let renewing: Task<Void, Never>

  init<Key, I>(of membership: Membership, for core: StoresCore<Key, I>) {
    let sharing = Task.detached { await membership.share(core) }
    (self.membership, self.sharing) = (membership, sharing)
    renewing = Task.detached {
      guard let failure = await membership.renew({ core.reportShare($0) }) else { return }
      sharing.cancel()
      core.end(because: failure)
    }
  }

  func cancel() {
    sharing.cancel()
    renewing.cancel()
  }

  /// Takes and releases no more partitions, while the lease is renewed.
  func stopSharing() { sharing.cancel() }

  /// Ends the lease once all stores have ended.
  func leave() async {
    cancel()
    await sharing.value
    await renewing.value
    // Otherwise the lease ends by itself.
    try? await membership.leave()
    await membership.shares.shutdown()
  }
}
