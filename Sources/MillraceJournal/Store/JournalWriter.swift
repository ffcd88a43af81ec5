import Foundation
import Millrace
import MillraceEntries

/// Stores the entries of one store in the journal, as many at once as wait.
///
/// Entries are encoded with the store's lock. A task stores them, and lives as long as entries wait.
final class JournalWriter<Action: Codable & Sendable, Mutation: Codable & Sendable>: JournalSink {
  private struct Waiting {
    let batch: JournalBatch
    /// The position of the entry in the store, and the revision behind it.
    let position: Int
    let revision: Int
  }

  private struct State {
    var waiting: [Waiting] = []
    var bytes = 0
    /// The last sequence that an entry has, stored or not.
    var last: JournalSequence
    var position = DurabilityGate.restoredPosition
    var batches: UInt64 = 0
    /// The sequences of the take-ups of open runs.
    var runs: [ActionID: JournalSequence] = [:]
    var isWriting = false
    var failure: JournalError?
  }

  let gate: DurabilityGate
  private let journal: any Journal
  private let key: JournalKey
  private let options: JournalOptions
  private let clock: any Clock<Duration>
  /// The number of this writer among those of the key.
  private let number: UInt64
  private let state: Lock<State>
  private let store = Lock<WeakStore>(WeakStore())

  private struct WeakStore {
    weak var store: (any JournaledStore)?
  }

  /// - Parameters:
  ///   - last: The last sequence of the log.
  ///   - revision: The revision of the restored state.
  init(
    _ journal: any Journal, key: JournalKey, after last: JournalSequence, revision: Int, number: UInt64,
    options: JournalOptions, clock: any Clock<Duration>
  ) {
    self.journal = journal
    self.key = key
    self.options = options
    self.clock = clock
    self.number = number
    gate = DurabilityGate(restored: revision)
    state = Lock(State(last: last))
  }

  /// Sets the store, which is not held.
  func attach(to store: any JournaledStore) { self.store.withLock { $0.store = store } }

  /// Names a run that is handled again by the sequence of its take-up.
  func adopt(_ run: ActionID, takenUpAt sequence: JournalSequence) { state.withLock { $0.runs[run] = sequence } }

  // MARK: With the store's lock

  var isCrowded: Bool { state.withLock { $0.bytes >= options.bufferedBytes / 2 } }

  func append(_ entry: StoreEntry<Action, Mutation>, after revision: Int) throws {
    // The coder is code of others, so it runs without the lock of this; only the store's holder appends.
    let (made, mutations) = try encode(entry, after: revision)
    let isFull = try state.withLock { state in
      if let failure = state.failure { throw failure }
      let batch = JournalBatch(id: .init(writer: number, number: state.batches + 1), entries: [made])
      if batch.byteCount > journal.largestBatch { throw JournalError.tooLarge(batch, limit: journal.largestBatch) }
      if state.bytes + batch.byteCount > options.bufferedBytes { return true }
      state.batches += 1
      state.position += 1
      state.last = state.last.advanced(by: 1)
      state.bytes += batch.byteCount
      state.waiting.append(Waiting(batch: batch, position: state.position, revision: revision + mutations))
      switch entry {
      case .takenUp(_, let id, _, _, _): state.runs[id] = state.last
      case .ended(let id, _, _): state.runs[id] = nil
      case .decided, .emitted: break
      }
      return false
    }
    guard isFull else { return }
    let failure = JournalError.bufferFull(key, limit: options.bufferedBytes)
    state.withLock { $0.failure = failure }
    // Not with the store's lock, which this has.
    Task.detached { [self] in fail(failure) }
    throw failure
  }

  func flush() {
    let begins = state.withLock { state in
      defer { state.isWriting = state.isWriting || !state.waiting.isEmpty }
      return !state.isWriting && !state.waiting.isEmpty
    }
    if begins { Task.detached { [self] in await write() } }
  }

  private func encode(
    _ entry: StoreEntry<Action, Mutation>, after revision: Int
  ) throws -> (JournalEntry, mutations: Int) {
    func make(_ kind: JournalEntry.Kind, _ payload: some Encodable, _ mutations: Int) throws -> (JournalEntry, Int) {
      let bytes: Data
      do {
        bytes = try options.coder.encode(payload)
      } catch {
        throw JournalError.notEncoded(key, kind, "\(error)")
      }
      let revision = mutations == 0 ? nil : revision + mutations
      return (JournalEntry(kind: kind, payload: Array(bytes), revision: revision), mutations)
    }
    switch entry {
    case .decided(let decided):
      let mutations = decided.all
      return try make(.decided, DecidedPayload(mutations: mutations), mutations.count)
    case .takenUp(let action, _, let key, let handlesAgain, let decided):
      let mutations = decided.all
      let payload = TakeUpPayload(action: action, key: key, handlesAgain: handlesAgain, mutations: mutations)
      return try make(.takeUp, payload, mutations.count)
    case .emitted(let mutation, let id):
      return try make(.emit, EmitPayload(run: takeUp(of: id), mutations: [mutation]), 1)
    case .ended(let id, let outcome, let closing):
      let payload = EndPayload(run: takeUp(of: id), outcome: "\(outcome.kind)", closing: closing)
      return try make(.end, payload, closing == nil ? 0 : 1)
    }
  }

  /// The sequence of the take-up of an open run.
  private func takeUp(of run: ActionID) -> UInt64 { state.withLock { $0.runs[run]?.number ?? 0 } }

  // MARK: Storing

  /// Stores everything that waits, until nothing does.
  private func write() async {
    while true {
      let waiting = state.withLock { state in
        state.isWriting = !state.waiting.isEmpty && state.failure == nil
        return state.isWriting ? state.waiting : []
      }
      if waiting.isEmpty { return }
      if let failure = await store(waiting) { return fail(failure) }
    }
  }

  /// Stores entries, and waits while the journal is unavailable; returns the reason if they cannot be stored.
  private func store(_ waiting: [Waiting]) async -> JournalError? {
    var rest = waiting[...]
    var (pause, waited) = (Duration.milliseconds(10), Duration.zero)
    while !rest.isEmpty {
      // Each entry is one record.
      let last = state.withLock { JournalSequence($0.last.number - UInt64($0.waiting.count)) }
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
      if let failure = state.withLock({ $0.failure }) { return failure }
      if waited >= options.deadline { return .deadline(key, options.deadline, failure) }
      try? await clock.sleep(for: pause)
      waited += pause
      pause = min(pause * 2, .seconds(1))
    }
    return nil
  }

  private func didStore(_ stored: ArraySlice<Waiting>) {
    guard let last = stored.last else { return }
    let limit = options.bufferedBytes / 2
    let isRelieved = state.withLock { state in
      let before = state.bytes
      state.bytes -= stored.reduce(0) { $0 + $1.batch.byteCount }
      state.waiting.removeFirst(stored.count)
      return before >= limit && state.bytes < limit
    }
    gate.advance(to: last.position, revision: last.revision)
    if isRelieved { store.withLock { $0.store }?.journalIsRelieved() }
  }

  /// Stops the store, and lets everything that waits fail; an append that is under way may still store a part of it.
  private func fail(_ failure: JournalError) {
    state.withLock { $0.failure = failure }
    store.withLock { $0.store }?.journalHasFailed(failure)
    gate.fail(failure)
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

extension JournalError {
  static func bufferFull(_ key: JournalKey, limit: Int) -> JournalError {
    JournalError(
      .unavailable,
      """
      More than \(limit) bytes of \(key.quoted) wait to be stored, so its store has stopped; open it again when the journal is \
      available, or raise 'bufferedBytes'.
      """)
  }

  static func deadline(_ key: JournalKey, _ deadline: Duration, _ failure: JournalError) -> JournalError {
    JournalError(
      failure.code,
      """
      The journal of \(key.quoted) was unavailable for \(deadline), so its store has stopped; open it again when the journal is \
      available. The last attempt failed: \(failure.description)
      """)
  }

  static func notEncoded(_ key: JournalKey, _ kind: JournalEntry.Kind, _ reason: String) -> JournalError {
    JournalError(
      .notEncoded,
      """
      An entry '\(kind)' of \(key.quoted) cannot be encoded: \(reason.shortened(to: 400)); nothing of it was committed. Keep values out \
      of actions and mutations that the coder does not take.
      """)
  }
}
