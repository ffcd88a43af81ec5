import Synchronization

extension Effect {
  /// The mutations of this effect, run without a store on a state of its own: for a handler's test, or a script.
  ///
  /// Each iterator runs the effect anew, in a task that ends with it. ``Run/state`` is the fold of `state` and of what was
  /// emitted. There is no backpressure: mutations that are not yet taken are buffered without bound.
  ///
  /// - Parameters:
  ///   - state: the state that the effect starts from.
  ///   - clock: the clock that ``Run/clock`` returns.
  public func mutations(
    state: I.State, clock: any Clock<Duration> = ContinuousClock()
  ) -> some AsyncSequence<I.Mutation, any Error> & Sendable {
    EffectMutations(effect: self, state: state, terms: LoneTerms(clock: clock))
  }
}

/// The mutations of an effect that runs outside a store.
struct EffectMutations<I: Interactor>: AsyncSequence, Sendable {
  typealias Element = I.Mutation
  typealias Failure = any Error

  let effect: Effect<I>
  let state: I.State
  let terms: LoneTerms

  private static var unsendable: String {
    "The effect is iterated outside a store, where nothing takes actions; return it from `handle` of a store's interactor."
  }

  /// Starts the effect.
  func makeAsyncIterator() -> AsyncThrowingStream<I.Mutation, any Error>.Iterator {
    let (stream, continuation) = AsyncThrowingStream<I.Mutation, any Error>.makeStream()
    let fold = Fold<I>(state)
    let run = Run<I>(
      ForwardedRun(
        LoneEnvironment(
          terms, isOver: { fold.isOver },
          fail: { error in
            fold.end()
            continuation.finish(throwing: error)
          }),
        emit: { mutation, _ in
          guard !fold.isOver else { return false }
          fold.add(mutation)
          if case .terminated = continuation.yield(mutation) { return false }
          return true
        },
        state: { fold.state },
        endWhen: { $1().exists.holds(of: fold.state) ? ExistingChild(nil) : nil },
        send: { _ in Receipt(notSent: EffectMutations.unsendable) },
        submit: { _ in Receipt(notSent: EffectMutations.unsendable) },
        commitStep: { step, mutations, _ in
          if fold.isOver {
            step.completion(false)
            return false
          }
          for mutation in mutations {
            fold.add(mutation)
            if case .terminated = continuation.yield(mutation) { break }
          }
          step.completion(true)
          return !fold.isOver
        },
        waitFor: { try await fold.wait(for: $0) }))
    let task = Task { [effect] in
      do {
        try await effect.perform(in: run)
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in
      // The stream takes mutations until this returns, and the task may emit as soon as it is cancelled.
      fold.end()
      task.cancel()
    }
    return stream.makeAsyncIterator()
  }
}

/// The state that an effect outside a store has led to.
private final class Fold<I: Interactor>: Sendable {
  private struct Content {
    var state: I.State
    var watchers: [Watcher<I.State>] = []

    /// Removes the waits that end with the state.
    mutating func takeEnded() -> [Watcher<I.State>] {
      let ended = watchers.filter { $0.predicate(state) }
      if !ended.isEmpty { watchers.removeAll { watcher in ended.contains { $0 === watcher } } }
      return ended
    }
  }

  private let folded: Lock<Content>
  private let over = Atomic(false)

  init(_ state: I.State) {
    folded = Lock(Content(state: state))
  }

  var state: I.State { folded.withLock { $0.state } }

  /// Returns when a condition holds of the state.
  ///
  /// - Throws: `CancellationError` in a cancelled task.
  func wait(for condition: @escaping @Sendable (I.State) -> Bool) async throws {
    let watcher = Watcher(predicate: condition)
    try await withTaskCancellationHandler {
      let (state, ended) = folded.withLock { content in
        // One that was cancelled before has been removed already.
        if !watcher.hasEnded { content.watchers.append(watcher) }
        return (content.state, content.takeEnded())
      }
      for watcher in ended { watcher.end(.success(state)) }
      _ = try await watcher.result()
    } onCancel: {
      watcher.end(.failure(CancellationError()))
      folded.withLock { content in content.watchers.removeAll { $0.hasEnded } }
    }
  }

  /// Whether the iteration is over.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func end() {
    over.store(true, ordering: .releasing)
  }

  func add(_ mutation: I.Mutation) {
    let (state, ended) = folded.withLock { content in
      I.reduce(into: &content.state, mutation: mutation)
      return (content.state, content.takeEnded())
    }
    for watcher in ended { watcher.end(.success(state)) }
  }
}
