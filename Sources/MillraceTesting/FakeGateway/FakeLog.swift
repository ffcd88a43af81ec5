/// The calls of one fake, as a value without tasks and locks.
@usableFromInline
struct FakeLog<Request: Sendable>: Sendable {
  @usableFromInline typealias Entry = FakeCallEntry<Request>

  /// The number of calls so far.
  @usableFromInline var count = 0
  @usableFromInline var entries: [Entry] = []
  /// The number of calls that are kept.
  @usableFromInline private(set) var size = FakeLogSize.all

  init() {}

  /// The calls that are kept, oldest first.
  var kept: [Entry] {
    switch size {
    case .all: entries
    case .last(let limit): entries.suffix(max(limit, 0))
    case .none: []
    }
  }

  /// Keeps at most `size` entries, of the present ones too.
  mutating func keep(_ size: FakeLogSize) {
    self.size = size
    trim()
  }

  /// Adds a call, and gives its number.
  @inlinable
  mutating func add(_ request: Request, at time: Duration, _ ending: FakeEnding?) -> Int {
    count += 1
    if size == .none { return count }
    entries.append(Entry(number: count, request: request, began: time, ending: ending))
    // Removed in groups, so that the cost of a removal does not matter.
    if case .last(let limit) = size, entries.count / 2 >= limit { trim() }
    return count
  }

  /// Changes a call, if it is still kept.
  @inlinable
  mutating func update(_ number: Int, _ change: (inout Entry) -> Void) {
    guard let first = entries.first?.number, number >= first, number - first < entries.count else { return }
    change(&entries[number - first])
  }

  /// Drops what is not kept.
  @usableFromInline
  mutating func trim() {
    entries = kept
  }
}
