import Millrace
import Synchronization

/// Stores the entries of one store in the journal, as many at once as wait, and the snapshots of its state.
///
/// Entries are encoded with the store's lock. A task stores them, and lives as long as entries wait; each snapshot is encoded and stored
/// by a task of its own.
final class JournalWriter<I: Interactor>: JournalSink where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Action = I.Action
  typealias Mutation = I.Mutation
  typealias State = I.State

  let gate: DurabilityGate
  let log: StoreLog<I>
  let logNames: String
  private let calls: JournalCalls
  private let epoch: JournalEpoch
  /// Whether the store is one of many, whose key has a wake time.
  private var isClaimed: Bool { log.key.stores != nil }
  /// In milliseconds since 1970.
  private let wallTime: @Sendable () -> Int64
  private let buffer: Lock<EntryBuffer>
  /// The runs that have not ended; only the holder of the store's lock changes them.
  private let runs: Lock<LoggedRuns>
  /// The open runs whose actions cannot be decoded, and the outcomes of actions that are sent with their keys.
  private let unreadable: [UnreadableRun]
  private let refused: [UTF8Text: KeyedResult]
  private let store = Lock<WeakStore>(WeakStore())
  private let didFail: @Sendable (JournalError) -> Void
  /// Whether a snapshot of this writer was decoded.
  private let hasCheckedSnapshot = Atomic(false)

  private struct WeakStore {
    weak var store: (any JournaledStore)?
  }

  private var options: JournalOptions { log.options }

  /// Creates the writer that continues a log.
  ///
  /// - Parameters:
  ///   - opened: The log after its opening.
  ///   - epoch: The epoch of the writer.
  ///   - gate: The gate of the store.
  ///   - wake: The wake time of a key whose state asks for it; nil for any other store.
  ///   - didFail: Called once nothing more is persisted.
  init(
    _ opened: LogOpening<I>, epoch: JournalEpoch, gate: DurabilityGate, wake: KeyWake? = nil,
    didFail: @escaping @Sendable (JournalError) -> Void = { _ in }
  ) {
    self.didFail = didFail
    log = opened.log
    logNames = opened.log.key.names
    calls = opened.calls.outlastingOutages(opened.log.options.didMissDeadline)
    self.epoch = epoch
    wallTime = opened.wallTime
    self.gate = gate
    let (restored, unreadable) = (opened.restored, opened.unreadable)
    gate.advance(to: DurabilityGate.restoredPosition, revision: restored.revision)
    runs = Lock(LoggedRuns(opened.runs.map(\.run) + unreadable.map(\.run)))
    self.unreadable = unreadable
    refused = Dictionary(
      unreadable.flatMap { run in run.run.sendersKeys.map { (UTF8Text($0), run.result) } }, uniquingKeysWith: { $1 })
    let limits = EntryBuffer.Limits(
      writer: opened.writer, largestBatch: log.journal.largestBatch, byteCount: log.options.bufferedBytes)
    buffer = Lock(
      EntryBuffer(
        after: restored.last, keys: restored.keys, growth: restored.growth, limits: limits,
        epoch: opened.epoch.map { (.epoch($0), restored.revision) }, wake: wake))
  }

  /// Sets the store, which is not held.
  func attach(to store: any JournaledStore) { self.store.withLock { $0.store = store } }

  /// Names a run that was open in the log by the id that its action has in this store.
  func name(_ run: UInt64, _ id: ActionID) { runs.withLock { $0.name(run, id) } }

  // MARK: With the store's lock

  var flushTime: Duration { options.deadline }

  func giveUp() -> any Error {
    buffer.withLock { buffer in
      let failure = buffer.failure ?? .notFlushed(log.key, buffer.items.count, within: options.deadline)
      buffer.failure = failure
      return failure
    }
  }

  func result(of key: String) -> KeyedResult? {
    if !refused.isEmpty, let result = refused[UTF8Text(key)] { return result }
    return buffer.withLock { $0.keys.result(of: key, at: wallTime()) }
  }

  func append(_ entry: StoreEntry<I.Action, I.Mutation>, in room: JournalRoom, after revision: Int) throws {
    // The program supplies the coder, so it runs without the locks of this writer.
    switch entry {
    case .decided(let mutations, let result):
      let results = result.map { RememberedResult.all(of: $0, at: wallTime()) }
      try add(.decided, DecidedHead(results: results), mutations, in: room, after: revision)
      if let result, let results { remember(results, result) }
    case .takenUp(let action, let id, let key, let recovery, let mutations):
      let head = TakeUpHead(action: action, key: key, recovery: recovery, time: wallTime())
      let entry = try log.entry(.takeUp, head, mutations, after: revision)
      let sequence = try add(entry, in: room, after: revision, wake: .now)
      let run = LoggedRun(
        sequence: sequence.number, takeUp: head.with(EncodedAction()), payload: entry.payload,
        schemaVersion: entry.schemaVersion)
      runs.withLock { $0.begin(run, id) }
    case .emitted(let mutation, let id):
      try add(.emit, EmitHead(run: takeUp(of: id)), .one(mutation), in: room, after: revision)
    case .step(let step?, let mutations, let id):
      let payload = StepPayload(step)
      let head = StepHead(run: takeUp(of: id), step: payload)
      let kind: JournalEntry.Kind = if case .due = step.content { .rest } else { .step }
      try add(kind, head, DecidedMutations(mutations), in: room, after: revision)
      runs.withLock { $0.add(payload, id) }
      if case .failure = step.content { buffer.withLock { $0.tally.failedSteps += 1 } }
    case .step(nil, let mutations, let id):
      try add(.emit, EmitHead(run: takeUp(of: id)), DecidedMutations(mutations), in: room, after: revision)
    case .joined(let id, let key, let leaves):
      let head = JoinedHead(run: takeUp(of: id), key: key, leaves: leaves, time: wallTime())
      try add(.joined, head, .none, in: room, after: revision)
      runs.withLock { $0.join(head) }
    case .ended(let id, let outcome, let closing, let result):
      let results = result.map { RememberedResult.all(of: $0, at: wallTime()) }
      let head = EndHead(run: takeUp(of: id), outcome: "\(outcome.kind)", results: results)
      let wake = runs.withLock { $0.isLast(id) } ? JournalWake(buffer.withLock { $0.wake?.asked }) : .keep
      try add(.end, head, closing.map { .one($0) } ?? .none, in: room, after: revision, wake: wake)
      runs.withLock { $0.end(id) }
      if let result, let results { remember(results, result) }
    case .resumed(let id, let deaths):
      // A key whose run rested is opened at once from now on.
      let wake: JournalWake = deaths == 0 ? .keep : .now
      try add(.resumed, ResumedHead(run: takeUp(of: id), count: deaths), .none, in: room, after: revision, wake: wake)
      runs.withLock { $0.setDeaths(deaths, of: id) }
    case .rests(let end):
      let wake = unreadable.isEmpty ? JournalWake(end) : .now
      try add(
        JournalEntry(kind: .mark, payload: [], schemaVersion: log.schema.version), in: room, after: revision, wake: wake
      )
    case .mark:
      try add(JournalEntry(kind: .mark, payload: [], schemaVersion: log.schema.version), in: room, after: revision)
    }
  }

  /// Encodes an entry, and buffers it until it is durable.
  @discardableResult
  private func add<Head: PayloadHead>(
    _ kind: JournalEntry.Kind, _ head: Head, _ mutations: DecidedMutations<I.Mutation>, in room: JournalRoom,
    after revision: Int, wake: JournalWake = .keep
  ) throws -> JournalSequence {
    try add(log.entry(kind, head, mutations, after: revision), in: room, after: revision, wake: wake)
  }

  /// Buffers an entry until it is durable, and returns its sequence.
  @discardableResult
  private func add(
    _ entry: JournalEntry, in room: JournalRoom, after revision: Int, wake: JournalWake = .keep
  ) throws -> JournalSequence {
    let time = wallTime()
    let wake = isClaimed ? wake : .keep
    let added = buffer.withLock { buffer in
      let wasCrowded = buffer.isCrowded
      defer { if buffer.isCrowded, !wasCrowded { gate.setCrowded(true) } }
      return Result { () throws(JournalError) in
        try buffer.add(entry, in: room, revision: entry.revision ?? revision, at: time, wake: wake)
      }
    }
    if let sequence = try added.get() { return sequence }
    if room == .admission { throw JournalFull() }
    throw JournalError.noRoom(log.key, limit: options.bufferedBytes)
  }

  private func remember(_ results: [RememberedResult], _ result: KeyedResult) {
    buffer.withLock { buffer in
      for remembered in results { buffer.keys.remember(remembered, result.rejectionError) }
    }
  }

  func hasStored(wake time: Int64?) -> Bool {
    !isClaimed || buffer.withLock { $0.hasStored(unreadable.isEmpty ? time : 0) }
  }

  func note(wake time: Int64?) {
    let hasOpenRuns = runs.withLock { !$0.isEmpty }
    buffer.withLock { $0.ask(time, hasOpenRuns: hasOpenRuns) }
  }

  func flush() -> Bool {
    let (begins, isDue) = buffer.withLock { buffer in
      buffer.makeReady()
      let begins = !buffer.isWriting && !buffer.items.isEmpty
      if begins { buffer.isWriting = true }
      return (begins, buffer.growth.isDue(options) && buffer.failure == nil)
    }
    if begins {
      let now = wallTime()
      buffer.withLock { $0.tally.handOver(now) }
      Task.detached { [self] in await write() }
    }
    return isDue
  }

  func loggedRun(of id: ActionID) -> (record: UInt64, deaths: Int)? {
    runs.withLock { $0.run(of: id).map { ($0.sequence, $0.resumed ?? 0) } }
  }

  var unreadableCount: Int { unreadable.count }
  var unreadableRuns: [OpenRun<I.Action>] {
    let now = unreadable.isEmpty ? 0 : wallTime()
    return unreadable.map { $0.open(at: now) }
  }

  var metrics: Metrics.Journal { buffer.withLock { $0.metrics } }

  /// The sequence of the take-up of an open run.
  private func takeUp(of run: ActionID) -> UInt64 { runs.withLock { $0.sequence(of: run) } }

  // MARK: Storing

  /// Stores everything that waits, until nothing does.
  private func write() async {
    while true {
      let now = wallTime()
      let items = buffer.withLock { buffer in
        let ready = buffer.ready
        buffer.isWriting = !ready.isEmpty && buffer.failure == nil
        buffer.tally.handOver(buffer.isWriting ? now : nil)
        return buffer.isWriting ? ready : []
      }
      if items.isEmpty { return }
      if let failure = await persist(items) { return fail(failure) }
    }
  }

  /// Persists entries, and waits while the journal is unavailable; returns the reason if they cannot be persisted.
  private func persist(_ items: ArraySlice<EntryBuffer.Item>) async -> JournalError? {
    var rest = items
    let elapsed = calls.stopwatch()
    let events = JournalCalls.Events(
      didFail: { [self] in buffer.withLock { $0.tally.isUnavailable = true } },
      giveUp: { [self] in buffer.withLock { $0.failure } },
      willRetry: { [self] in buffer.withLock { $0.tally.retries += 1 } })
    do throws(JournalError) {
      // Each entry is one record.
      try await calls.append(
        items.map(\.batch), after: buffer.withLock { $0.persisted }, events: events,
        didPersist: { count, _ in
          didPersist(rest.prefix(count), after: count == rest.count ? elapsed() : nil)
          rest = rest.dropFirst(count)
        })
      return nil
    } catch {
      return error
    }
  }

  /// Notes that entries are durable, before it resumes what waits for them.
  ///
  /// - Parameter time: The time of all entries that were handed over with these; nil if some are not durable yet.
  private func didPersist(_ persisted: ArraySlice<EntryBuffer.Item>, after time: Duration?) {
    guard let last = persisted.last else { return }
    let now = wallTime()
    let isRelieved = buffer.withLock { buffer in
      let wasCrowded = buffer.isCrowded
      buffer.didPersist(persisted, at: now, after: time)
      if wasCrowded, !buffer.isCrowded { gate.setCrowded(false) }
      return wasCrowded && !buffer.isCrowded
    }
    gate.advance(to: last.position, revision: last.revision)
    if isRelieved { store.withLock { $0.store }?.journalIsRelieved() }
  }

  /// Stops the store, and lets everything that waits fail; an append that is under way may still store a part of it.
  func fail(_ failure: JournalError) {
    buffer.withLock { $0.failure = failure }
    store.withLock { $0.store }?.journalHasFailed(failure)
    gate.fail(failure)
    didFail(failure)
  }

  // MARK: Snapshots

  func takeSnapshot(of value: I.State, revision: Int) {
    let runs = runs.withLock { $0 }
    let (keys, last, end) = buffer.withLock { buffer in
      buffer.growth.take()
      return (buffer.keys.results, buffer.last, buffer.position)
    }
    gate.whenDurable(position: end) { [self] failure in
      guard failure == nil else { return didTakeSnapshot() }
      Task.detached {
        let payload = SnapshotPayload(
          state: value, runs: runs.all.map { StoredRun($0) }, keys: keys.all, epoch: self.epoch)
        await self.persist(payload, at: last, revision: revision)
      }
    }
  }

  func takeLastSnapshot(of value: I.State, revision: Int, then work: @escaping @Sendable () -> Void) {
    let (isTaking, isCovered) = buffer.withLock { buffer in
      let (isTaking, isCovered) = (buffer.growth.isTaking, !buffer.growth.isDueAtEnd(options, isOneOfMany: isClaimed))
      if isTaking {
        buffer.afterSnapshot = { [self] in takeLastSnapshot(of: value, revision: revision, then: work) }
      } else if !isCovered {
        buffer.afterSnapshot = work
      }
      return (isTaking, isCovered)
    }
    if isTaking { return }
    if isCovered { return work() }
    takeSnapshot(of: value, revision: revision)
  }

  /// Stores a last snapshot of a key that hibernates, if the log has grown since the one before.
  func close(at snapshot: Snapshot<I.State>) async {
    await withUnsafeContinuation { continuation in
      takeLastSnapshot(of: snapshot.state, revision: snapshot.revision) { continuation.resume() }
    }
  }

  private func persist(_ payload: SnapshotPayload<I.State>, at sequence: JournalSequence, revision: Int) async {
    do throws(JournalError) {
      // What could be read once can be read later, as far as types and the coder go.
      let bytes = try log.encode(payload, isChecked: !hasCheckedSnapshot.load(ordering: .relaxed))
      hasCheckedSnapshot.store(true, ordering: .relaxed)
      let now = wallTime()
      let removed = try await log.persist(bytes, at: sequence, revision: revision, time: now)
      buffer.withLock { $0.didStoreSnapshot(bytes.count, at: now) }
      try await log.truncate(from: removed, through: sequence, time: now)
      didTakeSnapshot()
    } catch {
      didTakeSnapshot(error)
    }
  }

  /// Allows the next snapshot, reports an error that is not transient, and calls the closure that waits for this snapshot.
  private func didTakeSnapshot(_ error: JournalError? = nil) {
    let work = buffer.withLock { buffer in
      buffer.growth.didTake()
      defer { buffer.afterSnapshot = nil }
      return buffer.afterSnapshot
    }
    if let error, !error.isTransient { store.withLock { $0.store }?.journalTookNoSnapshot(error) }
    work?()
  }
}
