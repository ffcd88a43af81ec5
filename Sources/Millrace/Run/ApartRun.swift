/// A run whose mutations do not go straight into a store: into a state of its own, or through the run of a parent.
@usableFromInline
final class ApartRun<I: Interactor>: Sendable {
  @usableFromInline let emit: @Sendable (I.Mutation) -> Bool
  @usableFromInline let state: @Sendable () async -> I.State
  let surroundings: RunSurroundings

  init(
    _ surroundings: RunSurroundings, emit: @escaping @Sendable (I.Mutation) -> Bool,
    state: @escaping @Sendable () async -> I.State
  ) {
    self.emit = emit
    self.state = state
    self.surroundings = surroundings
  }
}

/// What a run is told besides the state.
struct RunSurroundings: Sendable {
  let id: ActionID
  let attempt: Int
  let idempotencyKey: String
  let clock: any Clock<Duration>
  let context: RunContext?
}
