/// The states of a store over time, the newest one whenever the observer asks.
///
/// **Order.** The first element is the current state; each later one is newer than the one before. A slow observer skips to
/// the newest, which costs the store nothing. Every iterator is an observer of its own: none takes elements from another.
///
/// **Isolation.** Elements are delivered where the observer runs. An observer may send to the store it observes.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Lifetime.** The sequence ends when the store is shut down, after its last state, or released. Neither it nor its
/// iterators hold the store, and an iterator that is not waiting costs the store nothing.
public struct StateSequence<State: Sendable>: AsyncSequence, Sendable {
  /// A state.
  public typealias Element = State

  /// States do not fail.
  public typealias Failure = Never

  @usableFromInline let source: StateSource<State>

  @usableFromInline
  init(source: StateSource<State>) {
    self.source = source
  }

  /// Makes an observer, which begins with the then current state.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: source)
  }

  /// One observer of a store's states.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let source: StateSource<State>
    @usableFromInline let observer: StateObserver
    @usableFromInline var seen = -1

    @usableFromInline
    init(source: StateSource<State>) {
      self.source = source
      observer = source.makeObserver()
    }

    /// The newest state that this observer has not seen, as soon as there is one; nil when there will be none.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
      guard let snapshot = await source.next(seen, observer) else { return nil }
      seen = snapshot.revision
      return snapshot.state
    }

    /// The newest state that this observer has not seen, as soon as there is one; nil when there will be none.
    @inlinable
    public mutating func next() async -> State? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension StateSequence.Iterator: Sendable {}
