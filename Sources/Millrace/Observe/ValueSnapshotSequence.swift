/// A value taken from a state, with the place of that state in the order of commits.
public struct ValueSnapshot<Value: Sendable>: Sendable {
  /// The number of mutations committed before the state was; 0 is the initial state.
  public let revision: Int

  /// The value, as it was in that state.
  public let value: Value

  /// The number of states that the observer skipped since its last element, counting states and not values; 0 for its first.
  public let missed: Int

  /// Makes a value snapshot.
  public init(revision: Int, value: Value, missed: Int = 0) {
    self.revision = revision
    self.value = value
    self.missed = missed
  }
}

extension ValueSnapshot: Equatable where Value: Equatable {}

/// One part of a store's state over time with its revisions, under some ``ObservationPolicy``.
///
/// **Order.** The first element is the current value, the one at the making of the iterator where every state is observed;
/// each later one is newer than the one before. Every iterator is an observer of its own: none takes elements from another.
///
/// **Isolation.** Elements are delivered where the observer runs; there it also replays mutations, where every state is
/// observed, and evaluates the key path or closure. An observer may send to the store it observes.
///
/// **Backpressure.** As the policy says.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Throws:** `Failure`, which is `Never` for the policies that cannot end an observer.
///
/// **Lifetime.** The sequence ends when the store is shut down or released, after what was committed before. Neither it nor
/// its iterators hold the store. What is kept for an iterator goes when that is dropped.
public struct ValueSnapshotSequence<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// A value and its revision.
  public typealias Element = ValueSnapshot<Value>

  @usableFromInline let makeReader: @Sendable () -> SnapshotReader<Value>

  @usableFromInline
  init(makeReader: @escaping @Sendable () -> SnapshotReader<Value>) {
    self.makeReader = makeReader
  }

  /// Makes an observer, which begins with the then current value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: makeReader())
  }

  /// One observer of a part of the state.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: SnapshotReader<Value>

    init(reader: SnapshotReader<Value>) {
      self.reader = reader
    }

    /// Returns the next value by the policy, as soon as there is one; nil when there will be none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> ValueSnapshot<Value>? {
      do {
        guard let snapshot = try await reader.next() else { return nil }
        return ValueSnapshot(revision: snapshot.revision, value: snapshot.state, missed: snapshot.missed)
      } catch {
        // A policy whose `Failure` is `Never` gives its observers no error.
        if let failure = error as? Failure { throw failure }
        return nil
      }
    }

    /// Returns the next value by the policy, as soon as there is one; nil when there will be none.
    public mutating func next() async throws(Failure) -> ValueSnapshot<Value>? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension ValueSnapshotSequence.Iterator: Sendable {}
