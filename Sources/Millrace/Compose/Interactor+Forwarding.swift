extension Interactor {
  /// Returns the effect of `handle` as an effect of an interactor that this one is a part of.
  ///
  /// An ``Effect`` is asked for at once, so that one that is known at once stays so. Any other sequence is asked for where it is
  /// iterated, for it may not be sent there.
  ///
  /// - Parameters:
  ///   - action: the action that is handled.
  ///   - position: the position of this one in the whole.
  ///   - state: this one's part of the state now.
  ///   - newest: this one's part of the state later.
  ///   - mutation: the whole's mutation for one of this one.
  ///   - sent: the whole's action for one that this one's run sends.
  @inlinable
  func effect<Whole: Interactor>(
    of action: Action, at position: PartPosition, state: State, newest: @escaping @Sendable (Whole.State) -> State,
    mutation: @escaping @Sendable (Mutation) -> Whole.Mutation,
    sent: @escaping @Sendable (Action) throws -> Whole.Action
  ) async -> Effect<Whole> {
    if Mutations.self == Effect<Self>.self, let effect = await handle(action, state: state) as? Effect<Self> {
      return effect.mapMutations(at: position, state: newest, action: sent, mutation)
    }
    return Effect { run in
      try await handle(action, emittingInto: run.run(at: position, state: newest, mutation: mutation, action: sent))
    }
  }

  /// Returns the effect of `handle` as an effect of an interactor over the same state that this one is a part of.
  @inlinable
  func effect<Whole: Interactor>(of action: Action, state: State) async -> Effect<Whole>
  where Whole.State == State, Whole.Mutation == Mutation, Whole.Action == Action {
    if Mutations.self == Effect<Self>.self, let effect = await handle(action, state: state) as? Effect<Self> {
      switch effect.content {
      case .one(let mutation): return .just(mutation)
      case .known(let mutations): return .sequence(mutations)
      case .body(let body): return Effect { run in try await body(run.run()) }
      case .notHandled: return Effect<Whole>(content: .notHandled)
      }
    }
    return Effect { run in try await handle(action, emittingInto: run.run()) }
  }

  /// Returns the effect of `handle` as an effect of an interactor that has this one only as long as its state says so.
  ///
  /// - Parameters:
  ///   - action: the action that is handled.
  ///   - id: the identity of this one for the whole.
  ///   - condition: returns the condition that this one is there.
  ///   - part: this one's part of the state, or nil when it is not there.
  ///   - mutation: the whole's mutation for one of this one.
  ///   - sent: the whole's action for one that this one's run sends.
  @inlinable
  func effect<Whole: Interactor>(
    of action: Action, as id: ChildID, condition: @escaping @Sendable () -> LifetimeCondition,
    part: @escaping @Sendable (Whole.State) -> State?,
    mutation: @escaping @Sendable (Mutation) -> Whole.Mutation,
    sent: @escaping @Sendable (Action) throws -> Whole.Action
  ) -> Effect<Whole> {
    Effect { run in
      let child: Run<Self>? = await run.run(as: id, condition, part: part, mutation: mutation, action: sent)
      guard let child else { throw CancellationError() }
      try await handle(action, emittingInto: child)
    }
  }

  /// Handles an action in a run of this interactor.
  @inlinable
  func handle(_ action: Action, emittingInto run: Run<Self>) async throws {
    let mutations = try await handle(action, state: run.state)
    if let effect = mutations as? Effect<Self> {
      try await effect.perform(in: run)
    } else {
      var iterator = mutations.makeAsyncIterator()
      while let mutation = try await iterator.next(isolation: nil) {
        guard run.emit(mutation) else { return }
      }
    }
  }
}
