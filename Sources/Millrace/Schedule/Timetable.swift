/// Something that is due at a moment, unless it is taken from its timetable before.
///
/// Guarded by the turn of the store whose timetable it stands in.
final class Deadline {
  let moment: Moment

  /// What is to be done; called by whoever took the deadline as due.
  let action: () -> Void

  /// Where it stands in the heap; the timetable's own.
  fileprivate(set) var place: Int?

  /// Counts additions, so that equal moments come in the order they were added.
  fileprivate var turn = 0

  init(at moment: Moment, action: @escaping () -> Void) {
    self.moment = moment
    self.action = action
  }

  fileprivate func comes(before other: Deadline) -> Bool {
    (moment, turn) < (other.moment, other.turn)
  }
}

/// The deadlines of a store, the earliest first.
///
/// A binary heap in which each deadline knows its place, so that one is taken out of the middle in logarithmic time. It is
/// not to be copied: the places are those of the one timetable.
struct Timetable {
  /// Each comes after the one at half its place.
  private var heap: [Deadline] = []
  private var turns = 0

  var isEmpty: Bool { heap.isEmpty }

  var count: Int { heap.count }

  /// The moment of the deadline that is due next, or nil.
  var earliest: Moment? { heap.first?.moment }

  /// Adds a deadline, unless it stands in a timetable.
  mutating func add(_ deadline: Deadline) {
    guard deadline.place == nil else { return }
    turns += 1
    deadline.turn = turns
    heap.append(deadline)
    rise(deadline, from: heap.count - 1)
  }

  /// Takes the deadline out, if it stands here.
  mutating func remove(_ deadline: Deadline) {
    guard let place = deadline.place, place < heap.count, heap[place] === deadline else { return }
    deadline.place = nil
    let last = heap.removeLast()
    if last !== deadline {
      // The last one takes the place, and goes up or down from there.
      if place > 0, last.comes(before: heap[(place - 1) / 2]) {
        rise(last, from: place)
      } else {
        sink(last, from: place)
      }
    }
    shrink()
  }

  /// Takes out the earliest deadline, if it is due.
  mutating func popDue(at now: Moment) -> Deadline? {
    guard let first = heap.first, first.moment <= now else { return nil }
    remove(first)
    return first
  }

  mutating func removeAll() {
    for deadline in heap { deadline.place = nil }
    heap = []
  }

  /// Puts the deadline where it belongs, at this place or above it.
  private mutating func rise(_ deadline: Deadline, from place: Int) {
    var place = place
    while place > 0 {
      let above = (place - 1) / 2
      guard deadline.comes(before: heap[above]) else { break }
      put(heap[above], at: place)
      place = above
    }
    put(deadline, at: place)
  }

  /// Puts the deadline where it belongs, at this place or below it.
  private mutating func sink(_ deadline: Deadline, from place: Int) {
    var place = place
    while true {
      var below = 2 * place + 1
      guard below < heap.count else { break }
      if below + 1 < heap.count, heap[below + 1].comes(before: heap[below]) { below += 1 }
      guard heap[below].comes(before: deadline) else { break }
      put(heap[below], at: place)
      place = below
    }
    put(deadline, at: place)
  }

  private mutating func put(_ deadline: Deadline, at place: Int) {
    heap[place] = deadline
    deadline.place = place
  }

  /// Gives memory back once little of it is used.
  private mutating func shrink() {
    guard heap.capacity > 64, heap.count < heap.capacity / 4 else { return }
    var smaller: [Deadline] = []
    smaller.reserveCapacity(2 * heap.count)
    smaller.append(contentsOf: heap)
    heap = smaller
  }
}
