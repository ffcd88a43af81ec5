import Millrace

/// The payload of a snapshot of a store: the state, and everything else that its log would tell.
struct SnapshotPayload<Action: Codable & Sendable, State: Codable & Sendable>: Codable, Sendable {
  let state: State
  /// The runs that have not ended, in the order of their take-ups.
  let runs: [OpenRun<Action>]
  /// The results of idempotency keys, the oldest first.
  let keys: [RememberedResult]
  /// The writer of the snapshot.
  let epoch: JournalEpoch

  /// The payload with another state.
  func map<Other: Codable & Sendable>(
    _ transform: (State) throws -> Other
  ) rethrows -> SnapshotPayload<Action, Other> {
    SnapshotPayload<Action, Other>(state: try transform(state), runs: runs, keys: keys, epoch: epoch)
  }
}

/// The growth of a log since its newest snapshot, which says when the next one is due.
struct LogGrowth: Sendable {
  private(set) var records: Int
  private(set) var bytes: Int
  /// The size of the newest snapshot.
  private var snapshotBytes = 0
  private(set) var isTaking = false

  /// - Parameters:
  ///   - records: the number of records behind the newest snapshot.
  ///   - bytes: their payloads' number of bytes.
  init(records: Int = 0, bytes: Int = 0) {
    self.records = records
    self.bytes = bytes
  }

  mutating func add(_ entry: JournalEntry) {
    records += 1
    bytes += entry.payload.count
  }

  /// Whether a snapshot is due.
  ///
  /// The log grows by the size of a snapshot before the next one, so a large state is not written all the time.
  func isDue(_ options: JournalOptions) -> Bool {
    guard !isTaking, bytes >= snapshotBytes else { return false }
    return records >= options.snapshotRecords || bytes >= options.snapshotBytes
  }

  /// Begins a snapshot, which covers all records.
  mutating func take() {
    (records, bytes) = (0, 0)
    isTaking = true
  }

  /// Ends a snapshot; without a size it has failed, and the next one is due as if it had not.
  mutating func didTake(_ size: Int?) {
    isTaking = false
    if let size { snapshotBytes = size }
  }
}
