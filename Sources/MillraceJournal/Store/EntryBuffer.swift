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
  /// The wake time of a key whose state asks for it; nil for any other store.
  private(set) var wake: KeyWake?
  /// The number of entries that may be persisted, for such a key: the wake time of the others is not known yet.
  private var readyCount = 0
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

  /// - Parameters:
  ///   - epoch: The epoch that the first entry brings with it, and the revision of the restored state; nil if the log has the epoch.
  ///   - wake: The wake time of a key whose state asks for it.
  init(
    after last: JournalSequence, keys: IdempotencyTable, growth: LogGrowth, limits: Limits,
    epoch: (entry: JournalEntry, revision: Int)? = nil, wake: KeyWake? = nil
  ) {
    self.wake = wake
    self.last = last
    self.keys = keys
    self.growth = growth
    self.limits = limits
    self.epoch = epoch
  }

  /// The entries that may be persisted.
  var ready: ArraySlice<Item> { wake == nil ? items[...] : items.prefix(readyCount) }

  /// Allows that all entries are persisted.
  mutating func makeReady() { readyCount = items.count }

  /// Notes the wake time by the state to which the last entry leads, and stores it with that.
  mutating func ask(_ time: Int64?, hasOpenRuns: Bool) {
    wake?.asked = time
    if hasOpenRuns || hasStored(time) { return }
    guard readyCount < items.count, let last = items.last else { return }
    wake?.stored = time
    items[items.count - 1] = last.with(JournalWake(time))
  }

  /// Whether the log has a wake time, as far as this is known.
  func hasStored(_ time: Int64?) -> Bool { wake.map { $0.stored == time } ?? false }

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
    if self.wake != nil, wake != .keep { self.wake?.stored = wake.time(after: nil) }
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
    readyCount = max(readyCount - persisted.count, 0)
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

/// The wake time of a key whose state asks for it: a wall time in milliseconds, 0 if the key has to be open, and nil for no time.
struct KeyWake: Sendable {
  /// The time for which the newest state asks.
  var asked: Int64?
  /// The time that the log has, with the entries that wait.
  var stored: Int64?
}

extension JournalWake {
  /// The change to a wall time in milliseconds, 0 for a key that has to be open, and nil for no time.
  init(_ time: Int64?) {
    self = time.map { $0 == 0 ? .now : .at($0) } ?? .never
  }
}

extension EntryBuffer.Item {
  /// The entry with another wake time.
  fileprivate func with(_ wake: JournalWake) -> EntryBuffer.Item {
    let batch = JournalBatch(id: batch.id, entries: batch.entries, time: batch.time, wake: wake)
    return EntryBuffer.Item(batch: batch, position: position, revision: revision)
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
