public import Synchronization

/// One observer of every state: where it reads the log, and how far behind it may be.
///
/// All but what is atomic or locked is guarded by the store's lock.
@usableFromInline
final class LogCursor<I: Interactor>: Placed, @unchecked Sendable {
  /// The verdict on a cursor by its lag.
  enum Verdict {
    case goesOn
    /// It holds the store up, and parts from the log beyond the limit.
    case holds(limit: Int)
    /// Nothing is kept for it any more; it ends with the error, or goes on after a gap.
    case parts(ObservationError?)
  }

  @usableFromInline let waiter = Waiter()

  @usableFromInline let lastDelivered = Atomic(0)

  /// The revision its observer got last; the observer's to set.
  @inlinable var delivered: Int {
    get { lastDelivered.load(ordering: .relaxed) }
    set { lastDelivered.store(newValue, ordering: .relaxed) }
  }

  /// The state it begins with, until its observer takes that.
  let first = Lock<Snapshot<I.State>?>(nil)

  /// Whether it needs to know what brought each commit about.
  let seeksCauses: Bool

  private let policy: ObservationTerms

  @exclusivity(unchecked) var place: Int?

  /// The next entry it reads; nil if it has to begin anew.
  @exclusivity(unchecked) @usableFromInline var position: (chunk: LogChunk<I>, index: Int)?

  /// What it ends with, once it has parted from the log.
  @exclusivity(unchecked) @usableFromInline var error: ObservationError?

  @usableFromInline let holds = Atomic(false)

  /// Whether it holds the store up; set with the lock.
  @inlinable var isHolding: Bool {
    get { holds.load(ordering: .relaxed) }
    set { holds.store(newValue, ordering: .relaxed) }
  }

  init(_ policy: ObservationTerms, seeksCauses: Bool) {
    self.policy = policy
    self.seeksCauses = seeksCauses
  }

  /// Takes what is left of the chunk it reads, or all of the next one.
  @inlinable
  func take(into batch: inout [LogEntry<I>]) {
    guard var (chunk, index) = position else { return }
    if index == chunk.entries.count, let next = chunk.next { (chunk, index) = (next, 0) }
    batch.append(contentsOf: chunk.entries[index...])
    position = (chunk, chunk.entries.count)
  }

  /// The least lag at which it does not just go on.
  var allowance: Int {
    switch policy {
    case .latest: 2
    case .every(let buffer, _): buffer + 1
    case .lossless(let bound, _): bound
    }
  }

  func judge(lag: Int) -> Verdict {
    guard lag >= allowance else { return .goesOn }
    switch policy {
    case .latest, .every(_, .reportGap): return .parts(nil)
    case .every(_, .disconnect): return .parts(ObservationError(.overflowed, lag: lag))
    case .lossless(_, let limit):
      return lag <= limit ? .holds(limit: limit) : .parts(ObservationError(.lagged, lag: lag))
    }
  }
}
