import MillraceSystem

/// The timers of a store by their instants, the earliest first; equal instants in the order in which they were added.
///
/// A binary heap. Most timers are taken out long before they are due, and most are added at a later instant than all others. So a
/// timer that is taken out leaves its entry in the heap, which goes when it comes first or when more than half of the heap are such
/// entries: both cost the same however many timers there are.
struct TimerQueue<Purpose>: ~Copyable {
  /// Names a timer from its addition until it is due or taken out.
  typealias ID = Int32

  /// The entry of a timer in the heap.
  private struct HeapEntry {
    let instant: Instant
    let order: Int
    let id: ID

    func comes(before other: HeapEntry) -> Bool {
      (instant, order) < (other.instant, other.order)
    }
  }

  private struct Timer {
    let instant: Instant
    /// Distinguishes the timer from earlier timers of its id; 0 for none.
    let order: Int
    let purpose: Purpose?
  }

  /// Each comes after the one at half its index.
  private var heap: [HeapEntry] = []
  private var timers = Slab(blank: Timer(instant: .max, order: 0, purpose: nil))
  private var added = 0

  var isEmpty: Bool { timers.count == 0 }

  var count: Int { timers.count }

  /// The instant of the timer that is due next, if it is before `limit`; otherwise nil.
  mutating func earliest(before limit: Instant = .max) -> Instant? {
    while let first = heap.first, first.instant < limit {
      if isTaken(first) { return first.instant }
      removeFirst()
    }
    return nil
  }

  /// The instant of a timer that is in the queue.
  func instant(of id: ID) -> Instant { timers[id].instant }

  mutating func add(_ purpose: Purpose, at instant: Instant) -> ID {
    added += 1
    let id = timers.insert(Timer(instant: instant, order: added, purpose: purpose))
    let entry = HeapEntry(instant: instant, order: added, id: id)
    heap.append(entry)
    rise(entry, from: heap.count - 1)
    return id
  }

  /// Takes a timer out, if there is one, and forgets its id.
  mutating func cancel(_ id: inout ID?) {
    guard let cancelled = id else { return }
    remove(cancelled)
    id = nil
  }

  mutating func remove(_ id: ID) {
    timers.remove(id)
    if timers.count == 0 || heap.count > 2 * timers.count + 64 { removeFreeEntries() }
  }

  /// Takes out the earliest timer, if it is due.
  mutating func popDue(at now: Instant) -> Purpose? {
    while let first = heap.first, first.instant <= now {
      removeFirst()
      guard isTaken(first) else { continue }
      let purpose = timers[first.id].purpose
      remove(first.id)
      return purpose
    }
    return nil
  }

  // MARK: The heap

  /// Whether the entry is that of a timer, which was not taken out.
  private func isTaken(_ entry: HeapEntry) -> Bool { timers[entry.id].order == entry.order }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    if !heap.isEmpty { sink(last, from: 0) }
  }

  /// Removes the entries of timers that were taken out; gives memory back once little of it is used.
  private mutating func removeFreeEntries() {
    if timers.count == 0 {
      // Also because the timers may have given their memory back.
      heap.removeAll(keepingCapacity: heap.capacity <= 1_024)
      return
    }
    var kept = 0
    for index in heap.indices where isTaken(heap[index]) {
      heap[kept] = heap[index]
      kept += 1
    }
    heap.removeLast(heap.count - kept)
    if heap.capacity > 16 * heap.count + 1_024 { heap = Array(heap) }
    for index in (0..<heap.count / 2).reversed() { sink(heap[index], from: index) }
  }

  /// Puts the entry where it belongs, at this index or above it.
  private mutating func rise(_ entry: HeapEntry, from index: Int) {
    var index = index
    while index > 0 {
      let above = (index - 1) / 2
      guard entry.comes(before: heap[above]) else { break }
      heap[index] = heap[above]
      index = above
    }
    heap[index] = entry
  }

  /// Puts the entry where it belongs, at this index or below it.
  private mutating func sink(_ entry: HeapEntry, from index: Int) {
    var index = index
    while true {
      var below = 2 * index + 1
      guard below < heap.count else { break }
      if below + 1 < heap.count, heap[below + 1].comes(before: heap[below]) { below += 1 }
      guard heap[below].comes(before: entry) else { break }
      heap[index] = heap[below]
      index = below
    }
    heap[index] = entry
  }
}

/// Nanoseconds since the origin of a store's clock.
@usableFromInline
package typealias Instant = Int64

extension Duration {
  /// The duration in whole nanoseconds, rounded up, so that nothing is due too early.
  ///
  /// At least 0, and at most a quarter of what fits, about 73 years, so that a few can be added to an instant.
  package var nanoseconds: Int64 {
    let longest = Int64.max / 4
    let all = attoseconds
    guard all > 0 else { return 0 }
    // Up to 18 seconds fit in one word, whose division takes a tenth of the time.
    if let few = UInt64(exactly: all) {
      let (whole, rest) = few.quotientAndRemainder(dividingBy: 1_000_000_000)
      return Int64(whole) + (rest > 0 ? 1 : 0)
    }
    // Compared first, for the components of the longest durations trap.
    guard self < .nanoseconds(longest) else { return longest }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
  }

  /// The duration within the limits of ``nanoseconds``, for a clock that traps where a longer one is added to its time.
  package var bounded: Duration { .nanoseconds(nanoseconds) }
}

/// A clock that tells apart a store that sets a timer and a store that only notes times, for its metrics and its order.
package protocol TimerNoticingClock: Clock<Duration> {
  /// The time for a store's notes.
  var notedNow: Instant { get }

  /// A store has set a timer, and is about to sleep; called without the lock of the store.
  func timerIsSet()

  /// Returns when the deadline is reached, of which ``timerIsSet()`` tells.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleepForTimer(until deadline: Instant) async throws
}

/// A clock that notices when a task waits for the outcome of an action.
package protocol OutcomeNoticingClock: Clock<Duration> {
  /// A task waits for the outcome of an action of a store with this clock.
  ///
  /// - Parameters:
  ///   - action: the id of the action.
  ///   - isAwaited: whether the action has no outcome yet; it does not hold the action.
  func outcomeIsAwaited(of action: ActionID, _ isAwaited: @escaping @Sendable () -> Bool)
}

/// The time of one store: its clock in nanoseconds.
@usableFromInline
package final class TimeSource: Sendable {
  /// The functions of a clock that is not the default one; the default one is read without generics.
  private struct Other: Sendable {
    let now: @Sendable () -> Instant
    let sleep: @Sendable (Instant) async throws -> Void
    var timerIsSet: (@Sendable () -> Void)?
  }

  private let other: Other?

  /// Notifies the clock of a timer; nil for a clock that does not ask for it.
  var timerIsSet: (@Sendable () -> Void)? { other?.timerIsSet }

  /// The time of this clock.
  package init(_ clock: any Clock<Duration>) {
    other = clock is ContinuousClock ? nil : TimeSource.opened(clock)
  }

  /// The time of a store that goes by this clock.
  init(ofStore clock: any Clock<Duration>) {
    other =
      if clock is ContinuousClock {
        nil
      } else if let clock = clock as? any TimerNoticingClock {
        TimeSource.opened(noticing: clock)
      } else {
        TimeSource.opened(clock)
      }
  }

  private static func opened<C: TimerNoticingClock>(noticing clock: C) -> Other {
    let origin = clock.notedNow
    return Other {
      origin.duration(to: clock.notedNow).wholeNanoseconds
    } sleep: { instant in
      try await clock.sleepForTimer(until: origin.advanced(by: .nanoseconds(instant)))
    } timerIsSet: {
      clock.timerIsSet()
    }
  }

  private static func opened<C: Clock<Duration>>(_ clock: C) -> Other {
    let origin = clock.now
    return Other {
      origin.duration(to: clock.now).wholeNanoseconds
    } sleep: { instant in
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(instant)), tolerance: nil)
    }
  }

  /// The time now.
  @usableFromInline
  package func now() -> Instant {
    if let other { return other.now() }
    return millrace_nanoseconds()
  }

  /// Returns when `instant` is reached, or at once when the task is cancelled.
  package func sleep(until instant: Instant) async throws {
    guard let other else { return try await ContinuousClock().sleep(for: .nanoseconds(instant - now())) }
    try await other.sleep(instant)
  }
}

extension Duration {
  /// The whole nanoseconds of it that are over, within a quarter of the numbers that fit.
  fileprivate var wholeNanoseconds: Instant {
    let longest = Int64.max / 4
    if self > .nanoseconds(longest) { return longest }
    if self < .nanoseconds(-longest) { return -longest }
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
