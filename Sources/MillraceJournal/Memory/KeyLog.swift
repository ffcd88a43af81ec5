import Millrace

/// The log of one key in memory, with its snapshot: the rules of the contract as a value without time, tasks or storage.
struct KeyLog: Sendable {
  let key: JournalKey
  private(set) var records: [JournalRecord] = []
  private var chain: RecordChain
  private(set) var snapshot: JournalSnapshot?
  /// The last record that was removed, and its position.
  private(set) var truncated = JournalSequence.start
  private(set) var removed: JournalPosition?
  /// The sequence up to which the log was erased, which has its place in the log; nil if it was not.
  private var erased: JournalSequence?
  /// The newest entry of the kind `epoch`, which outlives a truncation.
  private var epoch: (sequence: JournalSequence, payload: [UInt8])?
  /// The time at which the key has to be opened, in milliseconds since 1970; nil for none.
  private(set) var wake: Int64?

  /// Creates an empty log.
  init(_ key: JournalKey) {
    self.key = key
    chain = RecordChain(of: key)
  }

  /// Creates the log of a key that was erased, which begins behind its end.
  init(_ key: JournalKey, erased: ErasedKey) {
    self.init(key)
    (truncated, removed, self.erased) = (erased.last, erased.position, erased.last)
    snapshot = .erased(through: erased.last)
  }

  var last: JournalSequence { records.last?.sequence ?? truncated }

  /// Whether it has had no record, and has no snapshot, since it was erased.
  var isEmpty: Bool { last == erased ?? .start && (snapshot == nil || erased != nil) }

  /// Stores a batch behind `expected`, and returns its last record.
  ///
  /// - Parameter position: The last position of the partition, which moves with each record; nil for a key that belongs to none.
  mutating func append(
    _ batch: JournalBatch, after expected: JournalSequence, limit: Int, _ position: inout JournalPosition?
  ) throws(JournalError) -> JournalSequence {
    guard batch.byteCount <= limit else { throw .tooLarge(batch, limit: limit) }
    guard expected == last else {
      let newer = try epoch.flatMap { epoch throws(JournalError) in
        epoch.sequence > expected ? try JournalEpoch(payload: epoch.payload, of: key, at: epoch.sequence) : nil
      }
      throw .conflict(key, expected: expected, last: last, newcomer: newer, erased: erased)
    }
    if position != nil, !batch.entries.isEmpty { wake = batch.wake.time(after: wake) }
    let added = chain.records(of: batch, after: last, &position)
    records += added
    if let newest = added.last(where: { $0.entry.kind == .epoch }) { epoch = (newest.sequence, newest.entry.payload) }
    return last
  }

  func page(after sequence: JournalSequence, upTo byteCount: Int) throws(JournalError) -> JournalPage {
    guard sequence >= truncated else { throw .truncated(key, after: sequence, through: truncated) }
    guard sequence < last else { return JournalPage(records: [], last: last) }
    var page: [JournalRecord] = []
    var count = 0
    for record in records[Int(sequence.number - truncated.number)...] {
      if count >= byteCount, let end = page.last, end.batch != record.batch { break }
      page.append(record)
      count += record.entry.payload.count
    }
    return JournalPage(records: page, last: last)
  }

  /// Stores a snapshot, unless the stored one is newer.
  mutating func store(_ new: JournalSnapshot) throws(JournalError) {
    guard new.sequence <= last else { throw .snapshotAhead(key, new.sequence, last: last) }
    if let snapshot, snapshot.sequence > new.sequence { return }
    snapshot = new
  }

  /// Removes records, and returns the last one that is removed, and whether a record was removed by its time.
  mutating func truncate(
    through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
  ) throws(JournalError) -> (end: JournalSequence, isByTime: Bool) {
    guard sequence > truncated else { return (truncated, false) }
    guard let snapshot, snapshot.sequence >= sequence else {
      throw .truncationAhead(key, sequence, snapshot: snapshot?.sequence)
    }
    let covered = records.prefix(Int(sequence.number - truncated.number))
    var bytes = 0
    let excess = covered.lastIndex { record in
      bytes += record.entry.payload.count
      return bytes > byteCount
    }
    // A record without a time is one of an earlier version.
    let old = covered.firstIndex { $0.time ?? .min >= time } ?? covered.count
    let count = min(max(old, excess.map { $0 + 1 } ?? 0), largestTruncation)
    if count == 0 { return (truncated, false) }
    removed = records[count - 1].position
    records.removeFirst(count)
    truncated = truncated.advanced(by: count)
    return (truncated, old > 0)
  }
}

/// The rest of an erased key that a journal keeps.
struct ErasedKey: Sendable {
  /// The end of the log: the last record, and the erasure itself.
  let last: JournalSequence
  /// The position of the erasure in the partition; nil for a key that belonged to none.
  let position: JournalPosition?
}
