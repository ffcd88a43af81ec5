/// The last entries, in segments that each begin with a state, so that what is left can be replayed.
struct EntryRing<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: EntryKeeping {
  typealias Entry = RecordingEntry<Action, Mutation, State>

  /// A state and what happened after it.
  struct Segment: Sendable {
    let start: RecordedState<State>
    var entries: [Entry] = []

    /// The number of entries, the state included.
    var count: Int { entries.count + 1 }
  }

  /// The largest number of kept entries, states included.
  let capacity: Int

  private(set) var segments: [Segment]
  private(set) var count = 1
  private var gone: [Segment] = []

  /// A ring of at least 16 entries that begins with a state.
  init(capacity: Int, start: RecordedState<State>) {
    self.capacity = max(16, capacity)
    segments = [Segment(start: start)]
  }

  /// A segment has no more commits than half of the ring has room for; so there is always something else to drop.
  var wantsState: Bool { segments[segments.count - 1].count >= capacity / 2 }

  mutating func add(_ gap: RecordedGap?, _ entry: Entry, _ state: RecordedState<State>?) -> Bool {
    let added = (gap == nil ? 0 : 1) + 1 + (state == nil ? 0 : 1)
    makeRoom(for: added)
    if let gap { segments[segments.count - 1].entries.append(.gap(gap)) }
    segments[segments.count - 1].entries.append(entry)
    if let state { segments.append(Segment(start: state)) }
    count += added
    return true
  }

  /// The dropped entries, which are released outside the lock, because that may run code of the caller.
  mutating func settle() -> [Segment] {
    if gone.isEmpty { return [] }
    defer { gone = [] }
    return gone
  }

  /// Drops what is oldest: a segment as a whole where enough is left without it, otherwise what is no commit in it.
  private mutating func makeRoom(for added: Int) {
    while count + added > capacity {
      if segments.count > 1, count - segments[0].count >= capacity * 3 / 8 {
        dropFirst()
      } else if let thinned = segments[0].thin(by: max(count + added - capacity, capacity / 8)) {
        gone.append(thinned.gone)
        count -= thinned.count
      } else {
        // Of the last one commits alone are never too many; a segment before it goes.
        dropFirst()
      }
    }
  }

  private mutating func dropFirst() {
    let first = segments.removeFirst()
    count -= first.count
    gone.append(first)
  }
}

extension EntryRing.Segment {
  /// Drops about `count` of the oldest entries, except commits and their causes; nil if there are no others.
  ///
  /// What is missing behind a commit is told by a gap at the beginning. What came before the first one is not missed.
  ///
  /// - Returns: what was left out, with the same state; and by how many entries it is shorter.
  fileprivate mutating func thin(by surplus: Int) -> (gone: Self, count: Int)? {
    let before = count
    var gone: [EntryRing.Entry] = []
    var kept: [EntryRing.Entry] = []
    var missed: Int?
    for (index, entry) in entries.enumerated() {
      if index == 0, case .gap(let gap) = entry {
        missed = gap.missed
      } else if gone.count > surplus || isNeeded(index) {
        kept.append(entry)
      } else {
        if !kept.isEmpty { missed = (missed ?? 0) + entry.entriesMissed }
        gone.append(entry)
      }
    }
    if gone.isEmpty { return nil }
    let gap = missed.map { [.gap(RecordedGap(at: start.at, missed: $0))] as [EntryRing.Entry] } ?? []
    entries = gap + kept
    return (Self(start: start, entries: gone), before - count)
  }

  /// Whether an entry is a commit, or the gap before one.
  private func isNeeded(_ index: Int) -> Bool {
    switch entries[index] {
    case .commit, .state: true
    case .action, .call, .rest, .end: false
    case .gap:
      if index + 1 < entries.count, case .commit = entries[index + 1] { true } else { false }
    }
  }
}

extension RecordingEntry {
  /// The number of entries that would be missing without it.
  fileprivate var entriesMissed: Int {
    if case .gap(let gap) = self { gap.missed } else { 1 }
  }
}
