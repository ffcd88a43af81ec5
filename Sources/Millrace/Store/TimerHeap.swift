import Synchronization

/// The times of timers, the earliest first; those of one time in the order in which they were set.
///
/// A binary heap that knows where each timer stands. It has no type parameters, so that the timers of any id share its code. A state is copied
/// and compared, which a ``TimerQueue`` cannot be, and has no entries of timers that were removed.
@usableFromInline
struct TimerHeap: Sendable {
  /// Names a timer from its addition until it is removed.
  @usableFromInline typealias Slot = Int

  private struct Entry {
    let time: Int64
    /// Orders the timers of one time.
    let order: Int
    let slot: Slot

    func comes(before other: Entry) -> Bool { (time, order) < (other.time, other.order) }
  }

  /// Each comes after the one at half its index.
  private var entries: [Entry] = []
  /// The index of the entry of each slot.
  private var indices: [Int] = []
  private var freeSlots: [Slot] = []
  /// The number of times a timer was added or moved.
  private var lastOrder = 0

  private static let made = Atomic(0)

  @usableFromInline
  init() {}

  /// A number for the version of a new value, far from those of all others.
  static func firstVersion() -> Int { made.add(1, ordering: .relaxed).newValue << 32 }

  @usableFromInline var count: Int { entries.count }

  @usableFromInline var earliest: Int64? { entries.first?.time }

  @usableFromInline
  func time(of slot: Slot) -> Int64 { entries[indices[slot]].time }

  /// Adds a timer, in the first slot that is free.
  @usableFromInline
  mutating func add(at time: Int64) -> Slot {
    let slot = freeSlots.popLast() ?? indices.count
    if slot == indices.count { indices.append(0) }
    let entry = entry(of: slot, at: time)
    entries.append(entry)
    rise(entry, from: entries.count - 1)
    return slot
  }

  /// Moves a timer to another time, behind all others of that time.
  @usableFromInline
  mutating func move(_ slot: Slot, to time: Int64) {
    put(entry(of: slot, at: time), at: indices[slot])
  }

  /// Removes a timer, and returns its time.
  @usableFromInline
  mutating func remove(_ slot: Slot) -> Int64 {
    let index = indices[slot]
    let time = entries[index].time
    let last = entries.removeLast()
    if index < entries.count { put(last, at: index) }
    freeSlots.append(slot)
    if entries.isEmpty { (entries, indices, freeSlots) = ([], [], []) }
    return time
  }

  /// All slots in the order of their timers.
  var order: [Slot] { entries.sorted { $0.comes(before: $1) }.map(\.slot) }

  /// The timers that are due by a time in their order, and the time of the first one that is not.
  ///
  /// It looks at the timers that are due, and at the two below each of them.
  func due(by time: Int64) -> (slots: [Slot], next: Int64?) {
    var (due, next): ([Entry], Int64?) = ([], nil)
    var indices = [0]
    while let index = indices.popLast() {
      guard index < entries.count else { continue }
      let entry = entries[index]
      guard entry.time <= time else {
        next = min(next ?? entry.time, entry.time)
        continue
      }
      due.append(entry)
      indices.append(2 * index + 1)
      indices.append(2 * index + 2)
    }
    return (due.sorted { $0.comes(before: $1) }.map(\.slot), next)
  }

  private mutating func entry(of slot: Slot, at time: Int64) -> Entry {
    lastOrder += 1
    return Entry(time: time, order: lastOrder, slot: slot)
  }

  /// Puts an entry where it belongs, beginning at the index of an entry that it replaces.
  private mutating func put(_ entry: Entry, at index: Int) {
    if index > 0 && entry.comes(before: entries[(index - 1) / 2]) {
      rise(entry, from: index)
    } else {
      sink(entry, from: index)
    }
  }

  /// Puts an entry where it belongs, at this index or above it.
  private mutating func rise(_ entry: Entry, from index: Int) {
    var index = index
    while index > 0 {
      let above = (index - 1) / 2
      guard entry.comes(before: entries[above]) else { break }
      store(entries[above], at: index)
      index = above
    }
    store(entry, at: index)
  }

  /// Puts an entry where it belongs, at this index or below it.
  private mutating func sink(_ entry: Entry, from index: Int) {
    var index = index
    while true {
      var below = 2 * index + 1
      guard below < entries.count else { break }
      if below + 1 < entries.count, entries[below + 1].comes(before: entries[below]) { below += 1 }
      guard entries[below].comes(before: entry) else { break }
      store(entries[below], at: index)
      index = below
    }
    store(entry, at: index)
  }

  private mutating func store(_ entry: Entry, at index: Int) {
    entries[index] = entry
    indices[entry.slot] = index
  }
}
