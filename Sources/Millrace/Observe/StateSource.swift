/// Where an observer of states looks for the newest one; made by the store, which it does not hold.
@usableFromInline
struct StateSource<State: Sendable>: Sendable {
  /// The first state after a revision, waiting for it with the observer's own waiter; nil when there will be none.
  @usableFromInline
  typealias Next = @Sendable (_ seen: Int, _ waiter: Waiter) async -> Snapshot<State>?

  @usableFromInline let next: Next

  @usableFromInline
  init(next: @escaping Next) {
    self.next = next
  }
}
