/// A durable log for each of many keys.
///
/// A journal stores the mutations of stores, so that their states survive a crash. An engine may be a file of this process or a
/// service on other machines; a store depends only on this contract, and one suite of tests holds for each engine.
///
/// **Durability.** The batches that ``append(_:to:after:)`` reports as stored, and a snapshot or a truncation whose call has
/// returned, survive every later crash of the process and of the machine. A call that has not returned may have stored a first part
/// of its batches. Reads return only durable records.
///
/// **Atomicity.** A batch is stored as a whole or not at all. After a crash the log of each key is a prefix of the appended batches.
///
/// **Fencing.** An append names the last sequence that its writer knows, and conflicts if the log goes further; if the log ends before that, its
/// error is ``JournalError/Code/lost``. A writer takes a log over by appending an entry of the kind ``JournalEntry/Kind/epoch``; the next
/// append of the earlier writer then conflicts, and its error names the newcomer. A conflict affects only its own key.
///
/// **Errors.** ``JournalError/isTransient`` tells errors apart:
///
/// - *Transient*: with ``JournalError/Code/unavailable`` nothing was stored, and the writer repeats the call. With
///   ``JournalError/Code/unknown`` the writer looks for the batch by its id (``batch(_:of:after:)``), and repeats the append
///   if there is none.
/// - *Final*: the writer stops. After ``JournalError/Code/failed`` every later call fails with the same error; whether the
///   batches in progress were stored shows when the journal is opened again.
///
/// **Order and isolation.** Calls may come from any task at once. Calls of one task take effect in their order; appends that
/// wait at the same time may share one write. No method blocks the thread that calls it.
///
/// **Cancellation.** No call is cut short: a batch that was given to the journal is stored, and the caller waits until it knows.
public protocol Journal: Sendable {
  /// The largest ``JournalBatch/byteCount`` of a batch that the journal stores.
  var largestBatch: Int { get }

  /// Stores batches behind the last record of a key.
  ///
  /// The first batch is stored if the log ends at `last`, the next one if it ends at the last record of the first one, and so on. The
  /// call ends at the first batch that is not stored; the batches before that one stay. A key begins with its first record.
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - batches: The batches in their order.
  ///   - key: The key.
  ///   - last: The last sequence that the writer knows; ``JournalSequence/start`` for an empty log.
  /// - Returns: The number of batches that are durable, and the reason for which the next one is not.
  func append(_ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence) async -> JournalAppend

  /// Reads records of a key.
  ///
  /// The records are checked: each one fits its checksum, and none is missing. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - sequence: The sequence before the first record of the page.
  ///   - byteCount: The number of payload bytes after which the page ends with the batch that it has come to.
  /// - Returns: The records; none if the log does not go further than `sequence`.
  /// - Throws: ``JournalError``, among others with ``JournalError/Code/truncated`` if the next record was removed, and with
  ///   ``JournalError/Code/corrupt`` and the sequence of the first record that was changed after it was written.
  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage

  /// Reads a batch by its id, to learn whether an append with an unknown result has stored it.
  ///
  /// Call it once the earlier calls for the key have ended. An implementation that reads the records behind `last` is provided.
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - id: The id of the batch.
  ///   - key: The key.
  ///   - last: The last sequence that the append expected, or an earlier one.
  /// - Returns: All records of the batch; nil if it was not stored.
  /// - Throws: ``JournalError``, as ``records(of:after:upTo:)``.
  func batch(
    _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence
  ) async throws(JournalError) -> [JournalRecord]?

  /// Reads the sequence of the last record of a key; ``JournalSequence/start`` if it has none. Truncation does not change it.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence

  /// Reads the newest snapshot of a key; nil if there is none.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, with ``JournalError/Code/corrupt`` if the snapshot is not the one that was written.
  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot?

  /// Reads what a store begins with when it opens the log of a key.
  ///
  /// An engine for which each call takes long reads the end of the log in the same step, because a key that hibernated has no record behind its snapshot.
  /// An implementation that reads the snapshot alone is provided. Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, as ``snapshot(of:)``.
  func beginning(of key: JournalKey) async throws(JournalError) -> JournalBeginning

  /// Stores a snapshot in the place of the one before it, and removes records that it covers, in one step. A snapshot that is older than the stored one is
  /// not stored.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - key: The key.
  ///   - time: The wall time in milliseconds since 1970 before which records are removed, as by ``truncate(_:through:before:keeping:)``; nil removes none.
  ///   - byteCount: The number of payload bytes of removable records that stay, as there.
  /// - Returns: The last record that is removed; ``JournalSequence/start`` if none is to be.
  /// - Throws: ``JournalError``, with ``JournalError/Code/ahead`` if the log of the key ends before the snapshot.
  @discardableResult
  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence

  /// Removes the first records of a key up to a sequence, which the newest snapshot has to cover; at most 10,000 in one call.
  ///
  /// So other calls wait only a short time; the caller repeats the call until everything is removed. Later records keep their sequences. In a partition, a call
  /// that removes records by their time also removes the erasure of the key's earlier life, which is older; see ``PartitionedJournal/erase(_:claim:)``.
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - sequence: The last record to remove.
  ///   - time: The wall time in milliseconds since 1970 before which records are removed: the first one that is not older stays, with all behind it.
  ///   - byteCount: The number of payload bytes of removable records that stay, from 0. The oldest records beyond it are removed whatever their times.
  /// - Returns: The last record that is removed; `sequence` or a later one once all are.
  /// - Throws: ``JournalError``, with ``JournalError/Code/ahead`` if the newest snapshot does not cover the sequence.
  @discardableResult
  func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence

  /// Reads keys in the order of their UTF-8.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter key: The key before the first one; nil to begin.
  /// - Returns: Up to 1,000 keys; none behind the last one.
  /// - Throws: ``JournalError``.
  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey]

  /// Waits for changes of the journal, by any process.
  ///
  /// The sequence has an element when records, snapshots or keys were stored or removed since the last element was taken. A reader calls this first, then
  /// reads, and reads again behind each element: so it misses nothing. An element may come without a change, and one change may bring two; a record
  /// whose writer is killed before the call that stores it has returned may come with the next change. The sequence ends when the journal is closed, or its task is cancelled.
  ///
  /// - Throws: ``JournalError`` if changes cannot be noticed.
  func changes() async throws(JournalError) -> AsyncStream<Void>

  /// Ends the journal once the calls that wait have ended; later calls fail with ``JournalError/Code/closed``.
  ///
  /// Cancellation has no effect. When it returns, the journal can be opened again.
  func close() async
}

/// The largest number of records that a call of ``Journal/truncate(_:through:before:keeping:)`` removes.
package let largestTruncation = 10_000

extension Journal {
  /// Stores a snapshot, and removes the records before a time that it covers, whatever their size; otherwise as ``store(_:of:truncatingBefore:keeping:)``.
  ///
  /// Cancellation has no effect.
  ///
  /// - Returns: The last record that is removed.
  /// - Throws: ``JournalError``, as ``store(_:of:truncatingBefore:keeping:)``.
  @discardableResult
  public func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?
  ) async throws(JournalError) -> JournalSequence {
    try await store(snapshot, of: key, truncatingBefore: time, keeping: .max)
  }

  /// Stores a snapshot, and removes no records; otherwise as ``store(_:of:truncatingBefore:keeping:)``.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, as ``store(_:of:truncatingBefore:keeping:)``.
  public func store(_ snapshot: JournalSnapshot, of key: JournalKey) async throws(JournalError) {
    try await store(snapshot, of: key, truncatingBefore: nil)
  }

  /// Removes the first records of a key that are older than a time, whatever their size; otherwise as ``truncate(_:through:before:keeping:)``.
  ///
  /// Cancellation has no effect.
  ///
  /// - Returns: The last record that is removed.
  /// - Throws: ``JournalError``, as ``truncate(_:through:before:keeping:)``.
  @discardableResult
  public func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64
  ) async throws(JournalError) -> JournalSequence {
    try await truncate(key, through: sequence, before: time, keeping: .max)
  }

  /// Removes the first records of a key up to a sequence, whenever they were stored; otherwise as ``truncate(_:through:before:keeping:)``.
  ///
  /// Cancellation has no effect.
  ///
  /// - Returns: The last record that is removed.
  /// - Throws: ``JournalError``, as ``truncate(_:through:before:keeping:)``.
  @discardableResult
  public func truncate(
    _ key: JournalKey, through sequence: JournalSequence
  ) async throws(JournalError) -> JournalSequence {
    try await truncate(key, through: sequence, before: .max)
  }

  /// Reads records of a key, about 1 MiB at once; otherwise as ``records(of:after:upTo:)``.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, as ``records(of:after:upTo:)``.
  public func records(of key: JournalKey, after sequence: JournalSequence) async throws(JournalError) -> JournalPage {
    try await records(of: key, after: sequence, upTo: 1 << 20)
  }

  /// Reads the newest snapshot of a key, and nothing else.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, as ``snapshot(of:)``.
  public func beginning(of key: JournalKey) async throws(JournalError) -> JournalBeginning {
    JournalBeginning(snapshot: try await snapshot(of: key))
  }

  /// Reads a batch by its id from the records behind `last`.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``, as ``records(of:after:upTo:)``.
  public func batch(
    _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence
  ) async throws(JournalError) -> [JournalRecord]? {
    var position = last
    while true {
      let page = try await records(of: key, after: position)
      let found = page.records.filter { $0.batch == id }
      if !found.isEmpty { return found }
      guard let end = page.records.last?.sequence, end < page.last else { return nil }
      position = end
    }
  }
}
