import Millrace

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
  /// - Returns: the entries that were left out, with the same state; and by how many entries it is shorter.
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
    case .action, .call, .rest, .step, .end: false
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

/// The entries of a recorder, kept until they are written or until newer ones have come.
protocol EntryKeeping: Sendable {
  associatedtype Action: Codable & Sendable
  associatedtype Mutation: Codable & Sendable
  associatedtype State: Codable & Sendable

  /// The work to do once the lock is released.
  associatedtype After

  /// Whether the next commit is to bring its state, however few commits the last one is ago.
  var wantsState: Bool { get }

  /// Adds an entry behind a gap and before a state, if there are those; all of it, or nothing when there is no room.
  mutating func add(
    _ gap: RecordedGap?, _ entry: RecordingEntry<Action, Mutation, State>, _ state: RecordedState<State>?
  ) -> Bool

  /// The work that the calls so far have left.
  mutating func settle() -> After
}

/// About how large entries are once they are encoded: averages of those that were, in which the last ones count most.
final class EncodedSizes: Sendable {
  /// The kinds of entries that may be large.
  enum Kind {
    case action, call, commit, state
  }

  private struct Averages {
    var action = 0, call = 0, commit = 0, state = 0

    subscript(kind: Kind) -> Int {
      get {
        switch kind {
        case .action: action
        case .call: call
        case .commit: commit
        case .state: state
        }
      }
      set {
        switch kind {
        case .action: action = newValue
        case .call: call = newValue
        case .commit: commit = newValue
        case .state: state = newValue
        }
      }
    }
  }

  /// The least size that an entry counts as, in bytes.
  static let least = 64

  private let averages = Lock(Averages())

  /// Notes how many bytes an entry has.
  func note(_ bytes: Int, of kind: Kind) {
    averages.withLock { $0[kind] = $0[kind] == 0 ? bytes : $0[kind] + (bytes - $0[kind]) / 8 }
  }

  /// About how many bytes an entry will have, and its state with it if it brings one.
  func expected(of kind: Kind?, withState: Bool) -> Int {
    averages.withLock { averages in
      EncodedSizes.least + (kind.map { averages[$0] } ?? 0) + (withState ? averages.state : 0)
    }
  }
}

extension RecordingEntry {
  /// The average that the entry belongs to; nil if the entry is small.
  var sizeKind: EncodedSizes.Kind? {
    switch self {
    case .action: .action
    case .call, .step: .call
    case .commit: .commit
    case .state: .state
    case .rest, .end, .gap: nil
    }
  }

  /// The number of bytes of an error's text, which says more of the size of an end than an average does.
  var errorBytes: Int {
    if case .end(let end) = self { end.error?.utf8.count ?? 0 } else { 0 }
  }
}
