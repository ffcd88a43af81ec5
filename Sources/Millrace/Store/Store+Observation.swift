extension Store {
  /// The states over time: the current one first, then the newest whenever the observer asks.
  @inlinable
  public nonisolated var states: StateSequence<I.State> {
    StateSequence(source: runner.stateSource())
  }

  /// The states over time, with their revisions.
  @inlinable
  public nonisolated func states(_ policy: ObservationPolicy) -> SnapshotSequence<I.State> {
    SnapshotSequence(source: runner.stateSource())
  }

  /// One property of the state over time: the current value first, then whenever it differs from the one delivered last.
  ///
  /// However many observe one key path, it is evaluated once for all of them.
  public nonisolated func values<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<I.State, Value> & Sendable
  ) -> ValueSequence<Value> {
    runner.values(of: keyPath)
  }

  /// What a closure takes from the state, over time: the current value first, then whenever it differs from the one
  /// delivered last.
  ///
  /// - Parameter get: quick and free of effects; it is called with the store's turn, on any thread.
  public nonisolated func values<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (I.State) -> Value
  ) -> ValueSequence<Value> {
    runner.values(get)
  }

  /// Waits for a state that satisfies `predicate`, and returns it.
  ///
  /// The current state is judged first, then every state that is committed, so that none is missed. The store is held while
  /// this waits.
  ///
  /// **Cancellation.** Ends the wait with `CancellationError`.
  ///
  /// - Parameters:
  ///   - predicate: quick and free of effects; it is called with the store's turn, on any thread.
  ///   - timeout: how long to wait on the store's clock; nil waits as long as it takes.
  /// - Throws: ``WaitError`` when time is up, or when the store is shut down first.
  @discardableResult
  public nonisolated func wait(
    until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration? = nil
  ) async throws -> I.State {
    let runner = runner
    let watcher = Watcher(predicate: predicate)
    let deadline = timeout.map { timeout in
      let clock = runner.configuration.clock
      return Task {
        try await clock.sleep(for: timeout)
        runner.stop(watcher, because: WaitError(.timedOut))
      }
    }
    defer { deadline?.cancel() }
    return try await runner.firstState(watcher)
  }
}
