extension Store {
  /// The states over time, as ``StateReader/states``.
  @inlinable
  public nonisolated var states: StoreSequence<I.State, Never> {
    let source = core.stateSource()
    return StoreSequence { source.states() }
  }

  /// The states over time under a policy, as ``StateReader/states(_:)``.
  @inlinable
  public nonisolated func states<Failure>(_ policy: ObservationPolicy<Failure>) -> StoreSequence<I.State, Failure> {
    StoreSequence(states: Replay.readers(policy, at: core))
  }

  /// The states over time with their revisions, as ``StateReader/snapshots(_:)``.
  @inlinable
  public nonisolated func snapshots<Failure>(
    _ policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest
  ) -> StoreSequence<Snapshot<I.State>, Failure> {
    StoreSequence(snapshots: Replay.readers(policy, at: core))
  }

  /// One property of the state over time, as by ``StateReader``.
  @inlinable
  public nonisolated func values<Value: Equatable & Sendable, Failure>(
    of keyPath: any KeyPath<I.State, Value> & Sendable,
    policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest,
    by areEqual: (@Sendable (Value, Value) -> Bool)? = nil
  ) -> StoreSequence<Value, Failure> {
    guard policy.sharesEvaluation, areEqual == nil else {
      let readers = Replay.readers(policy, at: core)
      return StoreSequence(readers, of: { $0[keyPath: keyPath] }, by: areEqual ?? { $0 == $1 })
    }
    return StoreSequence(observe: ValueObservation.observers(of: keyPath, at: core))
  }

  /// A value that a closure takes from the state over time, as by ``StateReader``.
  @inlinable
  public nonisolated func values<Value: Equatable & Sendable, Failure>(
    of get: @escaping @Sendable (I.State) -> Value,
    policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest,
    by areEqual: (@Sendable (Value, Value) -> Bool)? = nil
  ) -> StoreSequence<Value, Failure> {
    guard policy.sharesEvaluation, areEqual == nil else {
      return StoreSequence(Replay.readers(policy, at: core), of: get, by: areEqual ?? { $0 == $1 })
    }
    return StoreSequence(observe: ValueObservation.observers(of: get, at: core))
  }

  /// The commits from now on: each mutation with its cause and the state it led to.
  ///
  /// **Order.** Begins with the first commit after the making of the iterator; each later one follows, in the order of commits.
  ///
  /// **Cost.** While there is an iterator, each action costs the store a record of its own.
  ///
  /// - Parameters:
  ///   - policy: which transitions an observer gets that is slower than the store; ``ObservationPolicy/latest`` skips to the newest.
  ///   - includesBefore: whether each has the state before as well, which the observer copies for itself.
  public nonisolated func transitions<Failure>(
    _ policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.every(), includesBefore: Bool = false
  ) -> StoreSequence<Transition<I>, Failure> {
    StoreSequence { [weak core, gate = policy.involvesJournal ? core.gate : nil] in
      let next = Replay(core, policy.terms, seeksCauses: true).transitions(includesBefore: includesBefore)
      guard let gate else { return next }
      return JournaledElements(next, at: gate, heldBackUntil: policy.isDurable ? \.revision : nil).next
    }
  }

  /// Waits for a state that satisfies `predicate`, and returns it, as ``StateReader/wait(until:timeout:)``.
  ///
  /// **Cancellation.** Ends the wait with `CancellationError`.
  ///
  /// - Throws: ``StoreError`` when time is up, or when the store is shut down or its journal fails first.
  @discardableResult
  public nonisolated func wait(
    until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration? = nil
  ) async throws -> I.State {
    try await core.wait(until: predicate, timeout: timeout)
  }
}
