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

  let gate: DurabilityGate
  private let log: StoreLog<I>
  private let clock: any Clock<Duration>
  private let epoch: JournalEpoch
  private let buffer: Lock<EntryBuffer>
  /// The runs that have not ended; only the holder of the store's lock changes them.
  private let runs = Lock<[ActionID: OpenRun<I.Action>]>([:])
  private let store = Lock<WeakStore>(WeakStore())

  private struct WeakStore {
    weak var store: (any JournaledStore)?
  }

  private var options: JournalOptions { log.options }

  /// Makes the writer that continues a log.
  ///
  /// - Parameter number: The number that the writer drew when it opened the log.
  init(
    _ log: StoreLog<I>, after restored: Restoration<I>, number: UInt64, epoch: JournalEpoch, clock: any Clock<Duration>
  ) {
    self.log = log
    self.clock = clock
    self.epoch = epoch
    gate = DurabilityGate(restored: restored.revision)
    let limits = EntryBuffer.Limits(
      writer: number, largestBatch: log.journal.largestBatch, byteCount: log.options.bufferedBytes)
    buffer = Lock(EntryBuffer(after: restored.last, keys: restored.keys, growth: restored.growth, limits: limits))
  }

  /// Sets the store, which is not held.
  func attach(to store: any JournaledStore) { self.store.withLock { $0.store = store } }

  /// Notes an open run, which emits and ends refer to, and which snapshots have.
  func note(_ run: OpenRun<I.Action>, of id: ActionID) { runs.withLock { $0[id] = run } }

  // MARK: With the store's lock

  var isCrowded: Bool { buffer.withLock { $0.isCrowded } }

  var flushTime: Duration { options.deadline }

  func giveUp() -> any Error {
    buffer.withLock { buffer in
      let failure = buffer.failure ?? .notFlushed(log.key, buffer.items.count, within: options.deadline)
      buffer.failure = failure
      return failure
    }
  }

  func result(of key: String) -> KeyedResult? { buffer.withLock { $0.keys.result(of: key, at: WallTime.now) } }

  func append(_ entry: StoreEntry<I.Action, I.Mutation>, after revision: Int) throws {
    // The program supplies the coder, so it runs without the locks of this writer.
    switch entry {
    case .decided(let mutations, let result):
      let results = result.map(RememberedResult.all(of:))
      try add(log.entry(.decided, DecidedHead(results: results), mutations, after: revision), after: revision)
      if let result, let results { remember(results, result) }
    case .takenUp(let action, let id, let key, let handlesAgain, let mutations):
      let head = TakeUpHead(action: action, key: key.text, isSendersKey: key.isSenders, handlesAgain: handlesAgain)
      let sequence = try add(log.entry(.takeUp, head, mutations, after: revision), after: revision)
      note(OpenRun(sequence: sequence.number, takeUp: head), of: id)
    case .emitted(let mutation, let id):
      try add(log.entry(.emit, EmitHead(run: takeUp(of: id)), .one(mutation), after: revision), after: revision)
    case .ended(let id, let outcome, let closing, let result):
      let results = result.map(RememberedResult.all(of:))
      let head = EndHead(run: takeUp(of: id), outcome: "\(outcome.kind)", results: results)
      try add(log.entry(.end, head, closing.map { .one($0) } ?? .none, after: revision), after: revision)
      runs.withLock { $0[id] = nil }
      if let result, let results { remember(results, result) }
    case .mark:
      try add(JournalEntry(kind: .mark, payload: [], schemaVersion: log.schema.version), after: revision)
    }
  }

  /// Keeps an entry until it is stored, and returns its sequence.
  @discardableResult
  private func add(_ entry: JournalEntry, after revision: Int) throws(JournalError) -> JournalSequence {
    let added = buffer.withLock { buffer in
      Result { () throws(JournalError) in try buffer.add(entry, revision: entry.revision ?? revision) }
    }
    if let sequence = try added.get() { return sequence }
    let failure = JournalError.bufferFull(log.key, limit: options.bufferedBytes)
    buffer.withLock { $0.failure = failure }
    // This thread holds the store's lock, and a store is stopped without it.
    Task.detached { [self] in fail(failure) }
    throw failure
  }

  private func remember(_ results: [RememberedResult], _ result: KeyedResult) {
    buffer.withLock { buffer in
      for remembered in results { buffer.keys.remember(remembered, result.rejectionError) }
    }
  }

  func flush() -> Bool {
    let (begins, isDue) = buffer.withLock { buffer in
      let begins = !buffer.isWriting && !buffer.items.isEmpty
      if begins { buffer.isWriting = true }
      return (begins, buffer.growth.isDue(options) && buffer.failure == nil)
    }
    if begins { Task.detached { [self] in await write() } }
    return isDue
  }

  /// The sequence of the take-up of an open run.
  private func takeUp(of run: ActionID) -> UInt64 { runs.withLock { $0[run]?.sequence ?? 0 } }

  // MARK: Storing

  /// Stores everything that waits, until nothing does.
  private func write() async {
    while true {
      let items = buffer.withLock { buffer in
        buffer.isWriting = !buffer.items.isEmpty && buffer.failure == nil
        return buffer.isWriting ? buffer.items : []
      }
      if items.isEmpty { return }
      if let failure = await store(items) { return fail(failure) }
    }
  }

  /// Stores entries, and waits while the journal is unavailable; returns the reason if they cannot be stored.
  private func store(_ items: [EntryBuffer.Item]) async -> JournalError? {
    let (journal, key) = (log.journal, log.key)
    var rest = items[...]
    var (pause, waited) = (Duration.milliseconds(10), Duration.zero)
    while !rest.isEmpty {
      // Each entry is one record.
      let last = buffer.withLock { $0.stored }
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
      if let failure = buffer.withLock({ $0.failure }) { return failure }
      if waited >= options.deadline { return .deadline(key, options.deadline, failure) }
      try? await clock.sleep(for: pause)
      waited += pause
      pause = min(pause * 2, .seconds(1))
    }
    return nil
  }

  private func didStore(_ stored: ArraySlice<EntryBuffer.Item>) {
    guard let last = stored.last else { return }
    let isRelieved = buffer.withLock { $0.didStore(stored) }
    gate.advance(to: last.position, revision: last.revision)
    if isRelieved { store.withLock { $0.store }?.journalIsRelieved() }
  }

  /// Stops the store, and lets everything that waits fail; an append that is under way may still store a part of it.
  private func fail(_ failure: JournalError) {
    buffer.withLock { $0.failure = failure }
    store.withLock { $0.store }?.journalHasFailed(failure)
    gate.fail(failure)
  }

  // MARK: Snapshots

  func takeSnapshot(of value: I.State, revision: Int) {
    let runs = runs.withLock { $0 }
    let (keys, last, end) = buffer.withLock { buffer in
      buffer.growth.take()
      return (buffer.keys.results, buffer.last, buffer.position)
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
    let (isTaking, isCovered) = buffer.withLock { buffer in
      let (isTaking, isCovered) = (buffer.growth.isTaking, buffer.growth.records == 0)
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

  private func store(_ payload: SnapshotPayload<I.Action, I.State>, at sequence: JournalSequence, revision: Int) async {
    do {
      didTakeSnapshot(try await log.store(payload, at: sequence, revision: revision))
    } catch {
      didTakeSnapshot(nil, error)
    }
  }

  /// Lets the next snapshot be taken, reports an error that is not transient, and calls the closure that waits for this snapshot.
  private func didTakeSnapshot(_ size: Int?, _ error: JournalError? = nil) {
    let work = buffer.withLock { buffer in
      buffer.growth.didTake(size)
      defer { buffer.afterSnapshot = nil }
      return buffer.afterSnapshot
    }
    if let error, !error.isTransient { store.withLock { $0.store }?.journalTookNoSnapshot(error) }
    work?()
  }
}
