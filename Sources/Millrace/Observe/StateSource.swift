/// The index of one observer of states in the store's registry, and the revision it got last; guarded by the store's lock.
@usableFromInline
final class ObserverPosition: Indexed, @unchecked Sendable {
  @usableFromInline var index: Int?

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

/// The source of the newest state for an observer; the store makes it, and it does not hold the store.
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

extension StateSource {
  /// Reads the newest state each time, for one observer.
  @inlinable
  func states() -> NextElement<State> {
    let observer = makeObserver()
    var seen = -1
    return { () async throws(StoreError) -> State? in
      guard let snapshot = await next(seen, observer) else { return nil }
      seen = snapshot.revision
      return snapshot.state
    }
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
