/// One wait for a state that satisfies a predicate; it ends once.
final class Watcher<State: Sendable>: Sendable {
  let predicate: @Sendable (State) -> Bool
  private let promise = Promise<Result<State, any Error>>()

  init(predicate: @escaping @Sendable (State) -> Bool) {
    self.predicate = predicate
  }

  /// Whether it has its result, so that no further state is to be judged.
  var hasEnded: Bool { promise.isFulfilled }

  /// Ends the wait with this result; later calls do nothing.
  func end(_ result: Result<State, any Error>) {
    promise.fulfil(result)
  }

  /// Suspends until the wait has ended.
  func result() async throws -> State {
    try await promise.value.get()
  }
}
