/// Entries that wait to be written.
struct EntryBuffer<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: EntryKeeping {
  typealias Entry = RecordingEntry<Action, Mutation, State>

  /// The largest number of waiting entries.
  let capacity: Int

  /// The largest number of waiting bytes, and one entry more, as `sizes` counts them.
  let bytes: Int

  /// Whether the file has reached its size, and continues in another one with the next state.
  private(set) var wantsState = false

  /// Whether a state waits.
  private var holdsState = false

  private let sizes: EncodedSizes
  private var entries: [Entry] = []
  private var waiting = 0
  private var isWriterAwake = false

  init(capacity: Int, bytes: Int, sizes: EncodedSizes) {
    // A gap, a commit and its state belong together.
    self.capacity = max(3, capacity)
    self.bytes = max(1, bytes)
    self.sizes = sizes
  }

  mutating func add(_ gap: RecordedGap?, _ entry: Entry, _ state: RecordedState<State>?) -> Bool {
    let count = entries.count + (gap == nil ? 0 : 1) + 1 + (state == nil ? 0 : 1)
    guard count <= capacity, waiting < bytes else { return false }
    waiting += sizes.expected(of: entry.sizeKind, withState: state != nil)
    if let gap { entries.append(.gap(gap)) }
    entries.append(entry)
    if let state {
      entries.append(.state(state))
      (wantsState, holdsState) = (false, true)
    }
    return true
  }

  /// Whether the writer has to be woken.
  mutating func settle() -> Bool {
    if isWriterAwake || entries.isEmpty { return false }
    isWriterAwake = true
    return true
  }

  /// All that wait; nil if none do.
  mutating func take() -> [Entry]? {
    if entries.isEmpty { return nil }
    defer { (entries, waiting, holdsState) = ([], 0, false) }
    return entries
  }

  /// Lets the next commit bring its state, if none waits: a second one would end the next file as soon as it has begun.
  mutating func askForState() {
    wantsState = !holdsState
  }

  /// Whether the writer continues; without a waiting entry it sleeps until it is woken.
  mutating func keepsWriterAwake() -> Bool {
    isWriterAwake = !entries.isEmpty
    return isWriterAwake
  }
}
