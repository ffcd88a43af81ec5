extension Run {
  /// The run of a child whose mutations go through this one.
  @inlinable
  func run<Child: Interactor>(
    state: @escaping @Sendable (I.State) -> Child.State,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) -> Run<Child> {
    Run<Child>(
      ForwardedRun(
        self,
        emit: { emit(mutation($0)) },
        state: { state(await self.state) },
        bind: { holds in await bind { holds(state($0)) }.map(state) },
        send: { send($0, as: action) },
        submit: { try await submit($0, as: action) }))
  }

  /// The run of a child that may be gone, with which this run ends; nil when it is gone already.
  @inlinable
  func run<Child: Interactor>(
    part: @escaping @Sendable (I.State) -> Child.State?,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) async -> Run<Child>? {
    guard let now = await bind({ part($0) != nil }).flatMap(part) else { return nil }
    let seen = LastSeen(now)
    return Run<Child>(
      ForwardedRun(
        self,
        emit: { emit(mutation($0)) },
        state: { seen.look(at: part(await state)) },
        bind: { holds in await bind { part($0).map(holds) ?? false }.flatMap(part) },
        send: { send($0, as: action) },
        submit: { try await submit($0, as: action) }))
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
