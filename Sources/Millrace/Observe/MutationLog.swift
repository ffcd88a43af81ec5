public import Synchronization

/// One committed mutation, for the observers that replay it.
@usableFromInline
struct LogEntry<I: Interactor>: Sendable {
  @usableFromInline let mutation: I.Mutation

  /// The cause of the mutation, if an observer asked for causes when it was committed.
  @usableFromInline let cause: Cause<I.Action>?

  @inlinable
  init(mutation: I.Mutation, cause: Cause<I.Action>?) {
    self.mutation = mutation
    self.cause = cause
  }
}

/// Some mutations in the order of their commits, and the next chunk of them.
@usableFromInline
final class LogChunk<I: Interactor> {
  @inlinable static var capacity: Int { 64 }

  @exclusivity(unchecked) @usableFromInline var entries: [LogEntry<I>] = []
  @usableFromInline var next: LogChunk?

  @inlinable
  init() {}
}

/// The last chunk of a log, and what is looked at with each commit.
@usableFromInline
struct LogEnd<I: Interactor> {
  @usableFromInline var tail = LogChunk<I>()

  /// The revision at which a cursor may have fallen too far behind.
  @usableFromInline var nextCheck = Int.max
}

/// The mutations that cursors have not taken yet.
///
/// The log exists only while there is a cursor. Each cursor holds the chunk it reads and the log holds the last one, so that a chunk goes when the slowest cursor has
/// left it. Guarded by the store's lock.
@usableFromInline
final class MutationLog<I: Interactor> {
  @exclusivity(unchecked) @usableFromInline var end = LogEnd<I>()
  private(set) var cursors = IndexedList<LogCursor<I>>()

  /// The number of cursors for which the store accepts no actions.
  private(set) var holding = 0

  init() {}

  /// The newest entry; nil if the only observer has taken it.
  @inlinable var last: LogEntry<I>? { end.tail.entries.last }

  /// Keeps a mutation for all cursors.
  @inlinable
  func append(_ entry: LogEntry<I>) {
    if end.tail.entries.count >= LogChunk<I>.capacity {
      let chunk = LogChunk<I>()
      end.tail.next = chunk
      end.tail = chunk
    }
    end.tail.entries.append(entry)
  }

  // MARK: Cursors

  @usableFromInline var hasOneCursor: Bool { cursors.elements.count == 1 }

  /// Adds a cursor that reads the mutations after `revision`, the newest one.
  func join(_ cursor: LogCursor<I>, at revision: Int) {
    cursors.insert(cursor)
    cursor.position = (end.tail, end.tail.entries.count)
    end.nextCheck = min(end.nextCheck, revision + cursor.allowance)
  }

  /// Removes a cursor; the log keeps nothing for it any more.
  func leave(_ cursor: LogCursor<I>) {
    release(cursor)
    cursor.position = nil
    cursors.remove(cursor)
  }

  /// Empties `batch`, and fills it with the next entries for the cursor; leaves it empty if the cursor has read all.
  @inlinable
  func take(for cursor: LogCursor<I>, into batch: inout [LogEntry<I>]) {
    batch.removeAll(keepingCapacity: true)
    if let (chunk, index) = cursor.position, chunk === end.tail, index == 0, hasOneCursor {
      // No other reader has them: the two buffers change places, and nothing is copied.
      swap(&batch, &chunk.entries)
    } else {
      cursor.take(into: &batch)
    }
  }

  // MARK: Falling behind

  /// Takes the position from cursors that are too far behind `revision`, and counts those for which the store accepts no actions.
  @usableFromInline
  func check(at revision: Int) {
    end.nextCheck = .max
    for cursor in cursors.elements where cursor.position != nil {
      let lag = revision - cursor.delivered
      switch cursor.judge(lag: lag) {
      case .keepsUp:
        end.nextCheck = min(end.nextCheck, revision - lag + cursor.allowance)
      case .appliesBackpressure(let limit):
        if !cursor.isHolding {
          cursor.isHolding = true
          holding += 1
        }
        end.nextCheck = min(end.nextCheck, revision - lag + limit + 1)
      case .disconnects(let error):
        cursor.position = nil
        cursor.error = error
        release(cursor)
      }
    }
  }

  /// Ends the pause of the store that this cursor has caused, if the cursor has caught up.
  @usableFromInline
  func releaseIfNear(_ cursor: LogCursor<I>, revision: Int) {
    guard cursor.isHolding else { return }
    let lag = revision - cursor.delivered
    guard case .keepsUp = cursor.judge(lag: lag) else { return }
    release(cursor)
    end.nextCheck = min(end.nextCheck, revision - lag + cursor.allowance)
  }

  private func release(_ cursor: LogCursor<I>) {
    guard cursor.isHolding else { return }
    cursor.isHolding = false
    holding -= 1
  }
}

/// One observer of every state: its position in the log, and the bound of its lag.
///
/// All but what is atomic or locked is guarded by the store's lock.
@usableFromInline
final class LogCursor<I: Interactor>: Indexed, @unchecked Sendable {
  /// The verdict on a cursor by its lag.
  enum Verdict {
    case keepsUp
    /// The observer applies backpressure, and disconnects beyond the limit.
    case appliesBackpressure(limit: Int)
    /// Nothing is kept for the observer any more; it ends with the error, or continues after a gap.
    case disconnects(StoreError?)
  }

  @usableFromInline let waiter = Waiter()

  @usableFromInline let lastDelivered = Atomic(0)

  /// The revision its observer got last; only the observer sets it.
  @inlinable var delivered: Int {
    get { lastDelivered.load(ordering: .relaxed) }
    set { lastDelivered.store(newValue, ordering: .relaxed) }
  }

  /// The state the observer begins with; nil once the observer has taken it.
  let first = Lock<Snapshot<I.State>?>(nil)

  /// Whether the observer needs the cause of each commit.
  let seeksCauses: Bool

  private let policy: ObservationTerms

  var index: Int?

  /// The next entry to read; nil if the cursor has to begin anew.
  @usableFromInline var position: (chunk: LogChunk<I>, index: Int)?

  /// The error of the observer, once it has disconnected from the log.
  @usableFromInline var error: StoreError?

  @usableFromInline let holds = Atomic(false)

  /// Whether the store accepts no actions for this observer's sake; set with the lock.
  @inlinable var isHolding: Bool {
    get { holds.load(ordering: .relaxed) }
    set { holds.store(newValue, ordering: .relaxed) }
  }

  init(_ policy: ObservationTerms, seeksCauses: Bool) {
    self.policy = policy
    self.seeksCauses = seeksCauses
  }

  /// Takes the rest of the chunk that is read, or all of the next one.
  @inlinable
  func take(into batch: inout [LogEntry<I>]) {
    guard var (chunk, index) = position else { return }
    if index == chunk.entries.count, let next = chunk.next { (chunk, index) = (next, 0) }
    batch.append(contentsOf: chunk.entries[index...])
    position = (chunk, chunk.entries.count)
  }

  /// The lag from which the policy decides: on a gap, on backpressure or on the end.
  var allowance: Int {
    switch policy {
    case .latest: 2
    case .every(let buffer, _): buffer + 1
    case .lossless(let bound, _): bound
    }
  }

  func judge(lag: Int) -> Verdict {
    guard lag >= allowance else { return .keepsUp }
    switch policy {
    case .latest, .every(_, endsObserver: false): return .disconnects(nil)
    case .every(_, endsObserver: true): return .disconnects(StoreError(.overflowed(lag: lag)))
    case .lossless(_, let limit):
      return lag <= limit ? .appliesBackpressure(limit: limit) : .disconnects(StoreError(.lagged(lag: lag)))
    }
  }
}
