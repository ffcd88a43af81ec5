/// One wait for a state that satisfies a predicate; it ends once.
final class Watcher<State: Sendable>: Sendable {
  private enum Phase {
    /// Made, and nobody waits yet. Becomes `waiting` or `ended`.
    case new
    /// A task is suspended. Becomes `ended`.
    case waiting(CheckedContinuation<State, any Error>)
    /// It has its result. Remains.
    case ended(Result<State, any Error>)
  }

  let predicate: @Sendable (State) -> Bool
  private let phase = Lock<Phase>(.new)

  init(predicate: @escaping @Sendable (State) -> Bool) {
    self.predicate = predicate
  }

  /// Whether it has its result, so that no further state is to be judged.
  var hasEnded: Bool {
    phase.withLock { phase in
      if case .ended = phase { true } else { false }
    }
  }

  /// Ends the wait with this result; later calls do nothing.
  func end(_ result: Result<State, any Error>) {
    let continuation: CheckedContinuation<State, any Error>? = phase.withLock { phase in
      switch phase {
      case .new:
        phase = .ended(result)
        return nil
      case .waiting(let continuation):
        phase = .ended(result)
        return continuation
      case .ended:
        return nil
      }
    }
    continuation?.resume(with: result)
  }

  /// Suspends until the wait has ended.
  func result() async throws -> State {
    try await withCheckedThrowingContinuation { continuation in
      let result: Result<State, any Error>? = phase.withLock { phase in
        if case .ended(let result) = phase { return result }
        phase = .waiting(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
