import Millrace
import MillraceEntries

/// The state of a store that is being restored, and the runs that were open.
struct Restoration<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  let log: StoreLog<I>
  private let initial: I.State
  private(set) var state: I.State
  private(set) var revision = 0
  private(set) var last = JournalSequence.start
  /// The wall time of that record; nil if it was not read, or has none.
  private(set) var lastTime: Int64?
  private(set) var keys: IdempotencyTable
  private(set) var growth = LogGrowth()
  /// The newest version of the schema that the snapshot or a record has.
  private(set) var newestVersion = 1
  /// The events that the records were applied with; nil unless ``keepHistory()`` was called.
  private(set) var history: LoggedHistory<I.Action, I.Mutation, I.State>?
  /// The initial state of the newest writer; nil unless the state is the fold from the initial one.
  private(set) var foundInitial: InitialState?
  private var open: [UInt64: LoggedRun] = [:]
  /// The reasons for which actions of open runs are lost, by the sequences of their take-ups.
  private var lost: [UInt64: String] = [:]
  private var beginsWithInitial = true

  init(_ initial: I.State, from log: StoreLog<I>) {
    self.log = log
    self.initial = initial
    state = initial
    keys = IdempotencyTable(log.options)
  }

  /// Decodes the actions of the open runs, in the order in which they were taken up.
  ///
  /// - Returns: the runs whose actions can be decoded, and the others with the reasons.
  /// - Throws: ``JournalError`` with the sequence of a take-up whose action the snapshot of an earlier version of the library has in a schema
  ///   without a step: it would be lost with the next snapshot.
  func openRuns() throws(JournalError) -> (readable: [ReadableRun<I.Action>], unreadable: [UnreadableRun]) {
    var (readable, unreadable): ([ReadableRun<I.Action>], [UnreadableRun]) = ([], [])
    for run in loggedRuns {
      if let reason = lost[run.sequence] {
        throw .unreadableAction(log.key, run.sequence, version: run.schemaVersion, of: log.schema.version, reason)
      }
      do throws(JournalError) {
        readable.append(ReadableRun(run: run, action: try log.action(of: run)))
      } catch {
        unreadable.append(UnreadableRun(run: run, reason: error))
      }
    }
    return (readable, unreadable)
  }

  /// The open runs, in the order in which they were taken up.
  var loggedRuns: [LoggedRun] { open.values.sorted { $0.sequence < $1.sequence } }

  // MARK: Reading

  /// Reads the newest snapshot and the records behind it; when called again, the records that were appended meanwhile.
  ///
  /// - Parameters:
  ///   - end: The last record to read; nil to read the log to its end.
  ///   - prefersRecords: Whether the snapshot is read only if the records before it were removed.
  /// - Throws: ``JournalError``.
  mutating func readOn(
    _ calls: JournalCalls, _ progress: (@Sendable (JournalProgress) -> Void)?, through end: JournalSequence? = nil,
    prefersRecords: Bool = false
  ) async throws(JournalError) {
    if last == .start, !prefersRecords, let known = try await readBeginning(calls, through: end) {
      // A key that hibernated has no record behind its snapshot, and one without a log no record at all.
      guard known >= last else { throw .snapshotBeyondLog(log.key, last, last: known) }
      if last >= min(known, end ?? known) {
        progress?(JournalProgress(sequence: last, last: known))
        return
      }
    }
    while true {
      let page: JournalPage
      do {
        page = try await calls.read { [last] journal, key throws(JournalError) in
          try await journal.records(of: key, after: last)
        }
      } catch  where error.code == .truncated {
        // An earlier writer has taken a snapshot meanwhile.
        let before = last
        _ = try await readBeginning(calls, through: end)
        if last <= before { throw error }
        continue
      }
      guard page.last >= last else { throw .snapshotBeyondLog(log.key, last, last: page.last) }
      let before = last
      for record in page.records where end.map({ record.sequence <= $0 }) ?? true { try apply(record) }
      progress?(JournalProgress(sequence: last, last: page.last))
      if last >= min(page.last, end ?? page.last) { return }
      if last == before { throw .corrupt(log.key, at: last.advanced(by: 1)) }
    }
  }

  /// Begins with the newest snapshot, unless it is behind the last record to read; returns the end of the log if the engine has read it, too.
  private mutating func readBeginning(
    _ calls: JournalCalls, through end: JournalSequence?
  ) async throws(JournalError) -> JournalSequence? {
    let found = try await calls.read { journal, key throws(JournalError) in try await journal.beginning(of: key) }
    if let snapshot = found.snapshot, snapshot.sequence <= end ?? snapshot.sequence {
      try await begin(with: snapshot, calls)
    }
    return found.last
  }

  private mutating func begin(with snapshot: JournalSnapshot, _ calls: JournalCalls) async throws(JournalError) {
    let keepsHistory = history != nil
    defer { if keepsHistory { keepHistory() } }
    if snapshot.isInitial {
      self = Restoration(initial, from: log)
      last = snapshot.sequence
      return
    }
    let (payload, runs): (SnapshotPayload<I.State>, (runs: [LoggedRun], unreadable: [UInt64: String]))
    do {
      payload = try log.schema.snapshot(snapshot, log.options.coder)
      runs = try log.openRuns(of: payload, in: snapshot)
    } catch {
      let reason = (error as? StoreSchema<I>.Unreadable)?.reason ?? DecodingReason.text(of: error)
      // The whole log tells the same, if it is there.
      let unreadable = JournalError.unreadableSnapshot(log.key, snapshot, reason)
      do {
        _ = try await calls.read { journal, key throws(JournalError) in
          try await journal.records(of: key, after: .start, upTo: 1)
        }
      } catch  where error.code == .truncated {
        throw unreadable
      }
      self = Restoration(initial, from: log)
      return
    }
    self = Restoration(payload.state, from: log)
    (revision, last, beginsWithInitial) = (snapshot.revision, snapshot.sequence, false)
    growth.didStore(snapshot.payload.count)
    newestVersion = snapshot.schemaVersion
    for run in runs.runs { open[run.sequence] = run }
    lost = runs.unreadable
    try remember(payload.keys)
  }

  /// Keeps the events of the records that are applied from now on.
  mutating func keepHistory() { history = LoggedHistory(start: state, revision: revision) }

  /// Applies a record.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence if it cannot be read.
  private mutating func apply(_ record: JournalRecord) throws(JournalError) {
    switch record.entry.kind {
    case .mark: break
    case .epoch:
      // An epoch that cannot be read has no initial state to compare with.
      if beginsWithInitial { foundInitial = try? record.epoch(of: log.key)?.initial }
    case .decided:
      let payload = try log.payload(DecidedHead.self, of: record)
      reduce(payload.mutations, record)
      try remember(payload.head.results ?? [])
    case .takeUp:
      let payload = try log.payload(TakeUpHead<EncodedAction>.self, of: record)
      let run = LoggedRun(
        sequence: record.sequence.number, takeUp: payload.head, payload: record.entry.payload,
        schemaVersion: record.entry.schemaVersion)
      open[run.sequence] = run
      // An action without a step in the schema is left out of the history.
      if history != nil, let action = try? log.action(of: run) { history?.add(.action(action), record) }
      reduce(payload.mutations, record)
    case .resumed:
      let head = try log.payload(ResumedHead.self, of: record).head
      open[head.run]?.resumed = head.count
    case .step, .rest:
      let payload = try log.payload(StepHead.self, of: record)
      open[payload.head.run]?.add(payload.head.step)
      history?.add(payload.head.step, record, payload.head.run)
      reduce(payload.mutations, record, payload.head.run)
    case .joined:
      let head = try log.payload(JoinedHead.self, of: record).head
      open[head.run]?.join(head)
    case .emit:
      let payload = try log.payload(EmitHead.self, of: record)
      reduce(payload.mutations, record, payload.head.run)
    case .end:
      let payload = try log.payload(EndHead.self, of: record)
      open[payload.head.run] = nil
      reduce(payload.mutations, record, payload.head.run)
      history?.add(.end(outcome: payload.head.outcome), record, payload.head.run)
      try remember(payload.head.results ?? [])
    case let kind where kind.maySkip: break
    default:
      throw .unreadable(
        log.key, at: record.sequence, "this version knows no entry of the \(record.entry.kind)")
    }
    if let expected = record.entry.revision, expected != revision {
      throw .unreadable(
        log.key, at: record.sequence, "it leads to the revision \(revision) and not to \(expected)")
    }
    growth.add(record.entry)
    newestVersion = max(newestVersion, record.entry.schemaVersion)
    (last, lastTime) = (record.sequence, record.time)
  }

  private mutating func remember(_ results: [RememberedResult]) throws(JournalError) {
    for result in results {
      guard result.isPossible(at: revision) else {
        throw .unreadable(
          log.key, at: last.advanced(by: 1), "an idempotency key has a result with revisions that the log does not have"
        )
      }
      keys.remember(result)
    }
  }

  /// Applies the mutations of a record.
  ///
  /// - Parameter run: The take-up of their run; nil for the record itself.
  private mutating func reduce(_ mutations: [I.Mutation], _ record: JournalRecord, _ run: UInt64? = nil) {
    reduce(mutations)
    if history != nil {
      for mutation in mutations { history?.add(.mutation(mutation), record, run) }
    }
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
    _ run: LoggedRun, closing: I.Mutation?, lost: (JournalError) -> Void
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

  /// Continues behind entries that were persisted.
  mutating func didPersist(_ entries: ArraySlice<JournalEntry>, through sequence: JournalSequence) {
    for entry in entries { growth.add(entry) }
    last = sequence
  }
}
