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

/// The place of one observer of states in the store's registry, and the revision it got last; guarded by the store's lock.
@usableFromInline
final class ObserverPosition: Placed, @unchecked Sendable {
  @usableFromInline var place: Int?

  /// The revision that was delivered last.
  @usableFromInline var seen = 0

  @usableFromInline
  init() {}
}

/// One observer of states: it waits, has a position from its first look on, and gives that back when it is dropped.
@usableFromInline
final class StateObserver: Sendable {
  @usableFromInline let waiter = Waiter()
  @usableFromInline let position = ObserverPosition()
  private let leave: @Sendable (ObserverPosition) -> Void

  @usableFromInline
  init(leave: @escaping @Sendable (ObserverPosition) -> Void) {
    self.leave = leave
  }

  deinit {
    leave(position)
  }
}

/// Where an observer of states looks for the newest one; made by the store, which it does not hold.
@usableFromInline
struct StateSource<State: Sendable>: Sendable {
  /// The first state after a revision, waiting for it with the observer's own waiter; nil when there will be none.
  @usableFromInline
  typealias Next = @Sendable (_ seen: Int, _ observer: StateObserver) async -> Snapshot<State>?

  @usableFromInline let next: Next
  private let leave: @Sendable (ObserverPosition) -> Void

  @usableFromInline
  init(next: @escaping Next, leave: @escaping @Sendable (ObserverPosition) -> Void) {
    self.next = next
    self.leave = leave
  }

  @usableFromInline
  func makeObserver() -> StateObserver {
    StateObserver(leave: leave)
  }
}

extension SnapshotReader {
  /// Reads the newest state each time.
  @inlinable
  static func latest(_ source: StateSource<State>) -> SnapshotReader {
    let observer = source.makeObserver()
    var seen = -1
    return SnapshotReader { () async throws(StoreError) -> Snapshot<State>? in
      guard let snapshot = await source.next(seen, observer) else { return nil }
      let missed = seen < 0 ? 0 : snapshot.revision - seen - 1
      seen = snapshot.revision
      return Snapshot(revision: snapshot.revision, state: snapshot.state, missed: missed)
    }
  }
}
