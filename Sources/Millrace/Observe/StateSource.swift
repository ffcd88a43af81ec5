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
