/// The last entries, in segments that each begin with a state, so that what is left can be replayed.
struct EntryRing<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: EntryKeeping {
  typealias Entry = RecordingEntry<Action, Mutation, State>

  /// A state and what happened after it.
  struct Segment: Sendable {
    let start: RecordedState<State>
    var entries: [Entry] = []

    /// How many entries it is, its state included.
    var count: Int { entries.count + 1 }
  }

  /// How many entries are kept at most, states included.
  let capacity: Int

  private(set) var segments: [Segment]
  private(set) var count = 1
  private var gone: [Segment] = []

  /// A ring of at least 8 entries that begins with a state.
  init(capacity: Int, start: RecordedState<State>) {
    self.capacity = max(8, capacity)
    segments = [Segment(start: start)]
  }

  /// A segment is at most half of the ring as long as commits come, so that at least half of it is kept.
  var wantsState: Bool { segments[segments.count - 1].count >= capacity / 2 }

  mutating func add(_ gap: RecordedGap?, _ entry: Entry, _ state: RecordedState<State>?) -> Bool {
    let isAdded = add(gap, entry)
    guard let state else { return isAdded }
    begin(state)
    return true
  }

  /// What was dropped, which is released outside the lock, for that may run code of the caller's.
  mutating func settle() -> [Segment] {
    if gone.isEmpty { return [] }
    defer { gone = [] }
    return gone
  }

  private mutating func add(_ gap: RecordedGap?, _ entry: Entry) -> Bool {
    let added = gap == nil ? 1 : 2
    guard makeRoom(for: added, keeping: 1) else { return false }
    if let gap { segments[segments.count - 1].entries.append(.gap(gap)) }
    segments[segments.count - 1].entries.append(entry)
    count += added
    return true
  }

  private mutating func begin(_ state: RecordedState<State>) {
    _ = makeRoom(for: 1, keeping: 0)
    segments.append(Segment(start: state))
    count += 1
  }

  /// Drops the oldest segments until there is room, but for as many as are to be kept.
  private mutating func makeRoom(for added: Int, keeping kept: Int) -> Bool {
    while count + added > capacity, segments.count > kept {
      let oldest = segments.removeFirst()
      count -= oldest.count
      gone.append(oldest)
    }
    return count + added <= capacity
  }
}
