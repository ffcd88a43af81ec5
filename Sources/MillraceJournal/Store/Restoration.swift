import Millrace

/// The state of a store that is being restored, and the runs that were open.
struct Restoration<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  let log: StoreLog<I>
  private let initial: I.State
  private(set) var state: I.State
  private(set) var revision = 0
  private(set) var last = JournalSequence.start
  private(set) var keys: IdempotencyTable
  private(set) var growth = LogGrowth()
  private var open: [UInt64: TakeUpHead<I.Action>] = [:]

  init(_ initial: I.State, from log: StoreLog<I>) {
    self.log = log
    self.initial = initial
    state = initial
    keys = IdempotencyTable(log.options)
  }

  /// The open runs in the order in which their actions were taken up.
  var openRuns: [OpenRun<I.Action>] {
    open.map { OpenRun(sequence: $0.key, takeUp: $0.value) }.sorted { $0.sequence < $1.sequence }
  }

  // MARK: Reading

  /// Reads the newest snapshot and the records behind it; when called again, the records that were appended meanwhile.
  ///
  /// - Throws: ``JournalError``.
  mutating func readOn(_ progress: (@Sendable (JournalProgress) -> Void)?) async throws(JournalError) {
    if last == .start { try await readSnapshot() }
    while true {
      let page: JournalPage
      do {
        page = try await log.journal.records(of: log.key, after: last)
      } catch  where error.code == .truncated {
        // An earlier writer has taken a snapshot meanwhile.
        let before = last
        try await readSnapshot()
        if last <= before { throw error }
        continue
      }
      for record in page.records { try apply(record) }
      progress?(JournalProgress(sequence: last, last: page.last))
      if last >= page.last { return }
    }
  }

  private mutating func readSnapshot() async throws(JournalError) {
    guard let snapshot = try await log.journal.snapshot(of: log.key) else { return }
    let payload: SnapshotPayload<I.Action, I.State>
    do {
      payload = try log.schema.state(of: snapshot, log.options.coder)
    } catch {
      // The whole log tells the same, if it is there.
      let unreadable = JournalError.unreadableSnapshot(log.key, snapshot, error.reason)
      do {
        _ = try await log.journal.records(of: log.key, after: .start, upTo: 1)
      } catch  where error.code == .truncated {
        throw unreadable
      }
      self = Restoration(initial, from: log)
      return
    }
    self = Restoration(payload.state, from: log)
    (revision, last) = (snapshot.revision, snapshot.sequence)
    for run in payload.runs { open[run.sequence] = run.takeUp }
    for result in payload.keys { keys.remember(result) }
  }

  /// Applies a record.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence if it cannot be read.
  private mutating func apply(_ record: JournalRecord) throws(JournalError) {
    switch record.entry.kind {
    case .epoch, .mark: break
    case .decided:
      let payload = try log.payload(DecidedHead.self, of: record)
      reduce(payload.mutations)
      remember(payload.head.results)
    case .takeUp:
      let payload = try log.payload(TakeUpHead<I.Action>.self, of: record)
      open[record.sequence.number] = payload.head
      reduce(payload.mutations)
    case .emit: reduce(try log.payload(EmitHead.self, of: record).mutations)
    case .end:
      let payload = try log.payload(EndHead.self, of: record)
      open[payload.head.run] = nil
      reduce(payload.mutations)
      remember(payload.head.results)
    default:
      throw .unreadable(
        log.key, at: record.sequence, "this version knows no entry of the \(record.entry.kind)")
    }
    if let expected = record.entry.revision, expected != revision {
      throw .unreadable(
        log.key, at: record.sequence, "it leads to the revision \(revision) and not to \(expected)")
    }
    growth.add(record.entry)
    last = record.sequence
  }

  private mutating func remember(_ results: [RememberedResult]?) {
    for result in results ?? [] { keys.remember(result) }
  }

  private mutating func reduce(_ mutations: [I.Mutation]) {
    for mutation in mutations { I.reduce(into: &state, mutation: mutation) }
    revision += mutations.count
  }

  // MARK: Appending

  /// Ends a run as abandoned, and returns the entry; without the closing mutation if the journal does not take that.
  ///
  /// - Parameter lost: Called with the reason for which the closing mutation is left out.
  /// - Throws: ``JournalError`` if the end cannot be encoded at all.
  mutating func abandon(
    _ run: OpenRun<I.Action>, closing: I.Mutation?, lost: (JournalError) -> Void
  ) throws(JournalError) -> JournalEntry {
    let head = EndHead(run: run.sequence, outcome: "\(Outcome.Kind.abandoned)", results: nil)
    open[run.sequence] = nil
    if let closing {
      do throws(JournalError) {
        let entry = try log.entry(.end, head, .one(closing), after: revision)
        let batch = JournalBatch(id: .init(writer: 0, number: 0), entries: [entry])
        let largest = log.journal.largestBatch
        guard batch.byteCount <= largest else { throw JournalError.tooLarge(batch, limit: largest) }
        reduce([closing])
        return entry
      } catch {
        lost(error)
      }
    }
    return try log.entry(.end, head, .none, after: revision)
  }

  /// Continues behind entries that were stored.
  mutating func didStore(_ entries: [JournalEntry], through sequence: JournalSequence) {
    for entry in entries { growth.add(entry) }
    last = sequence
  }
}
