/// The place of one observer of states in the store's registry, and the revision it got last; guarded by the store's lock.
@usableFromInline
final class ObserverPosition: Placed, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var place: Int?

  /// The revision that was delivered last.
  @exclusivity(unchecked) @usableFromInline var seen = 0

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
