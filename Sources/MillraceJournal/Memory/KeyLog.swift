/// The log of one key in memory, with its snapshot: the rules of the contract as a value without time, tasks or storage.
struct KeyLog: Sendable {
  private let key: JournalKey
  private var records: [JournalRecord] = []
  private var chain: RecordChain
  private(set) var snapshot: JournalSnapshot?
  /// The last record that was removed.
  private var truncated = JournalSequence.start
  /// The newest entry of the kind `epoch`, which outlives a truncation.
  private var epoch: (sequence: JournalSequence, payload: [UInt8])?

  /// Creates an empty log.
  init(_ key: JournalKey) {
    self.key = key
    chain = RecordChain(of: key)
  }

  var last: JournalSequence { records.last?.sequence ?? truncated }

  /// Whether it has had no record, and has no snapshot.
  var isEmpty: Bool { last == .start && snapshot == nil }

  /// Stores a batch behind `expected`, and returns its last record.
  mutating func append(
    _ batch: JournalBatch, after expected: JournalSequence, limit: Int
  ) throws(JournalError) -> JournalSequence {
    guard batch.byteCount <= limit else { throw .tooLarge(batch, limit: limit) }
    guard expected == last else {
      let newer = try epoch.flatMap { epoch throws(JournalError) in
        epoch.sequence > expected ? try JournalEpoch(payload: epoch.payload, of: key, at: epoch.sequence) : nil
      }
      throw .conflict(key, expected: expected, last: last, newcomer: newer)
    }
    let added = chain.records(of: batch, after: last)
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

  /// Removes records, and returns the last one that is removed.
  mutating func truncate(through sequence: JournalSequence) throws(JournalError) -> JournalSequence {
    guard sequence > truncated else { return truncated }
    guard let snapshot, snapshot.sequence >= sequence else {
      throw .truncationAhead(key, sequence, snapshot: snapshot?.sequence)
    }
    let count = min(Int(sequence.number - truncated.number), largestTruncation)
    records.removeFirst(count)
    truncated = truncated.advanced(by: count)
    return truncated
  }
}
