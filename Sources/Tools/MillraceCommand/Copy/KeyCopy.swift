import Millrace
import MillraceFlags
import MillraceJournal

/// The copy of one key from a journal to another one, which is read back and compared.
///
/// Records keep their sequences, batches, contents and times, because runs are named by sequences; positions are those of the journal to which they are
/// copied. A key that is there is continued if its log is the beginning of this one, so an interrupted copy continues, and a copy that
/// is repeated gets the records that the service has appended since.
struct KeyCopy: Sendable {
  /// The end of a copy.
  enum Outcome: Sendable, Equatable {
    /// The key has these records, and maybe a snapshot, that it did not have before.
    case copied(records: Int, hasSnapshot: Bool)
    /// Everything was there.
    case present
    /// The reason for which the key is not copied, as a sentence.
    case refused(String)
  }

  /// The reason for which the key is not copied, as the end of a sentence.
  private struct Refusal: Error {
    let reason: String
  }

  let key: JournalKey
  let source: any CheckedJournal
  let target: any CheckedJournal
  /// The places of both, as the subjects of sentences.
  let places: (source: String, target: String)
  let claims: PartitionClaims
  var line = StatusLine.standardError

  /// Copies the key.
  ///
  /// - Throws: `JournalError` if a journal cannot be used any longer, in place of a refusal of this key.
  func run() async throws -> Outcome {
    do {
      return try await copy()
    } catch let refusal as Refusal {
      return refused(refusal)
    } catch let error as JournalError
      where [.corrupt, .truncated, .conflict, .tooLarge, .readOnly].contains(error.code)
    {
      return .refused("The key \(name) is not copied. \(error)")
    }
  }

  private func refused(_ refusal: Refusal) -> Outcome {
    .refused("The key \(name) is not copied: \(refusal.reason).")
  }

  /// The outcome of a copy of which a record is another one when it is read back.
  func refusedReadBack(at record: JournalSequence) -> Outcome { refused(notReadBack(record)) }

  private func notReadBack(_ record: JournalSequence) -> Refusal {
    Refusal(
      reason: "record \(record) is another one when it is read back from \(places.target), so verify that journal")
  }

  private var name: String {
    FlagError.quoted(key.name) + (key.stores.map { " of the stores \(FlagError.quoted($0))" } ?? "")
  }

  private func copy() async throws -> Outcome {
    // The snapshot is read before the records, so none is missing between the two.
    let removed = try await source.lastRemoved(of: key)
    let snapshot = try await source.snapshot(of: key)
    if snapshot?.isIncomplete == true {
      throw Refusal(reason: "it is in \(places.source) a copy that has not ended, so end that copy first")
    }
    var start = try await target.lastSequence(of: key)
    if start > .start {
      try await checkPresent(through: start, removed: removed, snapshot)
    } else if removed > .start {
      let isWhole = try await source.lastSequence(of: key) == removed
      try await target.begin(
        key, after: removed, wake: isWhole ? try await source.wake(of: key) : nil,
        claim: try await claims.claim(of: key))
      start = removed
    }
    let end = try await copyRecords(after: start)
    let hasSnapshot = try await copy(snapshot)
    if let different = try await firstDifference(after: start, through: end) {
      throw notReadBack(different)
    }
    try await checkWake(end)
    return end == start && !hasSnapshot
      ? .present : .copied(records: Int(end.number - start.number), hasSnapshot: hasSnapshot)
  }

  // MARK: Records

  /// Copies the records behind a sequence, and returns the last one.
  private func copyRecords(after start: JournalSequence) async throws -> JournalSequence {
    var position = start
    while true {
      let page = try await source.records(of: key, after: position)
      guard let end = page.records.last?.sequence else { return position }
      // The wake time is that at the end of the log, and is stored with its last batch.
      let wake = end == page.last ? JournalWake(storedAs: try await source.wake(of: key)) : .keep
      try await append(Self.batches(of: page.records, wake: wake), after: position)
      position = end
      if end == page.last { return end }
      line.show("record \(end) of \(page.last) of \(FlagError.quoted(key.name))")
    }
  }

  private func append(_ batches: [JournalBatch], after position: JournalSequence) async throws {
    let result =
      if let claim = try await claims.claim(of: key) {
        await target.append([JournalKeyAppend(batches, to: key, after: position)], claim: claim)[0]
      } else {
        await target.append(batches, to: key, after: position)
      }
    if let failure = result.failure { throw failure }
  }

  /// The batches that the records were stored in; the last one has the wake time.
  static func batches(of records: [JournalRecord], wake: JournalWake) -> [JournalBatch] {
    var (batches, rest): ([JournalBatch], ArraySlice) = ([], records[...])
    while let first = rest.first {
      let batch = rest.prefix { $0.batch == first.batch }
      rest = rest.dropFirst(batch.count)
      batches.append(
        JournalBatch(
          id: first.batch, entries: batch.map(\.entry), time: first.copiedTime, wake: rest.isEmpty ? wake : .keep))
    }
    return batches
  }

  /// The first record that differs between the two journals; nil if none does.
  private func firstDifference(
    after start: JournalSequence, through end: JournalSequence
  ) async throws -> JournalSequence? {
    var (record, copy) = (RecordCursor(key, in: source, after: start), RecordCursor(key, in: target, after: start))
    var sequence = start
    while sequence < end {
      sequence = JournalSequence(sequence.number + 1)
      guard let record = try await record.next(), let copy = try await copy.next(), record.isCopied(by: copy) else {
        return sequence
      }
    }
    return nil
  }

  // MARK: What is there

  /// Checks that the log that is there is the beginning of this one.
  ///
  /// - Parameters:
  ///   - last: the end of the log that is there.
  ///   - removed: the last record that the log to copy does not have any longer.
  ///   - snapshot: the snapshot to copy.
  private func checkPresent(
    through last: JournalSequence, removed: JournalSequence, _ snapshot: JournalSnapshot?
  ) async throws {
    let found = try await target.snapshot(of: key)
    let removedThere = try await target.lastRemoved(of: key)
    if found?.isInitial == true, removedThere == last {
      throw Refusal(reason: "it was erased in \(places.target), where its log begins anew behind record \(last)")
    }
    let end = try await source.lastSequence(of: key)
    guard last <= end else {
      throw Refusal(
        reason:
          "its log in \(places.target) ends at record \(last), behind the end of this one at \(end); copy it to a place that does not have it"
      )
    }
    let start = max(removed, removedThere)
    // A copy that has begun behind removed records may have none yet, and one with a snapshot may have no others.
    let isBegun = last == start && (found?.isIncomplete == true || found != nil && found == snapshot)
    guard last > start || isBegun && last >= removed else {
      throw Refusal(
        reason:
          "its log in \(places.target) ends at record \(last), and the records from there on were removed, so the two cannot be compared; copy it to a place that does not have it"
      )
    }
    if let different = try await firstDifference(after: start, through: last) {
      throw Refusal(
        reason:
          "\(places.target) has another log of this name from record \(different) on; copy it to a place that does not have it"
      )
    }
  }

  /// Copies the snapshot unless a newer one is there; false if nothing is stored.
  private func copy(_ snapshot: JournalSnapshot?) async throws -> Bool {
    guard let snapshot else { return false }
    let found = try await target.snapshot(of: key)
    if found == snapshot { return false }
    if let found, !found.isIncomplete, found.sequence >= snapshot.sequence {
      guard found.sequence > snapshot.sequence else {
        throw Refusal(reason: "\(places.target) has another snapshot of it at record \(found.sequence)")
      }
      return false
    }
    try await target.store(snapshot, of: key)
    guard try await target.snapshot(of: key) == snapshot else {
      throw Refusal(
        reason: "its snapshot is another one when it is read back from \(places.target), so verify that journal")
    }
    return true
  }

  /// Compares the wake times, unless the service has appended records meanwhile.
  private func checkWake(_ end: JournalSequence) async throws {
    guard key.stores != nil else { return }
    let (wake, copy) = (try await source.wake(of: key), try await target.wake(of: key))
    guard wake != copy, try await source.lastSequence(of: key) == end else { return }
    throw Refusal(reason: "its wake time in \(places.target) is another one; stop the service, and repeat the copy")
  }
}

extension JournalWake {
  /// The change after which this time is stored.
  init(storedAs time: Int64?) {
    self =
      switch time {
      case nil: .never
      case 0?: .now
      case let time?: .at(time)
      }
  }
}
