extension Interactor {
  /// What `handle` does, as an effect of an interactor that this one is a part of.
  ///
  /// An ``Effect`` is asked for at once, so that one that is known at once stays so. Any other sequence is asked for where it is
  /// iterated, for it may not be sent there.
  ///
  /// - Parameters:
  ///   - action: what is handled.
  ///   - state: this one's part of the state now.
  ///   - newest: this one's part of the state later.
  ///   - mutation: the whole's mutation for one of this one.
  @inlinable
  func effect<Whole: Interactor>(
    of action: Action, state: State, newest: @escaping @Sendable (Whole.State) -> State,
    mutation: @escaping @Sendable (Mutation) -> Whole.Mutation
  ) async -> Effect<Whole> {
    if Mutations.self == Effect<Self>.self, let effect = await handle(action, state: state) as? Effect<Self> {
      return effect.mapMutations(state: newest, mutation)
    }
    return Effect { run in
      try await perform(action, in: run.run(state: newest, mutation: mutation))
    }
  }

  /// What `handle` does, as an effect of an interactor that has this one only as long as its state says so.
  ///
  /// - Parameters:
  ///   - action: what is handled.
  ///   - part: this one's part of the state, or nil when it is not there.
  ///   - mutation: the whole's mutation for one of this one.
  @inlinable
  func effect<Whole: Interactor>(
    of action: Action, part: @escaping @Sendable (Whole.State) -> State?,
    mutation: @escaping @Sendable (Mutation) -> Whole.Mutation
  ) -> Effect<Whole> {
    Effect { run in
      let child: Run<Self>? = await run.run(part: part, mutation: mutation)
      guard let child else { throw CancellationError() }
      try await perform(action, in: child)
    }
  }

  /// Handles an action in a run of this interactor.
  @inlinable
  func perform(_ action: Action, in run: Run<Self>) async throws {
    let mutations = await handle(action, state: run.state)
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

extension Run {
  /// The run of a child whose mutations go through this one.
  @inlinable
  func run<Child: Interactor>(
    state: @escaping @Sendable (I.State) -> Child.State,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation
  ) -> Run<Child> {
    Run<Child>(
      ApartRun(
        self,
        emit: { emit(mutation($0)) },
        state: { state(await self.state) },
        bind: { holds in await bind { holds(state($0)) }.map(state) }))
  }

  /// The run of a child that may be gone, with which this run ends; nil when it is gone already.
  @inlinable
  func run<Child: Interactor>(
    part: @escaping @Sendable (I.State) -> Child.State?,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation
  ) async -> Run<Child>? {
    guard let now = await bind({ part($0) != nil }).flatMap(part) else { return nil }
    let seen = LastSeen(now)
    return Run<Child>(
      ApartRun(
        self,
        emit: { emit(mutation($0)) },
        state: { seen.look(at: part(await state)) },
        bind: { holds in await bind { part($0).map(holds) ?? false }.flatMap(part) }))
  }
}

/// The last state of a child that a run has seen, which is what it sees when the child is gone.
@usableFromInline
final class LastSeen<State: Sendable>: Sendable {
  private let state: Lock<State>

  @usableFromInline
  init(_ state: State) {
    self.state = Lock(state)
  }

  /// The state now, or the last one when there is none now.
  @usableFromInline
  func look(at newest: State?) -> State {
    state.withLock { seen in
      if let newest { seen = newest }
      return seen
    }
  }
}
