#if Postgres
  import MillraceJournal

  /// The ends of the partitions that a process has seen, and the losses that follow from them.
  ///
  /// A position never falls, under any claim, on any server that has the records it acknowledged. So a partition that ends before a known position, or has
  /// another record there, has lost records. An end is compared with a read that began after the end was known, because the results of two connections
  /// come in any order.
  struct KnownPartitions: Sendable {
    /// The end of a partition.
    struct End: Sendable, Hashable {
      var position: JournalPosition
      /// The batch of the record at the position; nil if it is not known.
      var batch: JournalBatch.ID?
      /// Whether this process stored the batch.
      ///
      /// Only then is the batch certainly that of the record: programs of version 2 move a position without a batch.
      var isOwn = false
      /// The number of losses of the partition before.
      fileprivate var losses = 0
    }

    /// A partition as a read has found it.
    struct Found {
      let partition: JournalPartition
      let position: JournalPosition
      /// The batch of the last append.
      let batch: JournalBatch.ID?
      /// The batch of the record at the known position; nil if it was not read, or the record was removed.
      var known: JournalBatch.ID?
    }

    private(set) var ends: [JournalPartition: End] = [:]
    private var claims: [JournalPartition: JournalClaim] = [:]
    private var newest: [JournalPartition: JournalLoss] = [:]

    /// Notes a claim that this process has made.
    mutating func didClaim(_ claim: JournalClaim) { claims[claim.partition] = claim }

    /// Notes the last record that this process has stored in a partition.
    mutating func didStore(_ batch: JournalBatch.ID, at position: JournalPosition, in partition: JournalPartition) {
      var end = ends[partition] ?? End(position: .start)
      guard position > end.position else { return }
      (end.position, end.batch, end.isOwn) = (position, batch, true)
      ends[partition] = end
    }

    /// Compares partitions with the ends that were known before they were read, and returns the losses that are not known yet.
    mutating func compare(_ found: [Found], with before: [JournalPartition: End]) -> [JournalLoss] {
      found.compactMap { found in
        let now = ends[found.partition] ?? End(position: .start)
        guard let known = before[found.partition], known.losses == now.losses, found.contradicts(known) else {
          if found.position > now.position {
            ends[found.partition] = End(position: found.position, batch: found.batch, losses: now.losses)
          }
          return nil
        }
        let loss = JournalLoss(
          of: found.partition, known: known.position, found: found.position, claim: claims[found.partition])
        claims[found.partition] = nil
        ends[found.partition] = End(position: found.position, batch: found.batch, losses: now.losses + 1)
        newest[found.partition] = loss
        return loss
      }
    }

    /// The loss with which a claim of this process has ended; nil if there is none.
    func loss(of claim: JournalClaim) -> JournalLoss? {
      guard let loss = newest[claim.partition], loss.claim == claim else { return nil }
      return loss
    }

    func losses(of stores: String) -> JournalLosses {
      let found = newest.filter { $0.key.stores.utf8.elementsEqual(stores.utf8) }
      return JournalLosses(
        count: found.keys.reduce(0) { $0 + (ends[$1]?.losses ?? 0) },
        newest: Dictionary(uniqueKeysWithValues: found.map { ($0.key.number, $0.value) }))
    }
  }

  extension KnownPartitions.Found {
    /// Whether the partition lacks the record at a known position.
    fileprivate func contradicts(_ end: KnownPartitions.End) -> Bool {
      if position < end.position { return true }
      guard let stored = end.batch else { return false }
      if position == end.position, let batch, batch != stored { return true }
      if end.isOwn, let known { return known != stored }
      return false
    }
  }
#endif
