import Foundation
import Millrace

/// Stores the entries of one store in the journal, as many at once as wait, and the snapshots of its state.
///
/// Entries are encoded with the store's lock. A task stores them, and lives as long as entries wait; each snapshot is encoded and stored
/// by a task of its own.
final class JournalWriter<I: Interactor>: JournalSink where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Action = I.Action
  typealias Mutation = I.Mutation
  typealias State = I.State

  private struct Content {
    var waiting: [WaitingEntry] = []
    var bytes = 0
    /// The last sequence that an entry has, stored or not.
    var last: JournalSequence
    var position = DurabilityGate.restoredPosition
    var batches: UInt64 = 0
    /// The runs that have not ended.
    var runs: [ActionID: OpenRun<I.Action>] = [:]
    var keys: IdempotencyTable
    var growth: LogGrowth
    /// Called when the snapshot that is being taken is stored, or cannot be.
    var afterSnapshot: (@Sendable () -> Void)?
    var isWriting = false
    var failure: JournalError?
  }

  let gate: DurabilityGate
  private let log: StoreLog<I>
  private let clock: any Clock<Duration>
  /// The number that this writer drew when it opened the log.
  private let number: UInt64
  private let epoch: JournalEpoch
  private let content: Lock<Content>
  private let store = Lock<WeakStore>(WeakStore())

  private struct WeakStore {
    weak var store: (any JournaledStore)?
  }

  private var options: JournalOptions { log.options }

  /// Makes the writer that continues a log.
  init(
    _ log: StoreLog<I>, after restored: Restoration<I>, number: UInt64, epoch: JournalEpoch, clock: any Clock<Duration>
  ) {
    self.log = log
    self.clock = clock
    self.number = number
    self.epoch = epoch
    gate = DurabilityGate(restored: restored.revision)
    content = Lock(Content(last: restored.last, keys: restored.keys, growth: restored.growth))
  }

  /// Sets the store, which is not held.
  func attach(to store: any JournaledStore) { self.store.withLock { $0.store = store } }

  /// Names a run that is handled again.
  func adopt(_ id: ActionID, _ run: OpenRun<I.Action>) { content.withLock { $0.runs[id] = run } }

  // MARK: With the store's lock

  var isCrowded: Bool { content.withLock { $0.bytes >= options.bufferedBytes / 2 } }

  var flushTime: Duration { options.deadline }

  func giveUp() -> any Error {
    content.withLock { content in
      let failure = content.failure ?? .notFlushed(log.key, content.waiting.count, within: options.deadline)
      content.failure = failure
      return failure
    }
  }

  func result(of key: String) -> KeyedResult? { content.withLock { $0.keys.result(of: key, at: WallTime.now) } }

  func append(_ entry: StoreEntry<I.Action, I.Mutation>, after revision: Int) throws {
    let results = entry.result.map { result in
      let now = WallTime.now
      return result.keys.map { RememberedResult(result, of: $0, at: now) }
    }
    // The program supplies the coder, so it runs without this writer's lock; only the holder of the store's lock appends.
    let (made, mutations) = try encode(entry, results, after: revision)
    let isFull = try content.withLock { content in
      if let failure = content.failure { throw failure }
      let batch = JournalBatch(id: .init(writer: number, number: content.batches + 1), entries: [made])
      let largest = log.journal.largestBatch
      if batch.byteCount > largest { throw JournalError.tooLarge(batch, limit: largest) }
      if content.bytes + batch.byteCount > options.bufferedBytes { return true }
      content.batches += 1
      content.position += 1
      content.last = content.last.advanced(by: 1)
      content.bytes += batch.byteCount
      content.growth.add(made)
      content.waiting.append(WaitingEntry(batch: batch, position: content.position, revision: revision + mutations))
      for result in results ?? [] { content.keys.remember(result, entry.result?.rejectionError) }
      switch entry {
      case .takenUp(let action, let id, let key, let handlesAgain, _):
        let takeUp = TakeUpHead(
          action: action, key: key.text, isSendersKey: key.isSenders, handlesAgain: handlesAgain)
        content.runs[id] = OpenRun(sequence: content.last.number, takeUp: takeUp)
      case .ended(let id, _, _, _): content.runs[id] = nil
      case .decided, .emitted, .mark: break
      }
      return false
    }
    guard isFull else { return }
    let failure = JournalError.bufferFull(log.key, limit: options.bufferedBytes)
    content.withLock { $0.failure = failure }
    // This thread holds the store's lock, and a store is stopped without it.
    Task.detached { [self] in fail(failure) }
    throw failure
  }

  func flush() -> Bool {
    let (begins, isDue) = content.withLock { content in
      let begins = !content.isWriting && !content.waiting.isEmpty
      if begins { content.isWriting = true }
      return (begins, content.growth.isDue(options) && content.failure == nil)
    }
    if begins { Task.detached { [self] in await write() } }
    return isDue
  }

  private func encode(
    _ entry: StoreEntry<I.Action, I.Mutation>, _ results: [RememberedResult]?, after revision: Int
  ) throws -> (JournalEntry, mutations: Int) {
    func make(
      _ kind: JournalEntry.Kind, _ head: some Codable, _ mutations: [I.Mutation]
    ) throws -> (JournalEntry, mutations: Int) {
      (try log.entry(kind, head, mutations, after: revision), mutations.count)
    }
    switch entry {
    case .decided(let mutations, _): return try make(.decided, DecidedHead(results: results), mutations.all)
    case .takenUp(let action, _, let key, let handlesAgain, let mutations):
      let head = TakeUpHead(action: action, key: key.text, isSendersKey: key.isSenders, handlesAgain: handlesAgain)
      return try make(.takeUp, head, mutations.all)
    case .emitted(let mutation, let id): return try make(.emit, EmitHead(run: takeUp(of: id)), [mutation])
    case .ended(let id, let outcome, let closing, _):
      let head = EndHead(run: takeUp(of: id), outcome: "\(outcome.kind)", results: results)
      return try make(.end, head, closing.map { [$0] } ?? [])
    case .mark: return (JournalEntry(kind: .mark, payload: [], schemaVersion: log.schema.version), 0)
    }
  }

  /// The sequence of the take-up of an open run.
  private func takeUp(of run: ActionID) -> UInt64 { content.withLock { $0.runs[run]?.sequence ?? 0 } }

  // MARK: Storing

  /// Stores everything that waits, until nothing does.
  private func write() async {
    while true {
      let waiting = content.withLock { content in
        content.isWriting = !content.waiting.isEmpty && content.failure == nil
        return content.isWriting ? content.waiting : []
      }
      if waiting.isEmpty { return }
      if let failure = await store(waiting) { return fail(failure) }
    }
  }

  /// Stores entries, and waits while the journal is unavailable; returns the reason if they cannot be stored.
  private func store(_ waiting: [WaitingEntry]) async -> JournalError? {
    let (journal, key) = (log.journal, log.key)
    var rest = waiting[...]
    var (pause, waited) = (Duration.milliseconds(10), Duration.zero)
    while !rest.isEmpty {
      // Each entry is one record.
      let last = content.withLock { JournalSequence($0.last.number - UInt64($0.waiting.count)) }
      let result = await journal.append(rest.map(\.batch), to: key, after: last)
      didStore(rest.prefix(result.stored))
      rest = rest.dropFirst(result.stored)
      guard let failure = result.failure else { continue }
      guard failure.isTransient else { return failure }
      if failure.code == .unknown, let first = rest.first {
        do {
          if try await journal.batch(first.batch.id, of: key, after: last.advanced(by: result.stored)) != nil {
            didStore(rest.prefix(1))
            rest = rest.dropFirst()
            continue
          }
        } catch  where !error.isTransient {
          return error
        } catch {}
      }
      if let failure = content.withLock({ $0.failure }) { return failure }
      if waited >= options.deadline { return .deadline(key, options.deadline, failure) }
      try? await clock.sleep(for: pause)
      waited += pause
      pause = min(pause * 2, .seconds(1))
    }
    return nil
  }

  private func didStore(_ stored: ArraySlice<WaitingEntry>) {
    guard let last = stored.last else { return }
    let limit = options.bufferedBytes / 2
    let isRelieved = content.withLock { content in
      let before = content.bytes
      content.bytes -= stored.reduce(0) { $0 + $1.batch.byteCount }
      content.waiting.removeFirst(stored.count)
      return before >= limit && content.bytes < limit
    }
    gate.advance(to: last.position, revision: last.revision)
    if isRelieved { store.withLock { $0.store }?.journalIsRelieved() }
  }

  /// Stops the store, and lets everything that waits fail; an append that is under way may still store a part of it.
  private func fail(_ failure: JournalError) {
    content.withLock { $0.failure = failure }
    store.withLock { $0.store }?.journalHasFailed(failure)
    gate.fail(failure)
  }

  // MARK: Snapshots

  func takeSnapshot(of value: I.State, revision: Int) {
    let (runs, keys, last, end) = content.withLock { content in
      content.growth.take()
      return (content.runs, content.keys.results, content.last, content.position)
    }
    gate.whenDurable(position: end) { [self] failure in
      guard failure == nil else { return didTakeSnapshot(nil) }
      Task.detached {
        let payload = SnapshotPayload(
          state: value, runs: runs.values.sorted { $0.sequence < $1.sequence }, keys: keys.all, epoch: self.epoch)
        await self.store(payload, at: last, revision: revision)
      }
    }
  }

  func takeLastSnapshot(of value: I.State, revision: Int, then work: @escaping @Sendable () -> Void) {
    let isTaking = content.withLock { content in
      if content.growth.isTaking {
        // It may cover all records.
        content.afterSnapshot = { [self] in takeLastSnapshot(of: value, revision: revision, then: work) }
      }
      return content.growth.isTaking
    }
    if isTaking { return }
    if content.withLock({ $0.growth.records == 0 }) { return work() }
    content.withLock { $0.afterSnapshot = work }
    takeSnapshot(of: value, revision: revision)
  }

  private func store(_ payload: SnapshotPayload<I.Action, I.State>, at sequence: JournalSequence, revision: Int) async {
    do {
      didTakeSnapshot(try await log.store(payload, at: sequence, revision: revision))
    } catch {
      // After a transient error the next snapshot is due as usual.
      if !error.isTransient { store.withLock { $0.store }?.journalTookNoSnapshot(error) }
      didTakeSnapshot(nil)
    }
  }

  private func didTakeSnapshot(_ size: Int?) {
    let work = content.withLock { content in
      content.growth.didTake(size)
      defer { content.afterSnapshot = nil }
      return content.afterSnapshot
    }
    work?()
  }
}

/// An entry that waits to be stored; not a type in the writer, whose type would be looked up for each entry.
private struct WaitingEntry {
  let batch: JournalBatch
  /// The position of the entry in the store, and the revision behind it.
  let position: Int
  let revision: Int
}

extension StoreEntry {
  /// The result that the entry remembers.
  fileprivate var result: KeyedResult? {
    switch self {
    case .decided(_, let result), .ended(_, _, _, let result): result
    case .takenUp, .emitted, .mark: nil
    }
  }
}

extension DecidedMutations {
  fileprivate var all: [Mutation] {
    switch self {
    case .none: []
    case .one(let mutation): [mutation]
    case .many(let mutations): mutations
    }
  }
}
