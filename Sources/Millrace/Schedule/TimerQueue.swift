/// A step that is due at an instant, unless its timer is taken from the queue before.
///
/// Guarded by the turn of the store whose timer queue it stands in.
final class Timer {
  let instant: Instant

  /// The step; the caller that took the timer as due calls it.
  let action: () -> Void

  /// Where it stands in the heap; the queue's own.
  fileprivate(set) var place: Int?

  /// Counts additions, so that equal instants come in the order they were added.
  fileprivate var turn = 0

  init(at instant: Instant, action: @escaping () -> Void) {
    self.instant = instant
    self.action = action
  }

  fileprivate func comes(before other: Timer) -> Bool {
    (instant, turn) < (other.instant, other.turn)
  }
}

/// The timers of a store, the earliest first.
///
/// A binary heap in which each timer knows its place, so that one is taken out of the middle in logarithmic time. It is
/// not to be copied: the places are those of the one timer queue.
struct TimerQueue {
  /// Each comes after the one at half its place.
  private var heap: [Timer] = []
  private var turns = 0

  var isEmpty: Bool { heap.isEmpty }

  var count: Int { heap.count }

  /// The instant of the timer that is due next, or nil.
  var earliest: Instant? { heap.first?.instant }

  /// Adds a timer, unless it stands in a timer queue.
  mutating func add(_ timer: Timer) {
    guard timer.place == nil else { return }
    turns += 1
    timer.turn = turns
    heap.append(timer)
    rise(timer, from: heap.count - 1)
  }

  /// Takes the timer out, if it stands here.
  mutating func remove(_ timer: Timer) {
    guard let place = timer.place, place < heap.count, heap[place] === timer else { return }
    timer.place = nil
    let last = heap.removeLast()
    if last !== timer {
      // The last one takes the place, and goes up or down from there.
      if place > 0, last.comes(before: heap[(place - 1) / 2]) {
        rise(last, from: place)
      } else {
        sink(last, from: place)
      }
    }
    shrink()
  }

  /// Takes out the earliest timer, if it is due.
  mutating func popDue(at now: Instant) -> Timer? {
    guard let first = heap.first, first.instant <= now else { return nil }
    remove(first)
    return first
  }

  mutating func removeAll() {
    for timer in heap { timer.place = nil }
    heap = []
  }

  /// Puts the timer where it belongs, at this place or above it.
  private mutating func rise(_ timer: Timer, from place: Int) {
    var place = place
    while place > 0 {
      let above = (place - 1) / 2
      guard timer.comes(before: heap[above]) else { break }
      put(heap[above], at: place)
      place = above
    }
    put(timer, at: place)
  }

  /// Puts the timer where it belongs, at this place or below it.
  private mutating func sink(_ timer: Timer, from place: Int) {
    var place = place
    while true {
      var below = 2 * place + 1
      guard below < heap.count else { break }
      if below + 1 < heap.count, heap[below + 1].comes(before: heap[below]) { below += 1 }
      guard heap[below].comes(before: timer) else { break }
      put(heap[below], at: place)
      place = below
    }
    put(timer, at: place)
  }

  private mutating func put(_ timer: Timer, at place: Int) {
    heap[place] = timer
    timer.place = place
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
