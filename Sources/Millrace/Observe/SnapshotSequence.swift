/// The states of a store over time with their revisions; otherwise as ``StateSequence``.
public struct SnapshotSequence<State: Sendable>: AsyncSequence, Sendable {
  /// A state and its revision.
  public typealias Element = Snapshot<State>

  /// Snapshots do not fail.
  public typealias Failure = Never

  @usableFromInline let source: StateSource<State>

  @usableFromInline
  init(source: StateSource<State>) {
    self.source = source
  }

  /// Makes an observer, which begins with the then current state.
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: source)
  }

  /// One observer of a store's snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: StateSource<State>
    private let observer: StateObserver
    private var seen = -1

    init(source: StateSource<State>) {
      self.source = source
      observer = source.makeObserver()
    }

    /// The newest snapshot that this observer has not seen, as soon as there is one; nil when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Snapshot<State>? {
      guard let snapshot = await source.next(seen, observer) else { return nil }
      let missed = seen < 0 ? 0 : snapshot.revision - seen - 1
      seen = snapshot.revision
      return Snapshot(revision: snapshot.revision, state: snapshot.state, missed: missed)
    }

    /// The newest snapshot that this observer has not seen, as soon as there is one; nil when there will be none.
    public mutating func next() async -> Snapshot<State>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension SnapshotSequence.Iterator: Sendable {}
