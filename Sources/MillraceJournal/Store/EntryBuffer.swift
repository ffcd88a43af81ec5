import Millrace

/// The entries of a store that wait to be stored, and the growth of its log.
///
/// It has no type parameters, because the runtime would look their types up again for each entry.
struct EntryBuffer: Sendable {
  /// An entry, which is a batch of its own.
  struct Item: Sendable {
    let batch: JournalBatch
    /// The position of the entry in the store, and the revision behind it.
    let position: Int
    let revision: Int
  }

  private(set) var items: [Item] = []
  private(set) var byteCount = 0
  /// The sequence that the last entry has, persisted or not.
  private(set) var last: JournalSequence
  private(set) var position = DurabilityGate.restoredPosition
  var keys: IdempotencyTable
  var growth: LogGrowth
  var tally = JournalTally()
  /// Whether a task is persisting the entries.
  var isWriting = false
  /// The reason for which nothing more is persisted.
  var failure: JournalError?
  /// Called when the snapshot that is being taken is stored, or cannot be.
  var afterSnapshot: (@Sendable () -> Void)?

  private let limits: Limits
  private var batches: UInt64 = 0
  /// The entry that comes before the first one, and the revision of the restored state; nil once it is there, or if the log has it.
  private var epoch: (entry: JournalEntry, revision: Int)?

  struct Limits: Sendable {
    let writer: UInt64
    let largestBatch: Int
    let byteCount: Int

    /// The largest entry: one for which there is room in an empty buffer.
    var largestEntry: Int { min(largestBatch, byteCount / 2) }

    /// The number of bytes that may wait together with an entry; nil for any number.
    func byteCount(of room: JournalRoom) -> Int? {
      switch room {
      case .admission: byteCount / 2
      case .emits: byteCount - byteCount / 4
      case .unlimited: nil
      }
    }
  }

  /// - Parameter epoch: The epoch that the first entry brings with it, and the revision of the restored state; nil if the log has the epoch.
  init(
    after last: JournalSequence, keys: IdempotencyTable, growth: LogGrowth, limits: Limits,
    epoch: (entry: JournalEntry, revision: Int)? = nil
  ) {
    self.last = last
    self.keys = keys
    self.growth = growth
    self.limits = limits
    self.epoch = epoch
  }

  /// The sequence before the first entry that waits.
  var persisted: JournalSequence { JournalSequence(last.number - UInt64(items.count)) }

  /// Whether half of the bytes wait, so that the store takes no more actions.
  var isCrowded: Bool { byteCount >= limits.byteCount / 2 }

  /// Adds an entry behind the others, and returns its sequence; nil if its room is full.
  ///
  /// - Parameters:
  ///   - room: The part of the bytes that may wait with the entry.
  ///   - revision: The revision behind the entry.
  ///   - time: The wall time in milliseconds since 1970.
  ///   - wake: The change of the wake time of the key.
  /// - Throws: ``JournalError`` if the journal has failed, or does not take an entry of this size.
  mutating func add(
    _ entry: JournalEntry, in room: JournalRoom, revision: Int, at time: Int64, wake: JournalWake = .keep
  ) throws(JournalError) -> JournalSequence? {
    if let failure { throw failure }
    let batch = JournalBatch(
      id: .init(writer: limits.writer, number: batches + (epoch == nil ? 1 : 2)), entries: [entry], time: time,
      wake: wake)
    let size = batch.byteCount
    if size > limits.largestEntry { throw .tooLarge(batch, limit: limits.largestEntry) }
    if let limit = limits.byteCount(of: room), byteCount + size > limit { return nil }
    addEpoch(at: time)
    position += 1
    keep(batch, revision: revision)
    return last
  }

  /// Adds the epoch before the first entry; it has the position of the restored state, which no receipt waits for.
  private mutating func addEpoch(at time: Int64) {
    guard let (entry, revision) = epoch else { return }
    epoch = nil
    keep(
      JournalBatch(id: .init(writer: limits.writer, number: batches + 1), entries: [entry], time: time),
      revision: revision)
  }

  private mutating func keep(_ batch: JournalBatch, revision: Int) {
    batches += 1
    last = last.advanced(by: 1)
    byteCount += batch.byteCount
    for entry in batch.entries { growth.add(entry) }
    items.append(Item(batch: batch, position: position, revision: revision))
  }

  /// Removes the first entries, which are durable.
  ///
  /// - Parameter elapsed: The time of all entries that were handed over with these; nil if some are not durable yet.
  mutating func didPersist(_ persisted: ArraySlice<Item>, at time: Int64, after elapsed: Duration? = nil) {
    byteCount -= persisted.reduce(0) { $0 + $1.batch.byteCount }
    items.removeFirst(persisted.count)
    tally.didPersist(persisted.count, at: time, after: elapsed)
  }

  /// Notes that a snapshot of this size is stored.
  mutating func didStoreSnapshot(_ size: Int, at time: Int64) {
    growth.didStore(size)
    tally.lastSnapshot = time
  }

  var metrics: Metrics.Journal {
    let log = growth.sinceStored
    return Metrics.Journal(
      state: failure != nil ? .failed : tally.isUnavailable ? .unavailable : .writable, records: tally.records,
      appendTime: tally.appendTime, retries: tally.retries, unsyncedRecords: items.count,
      oldestUnsynced: failure == nil && !items.isEmpty ? tally.oldestUnsynced : nil, bufferedBytes: byteCount,
      bufferLimit: limits.byteCount,
      lastAppend: tally.lastAppend, logRecords: log.records, logBytes: log.bytes,
      lastSnapshot: tally.lastSnapshot, failedSteps: tally.failedSteps)
  }
}

/// The counts and times of a store's journal since it was opened; wall times are in milliseconds since 1970.
struct JournalTally: Sendable {
  private(set) var records = 0
  private(set) var appendTime = Histogram()
  private(set) var lastAppend: Int64?
  /// The time before which no record was buffered that is not durable.
  private(set) var oldestUnsynced: Int64?
  private var lastHandOver: Int64?
  var retries = 0
  /// Whether the last call failed, and is repeated or looked up.
  var isUnavailable = false
  var lastSnapshot: Int64?
  var failedSteps = 0

  /// Notes the time at which records are handed over to the journal; nil if there are none.
  ///
  /// They were buffered since those before them were handed over.
  mutating func handOver(_ time: Int64?) {
    oldestUnsynced = time.map { lastHandOver ?? $0 }
    lastHandOver = time
  }

  mutating func didPersist(_ count: Int, at time: Int64, after elapsed: Duration?) {
    records += count
    lastAppend = time
    isUnavailable = false
    if let elapsed { appendTime.record(elapsed) }
  }
}
