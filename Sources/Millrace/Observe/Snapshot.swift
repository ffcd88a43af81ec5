/// A state and its place in the order of commits.
public struct Snapshot<State: Sendable>: Sendable {
  /// How many mutations were committed before this state was; 0 is the initial state.
  public let revision: Int

  /// The state as it was then.
  public let state: State

  /// How many states the observer skipped since the snapshot before; 0 for its first.
  public let missed: Int

  /// Makes a snapshot.
  @inlinable
  public init(revision: Int, state: State, missed: Int = 0) {
    self.revision = revision
    self.state = state
    self.missed = missed
  }
}

extension Snapshot: Equatable where State: Equatable {}

/// One observer's way to its snapshots, whatever its policy and whatever it takes from the state; for one task at a time.
///
/// A closure, written where all types are known.
@usableFromInline
struct SnapshotReader<State: Sendable> {
  /// The next snapshot, as soon as there is one; nil when there will be none.
  @usableFromInline
  typealias Next = () async throws(StoreError) -> Snapshot<State>?

  @usableFromInline let next: Next

  @inlinable
  init(next: @escaping Next) {
    self.next = next
  }

  /// Takes a part of what this reads, and leaves out what equals the part delivered last.
  ///
  /// - Parameter areEqual: nil leaves nothing out.
  @inlinable
  func part<Value: Sendable>(
    _ get: @escaping @Sendable (State) -> Value, removingDuplicatesBy areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> SnapshotReader<Value> {
    var delivered: Value?
    return SnapshotReader<Value> { () async throws(StoreError) -> Snapshot<Value>? in
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

/// The states of a store over time with their revisions, under some ``ObservationPolicy``.
///
/// **Order.** The first element is the current state, the one at the making of the iterator where every state is observed;
/// each later one is newer than the one before. Every iterator is an observer of its own: none takes elements from another.
///
/// **Isolation.** Elements are delivered where the observer runs; there it also replays mutations, where every state is
/// observed. An observer may send to the store it observes.
///
/// **Backpressure.** As the policy says.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Lifetime.** The sequence ends when the store is shut down or released, after what was committed before. Neither it nor
/// its iterators hold the store. What is kept for an iterator goes when that is dropped.
public struct SnapshotSequence<State: Sendable>: AsyncSequence, Sendable {
  /// A state and its revision.
  public typealias Element = Snapshot<State>

  /// Why it ended before the store did, by its policy.
  public typealias Failure = StoreError

  @usableFromInline let makeReader: @Sendable () -> SnapshotReader<State>

  @usableFromInline
  init(makeReader: @escaping @Sendable () -> SnapshotReader<State>) {
    self.makeReader = makeReader
  }

  /// Makes an observer, which begins with the then current state.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: makeReader())
  }

  /// One observer of a store's snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: SnapshotReader<State>

    init(reader: SnapshotReader<State>) {
      self.reader = reader
    }

    /// The next snapshot by the policy, as soon as there is one; nil when there will be none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Snapshot<State>? {
      try await reader.next()
    }

    /// The next snapshot by the policy, as soon as there is one; nil when there will be none.
    public mutating func next() async throws(StoreError) -> Snapshot<State>? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension SnapshotSequence.Iterator: Sendable {}
