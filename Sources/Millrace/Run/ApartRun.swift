/// A run whose mutations do not go straight into a store: into a state of its own, or through the run of a parent.
@usableFromInline
final class ApartRun<I: Interactor>: Sendable {
  @usableFromInline let emit: @Sendable (I.Mutation) -> Bool
  @usableFromInline let state: @Sendable () async -> I.State
  let id: ActionID
  let clock: any Clock<Duration>

  init(
    id: ActionID, clock: any Clock<Duration>, emit: @escaping @Sendable (I.Mutation) -> Bool,
    state: @escaping @Sendable () async -> I.State
  ) {
    self.emit = emit
    self.state = state
    self.id = id
    self.clock = clock
  }
}
