extension Effect {
  /// The mutations of this effect, run alone on a state of its own: for a handler's test, or a script.
  ///
  /// Each iterator runs the effect anew, in a task that ends with it. ``Run/state`` is the fold of `state` and of what was
  /// emitted. There is no backpressure: mutations that are not yet taken are buffered without bound.
  ///
  /// - Parameters:
  ///   - state: what the effect starts from.
  ///   - clock: what ``Run/clock`` is.
  public func mutations(
    state: I.State, clock: any Clock<Duration> = ContinuousClock()
  ) -> EffectMutations<I> {
    EffectMutations(effect: self, state: state, clock: clock)
  }
}

/// The mutations of an effect that runs outside a store.
public struct EffectMutations<I: Interactor>: AsyncSequence, Sendable {
  /// A mutation.
  public typealias Element = I.Mutation

  /// Whatever the effect throws.
  public typealias Failure = any Error

  let effect: Effect<I>
  let state: I.State
  let clock: any Clock<Duration>

  /// Starts the effect.
  public func makeAsyncIterator() -> AsyncThrowingStream<I.Mutation, any Error>.Iterator {
    let (stream, continuation) = AsyncThrowingStream<I.Mutation, any Error>.makeStream()
    let fold = Lock(state)
    let shared = SharedFold<I>(fold)
    let run = Run<I>(
      ApartRun(
        id: .takenAtOnce(1), clock: clock,
        emit: { mutation in
          shared.add(mutation)
          if case .terminated = continuation.yield(mutation) { return false }
          return true
        },
        state: { shared.state }))
    let task = Task { [effect] in
      do {
        try await effect.perform(in: run)
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream.makeAsyncIterator()
  }
}

/// The state that an effect outside a store has led to.
private final class SharedFold<I: Interactor>: Sendable {
  private let fold: Lock<I.State>

  init(_ fold: consuming sending Lock<I.State>) {
    self.fold = fold
  }

  var state: I.State { fold.withLock { $0 } }

  func add(_ mutation: I.Mutation) {
    fold.withLock { I.reduce(into: &$0, mutation: mutation) }
  }
}
