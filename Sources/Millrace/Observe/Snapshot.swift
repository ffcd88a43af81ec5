/// A state and its position in the order of commits.
public struct Snapshot<State: Sendable>: Sendable {
  /// The number of mutations that led to this state; 0 is the initial state.
  public let revision: Int

  /// The state as it was then.
  public let state: State

  /// The number of states that the observer skipped since the snapshot before; 0 for its first.
  public let missed: Int

  /// Creates a snapshot, to compare another one with.
  @inlinable
  public init(revision: Int, state: State, missed: Int = 0) {
    self.revision = revision
    self.state = state
    self.missed = missed
  }
}

extension Snapshot: Equatable where State: Equatable {}

/// One observer's source of snapshots, for any policy and any part of the state; for one task at a time.
///
/// A closure, written where all types are known.
@usableFromInline
struct SnapshotReader<State: Sendable> {
  @usableFromInline let next: NextElement<Snapshot<State>>

  @inlinable
  init(next: @escaping NextElement<Snapshot<State>>) {
    self.next = next
  }

  /// Takes a part of what this reads.
  @inlinable
  func part<Value: Sendable>(_ get: @escaping @Sendable (State) -> Value) -> SnapshotReader<Value> {
    SnapshotReader<Value> { () async throws(StoreError) -> Snapshot<Value>? in
      guard let snapshot = try await next() else { return nil }
      return Snapshot<Value>(revision: snapshot.revision, state: get(snapshot.state), missed: snapshot.missed)
    }
  }

  /// Reads the states, without their revisions.
  @inlinable
  func states() -> NextElement<State> {
    { () async throws(StoreError) -> State? in try await next()?.state }
  }

  /// Takes values from what this reads, and leaves out each one that equals the one delivered last.
  @inlinable
  func values<Value: Sendable>(
    of get: @escaping @Sendable (State) -> Value, by areEqual: @escaping @Sendable (Value, Value) -> Bool
  ) -> NextElement<Value> {
    var delivered: Value?
    return { () async throws(StoreError) -> Value? in
      while let snapshot = try await next() {
        let value = get(snapshot.state)
        if let delivered, areEqual(delivered, value) { continue }
        delivered = value
        return value
      }
      return nil
    }
  }
}
