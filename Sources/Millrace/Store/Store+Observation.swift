extension Store {
  /// The states over time: the current one first, then the newest whenever the observer asks.
  @inlinable
  public nonisolated var states: StateSequence<I.State> {
    StateSequence(source: core.stateSource())
  }

  /// The states over time, with their revisions, as `policy` says.
  @inlinable
  public nonisolated func states<Failure>(_ policy: ObservationPolicy<Failure>) -> SnapshotSequence<I.State> {
    SnapshotSequence(makeReader: Replay.readers(policy.terms, at: core))
  }

  /// The commits from now on: each mutation with its cause and the state it led to.
  public nonisolated var transitions: TransitionSequence<I> { transitions(.every()) }

  /// The commits from now on, as `policy` says; ``ObservationPolicy/latest`` skips to the newest.
  ///
  /// - Parameters:
  ///   - policy: which transitions an observer gets that is slower than the store.
  ///   - includesBefore: whether each has the state before as well, which the observer copies for itself.
  public nonisolated func transitions<Failure>(
    _ policy: ObservationPolicy<Failure>, includesBefore: Bool = false
  ) -> TransitionSequence<I> {
    TransitionSequence(includesBefore: includesBefore) { [weak core] in
      Replay(core, policy.terms, seeksCauses: true)
    }
  }

  /// One property of the state over time: the current value first, then whenever it differs from the one delivered last.
  ///
  /// However many observe one key path, it is evaluated once for all of them.
  public nonisolated func values<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<I.State, Value> & Sendable
  ) -> ValueSequence<Value> {
    ValueObservation.sequence(of: keyPath, at: core)
  }

  /// What a closure takes from the state, over time: the current value first, then whenever it differs from the one
  /// delivered last.
  ///
  /// - Parameter get: quick and free of effects; it is called with the store's lock, on any thread.
  public nonisolated func values<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (I.State) -> Value
  ) -> ValueSequence<Value> {
    ValueObservation.sequence(get, at: core)
  }

  /// The values that a closure or a key path takes from the state over time, with their revisions, as `policy` says.
  ///
  /// The current value first, then whenever it differs from the one delivered last. A computed property, or an initialiser
  /// that combines several parts, is observed like a stored one. Under a policy that cannot fail the loop needs no `try`:
  ///
  /// ```swift
  /// for await name in store.values(of: \.user.name, .every()) { print(name.value) }
  /// for try await name in store.values(of: \.user.name, .lossless()) { print(name.value) }
  /// ```
  ///
  /// - Parameters:
  ///   - get: quick and free of effects; it is called where the observer runs.
  ///   - policy: which states are looked at.
  @inlinable
  public nonisolated func values<Value: Equatable & Sendable, Failure>(
    of get: @escaping @Sendable (I.State) -> Value, _ policy: ObservationPolicy<Failure>
  ) -> ValueSnapshotSequence<Value, Failure> {
    values(of: get, policy, removingDuplicatesBy: { $0 == $1 })
  }

  /// The values that a closure or a key path takes from the state, as `policy` says, where they are not `Equatable` or are to
  /// be compared otherwise.
  ///
  /// - Parameters:
  ///   - get: quick and free of effects; it is called where the observer runs.
  ///   - policy: which states are looked at.
  ///   - areEqual: compares with the value delivered last; nil delivers the value of each state.
  @inlinable
  public nonisolated func values<Value: Sendable, Failure>(
    of get: @escaping @Sendable (I.State) -> Value, _ policy: ObservationPolicy<Failure>,
    removingDuplicatesBy areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> ValueSnapshotSequence<Value, Failure> {
    let makeReader = Replay.readers(policy.terms, at: core)
    return ValueSnapshotSequence { makeReader().part(get, removingDuplicatesBy: areEqual) }
  }

  /// What a closure or a key path takes from the state, where the values are not `Equatable` or are to be compared otherwise.
  ///
  /// Each observer evaluates it for itself, with each state it sees.
  ///
  /// - Parameters:
  ///   - get: quick and free of effects; it is called where the observer runs.
  ///   - areEqual: compares with the value delivered last; nil delivers the value of each newest state.
  public nonisolated func values<Value: Sendable>(
    of get: @escaping @Sendable (I.State) -> Value, removingDuplicatesBy areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> ValueSequence<Value> {
    let snapshots = values(of: get, .latest, removingDuplicatesBy: areEqual)
    return ValueSequence {
      let reader = snapshots.makeReader()
      return { try? await reader.next()?.state }  // This policy has no error.
    }
  }

  /// Waits for a state that satisfies `predicate`, and returns it.
  ///
  /// The current state is judged first, then every state that is committed, so that none is missed. The store is held while
  /// this waits.
  ///
  /// **Cancellation.** Ends the wait with `CancellationError`.
  ///
  /// - Parameters:
  ///   - predicate: quick and free of effects; it is called with the store's lock, on any thread.
  ///   - timeout: how long to wait on the store's clock; nil waits as long as it takes.
  /// - Throws: ``StoreError`` when time is up, or when the store is shut down first.
  @discardableResult
  public nonisolated func wait(
    until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration? = nil
  ) async throws -> I.State {
    try await core.wait(until: predicate, timeout: timeout)
  }
}
