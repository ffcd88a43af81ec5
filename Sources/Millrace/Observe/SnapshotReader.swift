/// One observer's way to its snapshots, whatever its policy and whatever it takes from the state; for one task at a time.
///
/// A closure, written where all types are known.
@usableFromInline
struct SnapshotReader<State: Sendable> {
  /// The next snapshot, as soon as there is one; nil when there will be none.
  @usableFromInline
  typealias Next = () async throws(ObservationError) -> Snapshot<State>?

  @usableFromInline let next: Next

  @inlinable
  init(next: @escaping Next) {
    self.next = next
  }

  /// Reads the newest state each time.
  @inlinable
  static func latest(_ source: StateSource<State>) -> SnapshotReader {
    let observer = source.makeObserver()
    var seen = -1
    return SnapshotReader { () async throws(ObservationError) -> Snapshot<State>? in
      guard let snapshot = await source.next(seen, observer) else { return nil }
      let missed = seen < 0 ? 0 : snapshot.revision - seen - 1
      seen = snapshot.revision
      return Snapshot(revision: snapshot.revision, state: snapshot.state, missed: missed)
    }
  }

  /// Takes a part of what this reads, and leaves out what equals the part delivered last.
  ///
  /// - Parameter areEqual: nil leaves nothing out.
  @inlinable
  func part<Value: Sendable>(
    _ get: @escaping @Sendable (State) -> Value, removingDuplicatesBy areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> SnapshotReader<Value> {
    var delivered: Value?
    return SnapshotReader<Value> { () async throws(ObservationError) -> Snapshot<Value>? in
      var missed = 0
      while let snapshot = try await next() {
        missed += snapshot.missed
        let value = get(snapshot.state)
        if let delivered, let areEqual, areEqual(delivered, value) { continue }
        delivered = value
        return Snapshot(revision: snapshot.revision, state: value, missed: missed)
      }
      return nil
    }
  }
}
