/// A journal that holds the logs of many stores, of which few are open.
///
/// Keys of many stores are divided into partitions. Who claims a partition is the one writer of all its keys, with one fence for all of them, so
/// that opening a key writes nothing. Each of these keys has a wake time, and each of their records a position in its partition, by which
/// others follow all keys of a partition at once.
///
/// **Fencing.** An append names its claim. When another process has claimed the partition since, an append to *any* key of it
/// fails with ``JournalError/Code/conflict``, and its error names the newcomer. A journal that does not know the claim has lost it: ``JournalError/Code/lost``.
///
/// Everything else is as ``Journal`` says: durability, atomicity, errors, order and cancellation.
public protocol PartitionedJournal: Journal {
  /// The number of partitions of many stores, from 1, which is stored with the first claim and never changes.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter stores: The name of the stores.
  /// - Throws: ``JournalError``.
  func partitions(of stores: String) async throws(JournalError) -> Int

  /// Makes the caller the one writer of a partition, until another one claims it.
  ///
  /// A call that is repeated claims it again. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - owner: The process, which the errors of the earlier owner name.
  /// - Throws: ``JournalError``, with ``JournalError/Code/otherPartition`` if the stores have no partition of this number.
  func claim(_ partition: JournalPartition, as owner: JournalEpoch) async throws(JournalError) -> JournalClaim

  /// Stores batches of several keys of a partition, each as ``Journal/append(_:to:after:)``, and the wake times with them.
  ///
  /// A call that has not returned may have stored the batches of some. A conflict of one key leaves the others alone; a claim that is fenced fails all. A key that is named
  /// twice gets the appends in their order. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - appends: The batches for each key.
  ///   - claim: The claim of the partition to which all of the keys belong.
  /// - Returns: The results, in the order of the appends.
  func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend]

  /// Reads the keys of a partition whose wake times have come, the earliest first, and of equal times in the order of their names' UTF-8.
  ///
  /// Its cost does not grow with the keys that are not due. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - time: The wall time in milliseconds since 1970 before which a wake time is due.
  ///   - due: The last key of the page before; nil to begin.
  ///   - count: The largest number of keys, from 1.
  /// - Throws: ``JournalError``.
  func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue]

  /// Reads the wake time of a key: a wall time in milliseconds since 1970, 0 for a key that has to be open all the time, and nil for none.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter key: The key of a partition; another one has no wake time.
  /// - Throws: ``JournalError``.
  func wake(of key: JournalKey) async throws(JournalError) -> Int64?

  /// Reads the last positions of all partitions of many stores in one step, so that a reader of many partitions reads those that have moved.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter stores: The name of the stores.
  /// - Returns: The positions by the numbers of the partitions; none for a partition that was never claimed.
  /// - Throws: ``JournalError``.
  func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition]

  /// The losses of records of many stores that this journal has noticed since it was opened.
  ///
  /// An engine remembers the highest position that it has seen of each partition, under any claim, because a position never falls. Each append by
  /// a claim that is one of the losses fails as ``JournalError/Code/lost``. This reads no storage. Defaults to no losses.
  ///
  /// - Parameter stores: The name of the stores.
  func losses(of stores: String) -> JournalLosses

  /// Reads what a partition has behind a position, in the order of positions.
  ///
  /// A key with removed records behind the position is one item, at the position of the last of these; if that is an erasure, the item is the erasure. Records are checked as in
  /// ``Journal/records(of:after:upTo:)``. The items and ``JournalPartitionPage/previous`` are read in one step. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position to which the reader has read.
  ///   - byteCount: The number of payload bytes after which the page ends.
  /// - Throws: ``JournalError``, with ``JournalError/Code/lost`` if the partition ends before the position.
  func records(
    ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPartitionPage

  /// Reads keys of many stores in the order of their names' UTF-8.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - stores: The name of the stores.
  ///   - prefix: The text with which the names begin.
  ///   - name: The name before the first one; nil to begin.
  /// - Returns: Up to 1,000 keys; none behind the last one.
  /// - Throws: ``JournalError``.
  func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey]

  /// Removes the records, the snapshot and the name of a key in one step, after which the journal has only the hash of the name and the end of the log.
  ///
  /// The key begins anew with its next record, whose sequence is behind those of before: so a writer that knew the key conflicts, and does not
  /// continue an erased log. Nothing changes if there is no such key. A reader of the partition finds the erasure at its position, also beside the new life of
  /// the key: until a truncation removes records of that by their time, or the key is erased again. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - claim: The claim of the key's partition; nil for the key of a single store.
  /// - Throws: ``JournalError``.
  func erase(_ key: JournalKey, claim: JournalClaim?) async throws(JournalError)
}

/// Batches for one key, as a part of an append to several.
public struct JournalKeyAppend: Sendable {
  /// The key.
  public let key: JournalKey

  /// The batches in their order.
  public let batches: [JournalBatch]

  /// The last sequence that the writer knows.
  public let last: JournalSequence

  /// Creates the part of an append.
  public init(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) {
    self.batches = batches
    self.key = key
    self.last = last
  }
}

/// The largest number of keys, or of items without records, that a page of a journal has.
package let largestPage = 1_000
