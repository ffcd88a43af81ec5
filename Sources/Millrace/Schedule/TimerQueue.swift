import MillraceSystem

/// The timers of a store by their instants, the earliest first; equal instants in the order in which they were added.
///
/// A binary heap whose timers are named by ids, so that one is taken out of the middle in logarithmic time.
struct TimerQueue<Purpose>: ~Copyable {
  /// Names a timer from its addition until it is due or taken out.
  typealias ID = Int32

  private struct Timer {
    let instant: Instant
    let order: Int
    let id: ID
    let purpose: Purpose

    func comes(before other: Timer) -> Bool {
      (instant, order) < (other.instant, other.order)
    }
  }

  /// Each comes after the one at half its index.
  private var heap: [Timer] = []

  /// The index of each timer in the heap, by its id.
  private var indices = Slab<Int>(blank: -1)
  private var added = 0

  var isEmpty: Bool { heap.isEmpty }

  var count: Int { heap.count }

  /// The instant of the timer that is due next, or nil.
  var earliest: Instant? { heap.first?.instant }

  /// The instant of a timer that is in the queue.
  func instant(of id: ID) -> Instant { heap[indices[id]].instant }

  mutating func add(_ purpose: Purpose, at instant: Instant) -> ID {
    added += 1
    let id = indices.insert(heap.count)
    let timer = Timer(instant: instant, order: added, id: id, purpose: purpose)
    heap.append(timer)
    rise(timer, from: heap.count - 1)
    return id
  }

  /// Takes a timer out, if there is one, and forgets its id.
  mutating func cancel(_ id: inout ID?) {
    guard let cancelled = id else { return }
    remove(cancelled)
    id = nil
  }

  mutating func remove(_ id: ID) {
    let index = indices[id]
    indices.remove(id)
    let last = heap.removeLast()
    if last.id != id {
      // The last one takes its index, and goes up or down from there.
      if index > 0, last.comes(before: heap[(index - 1) / 2]) {
        rise(last, from: index)
      } else {
        sink(last, from: index)
      }
    }
    shrink()
  }

  /// Takes out the earliest timer, if it is due.
  mutating func popDue(at now: Instant) -> Purpose? {
    guard let first = heap.first, first.instant <= now else { return nil }
    remove(first.id)
    return first.purpose
  }

  /// Puts the timer where it belongs, at this index or above it.
  private mutating func rise(_ timer: Timer, from index: Int) {
    var index = index
    while index > 0 {
      let above = (index - 1) / 2
      guard timer.comes(before: heap[above]) else { break }
      put(heap[above], at: index)
      index = above
    }
    put(timer, at: index)
  }

  /// Puts the timer where it belongs, at this index or below it.
  private mutating func sink(_ timer: Timer, from index: Int) {
    var index = index
    while true {
      var below = 2 * index + 1
      guard below < heap.count else { break }
      if below + 1 < heap.count, heap[below + 1].comes(before: heap[below]) { below += 1 }
      guard heap[below].comes(before: timer) else { break }
      put(heap[below], at: index)
      index = below
    }
    put(timer, at: index)
  }

  private mutating func put(_ timer: Timer, at index: Int) {
    heap[index] = timer
    indices[timer.id] = index
  }

  /// Gives memory back once little of it is used.
  private mutating func shrink() {
    guard heap.capacity > 64, heap.count < heap.capacity / 4 else { return }
    var smaller: [Timer] = []
    smaller.reserveCapacity(2 * heap.count)
    smaller.append(contentsOf: heap)
    heap = smaller
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
}

/// A clock that tells apart a store that sets a timer and a store that only notes times, for its metrics and its order.
package protocol TimerNoticingClock: Clock<Duration> {
  /// The time for a store's notes.
  var notedNow: Instant { get }

  /// A store has set a timer, and is about to sleep; called without the lock of the store.
  func timerIsSet()
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
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(instant)), tolerance: nil)
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
  /// The whole nanoseconds of it that are over.
  fileprivate var wholeNanoseconds: Instant {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
