/// The log of one key in memory, with its snapshot: the rules of the contract as a value without time, tasks or storage.
struct KeyLog: Sendable {
  let key: JournalKey
  private(set) var records: [JournalRecord] = []
  private(set) var snapshot: JournalSnapshot?
  /// The last record that was removed, and the chain up to it.
  private(set) var truncated: JournalSequence
  private(set) var truncatedChain: RecordChain
  /// The newest entry of the kind `epoch`, which outlives a truncation.
  private(set) var epoch: (sequence: JournalSequence, payload: [UInt8])?

  /// An empty log.
  init(_ key: JournalKey) {
    self.init(key, truncated: .start, chain: RecordChain(of: key), epoch: nil)
  }

  /// A log whose records up to `truncated` were removed.
  init(
    _ key: JournalKey, truncated: JournalSequence, chain: RecordChain, epoch: (JournalSequence, [UInt8])?
  ) {
    self.key = key
    self.truncated = truncated
    truncatedChain = chain
    self.epoch = epoch
  }

  var last: JournalSequence { records.last?.sequence ?? truncated }

  private var chain: RecordChain { records.last.map { RecordChain(continuing: $0.checksum) } ?? truncatedChain }

  /// The records that a batch becomes if it is stored behind `expected`; nothing is changed.
  func records(
    of batch: JournalBatch, after expected: JournalSequence, limit: Int
  ) throws(JournalError) -> [JournalRecord] {
    guard batch.byteCount <= limit else { throw .tooLarge(batch, limit: limit) }
    guard expected == last else {
      let newer = try epoch.flatMap { epoch throws(JournalError) in
        epoch.sequence > expected ? try JournalEpoch(payload: epoch.payload, of: key, at: epoch.sequence) : nil
      }
      throw .conflict(key, expected: expected, last: last, newcomer: newer)
    }
    var chain = chain
    return chain.records(of: batch, after: last)
  }

  /// Adds records that fit behind the last one.
  ///
  /// - Throws: The error for the first record that is not the one that was written.
  mutating func add(_ added: [JournalRecord]) throws(JournalError) {
    for record in added {
      var chain = chain
      chain.add(record.entry, sequence: record.sequence, batch: record.batch)
      guard record.sequence == last.advanced(by: 1), record.checksum == chain.value else {
        throw .corrupt(key, at: last.advanced(by: 1))
      }
      records.append(record)
      if record.entry.kind == .epoch { epoch = (record.sequence, record.entry.payload) }
    }
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

  /// Keeps a snapshot; false if the stored one is newer.
  mutating func keep(_ new: JournalSnapshot) throws(JournalError) -> Bool {
    guard new.sequence <= last else { throw .snapshotAhead(key, new.sequence, last: last) }
    if let snapshot, snapshot.sequence > new.sequence { return false }
    snapshot = new
    return true
  }

  /// Removes records; false if they were removed before.
  mutating func truncate(through sequence: JournalSequence) throws(JournalError) -> Bool {
    guard sequence > truncated else { return false }
    guard let snapshot, snapshot.sequence >= sequence else {
      throw .truncationAhead(key, sequence, snapshot: snapshot?.sequence)
    }
    let count = Int(sequence.number - truncated.number)
    truncatedChain = RecordChain(continuing: records[count - 1].checksum)
    records.removeFirst(count)
    truncated = sequence
    return true
  }
}
