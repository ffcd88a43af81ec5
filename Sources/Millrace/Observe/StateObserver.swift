/// Where one observer of states sits at the board of the store; all of it the owner's of the turn.
@usableFromInline
final class Seat: Placed, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var place: Int?

  /// The revision that was delivered last.
  @exclusivity(unchecked) @usableFromInline var seen = 0

  @usableFromInline
  init() {}
}

/// One observer of states: it waits, has a seat from its first look on, and gives that back when it is dropped.
@usableFromInline
final class StateObserver: Sendable {
  @usableFromInline let waiter = Waiter()
  @usableFromInline let seat = Seat()
  private let leave: @Sendable (Seat) -> Void

  @usableFromInline
  init(leave: @escaping @Sendable (Seat) -> Void) {
    self.leave = leave
  }

  deinit {
    leave(seat)
  }
}
