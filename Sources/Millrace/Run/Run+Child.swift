extension Run {
  /// The run of a part over the same state, whose mutations go through this one as they are, or as `transform` makes them.
  @inlinable
  func run<Part: Interactor>(mutation transform: (@Sendable (I.Mutation) -> I.Mutation)? = nil) -> Run<Part>
  where Part.State == I.State, Part.Mutation == I.Mutation, Part.Action == I.Action {
    Run<Part>(
      ForwardedRun(
        self,
        emit: { mutation, child in
          if let transform { emit(transform(mutation), through: nil) } else { emit(mutation, through: child) }
        },
        state: { await state },
        endWhen: { await endWhen(notHolding: $0) },
        send: { send($0) },
        submit: { try await submit($0) }))
  }

  /// The run of a child whose mutations go through this one.
  @inlinable
  func run<Child: Interactor>(
    at place: PartPlace, state: @escaping @Sendable (I.State) -> Child.State,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) -> Run<Child> {
    let keepsChild = place.keepsChild
    return Run<Child>(
      ForwardedRun(
        self,
        emit: { emit(mutation($0), through: keepsChild ? $1 : nil) },
        state: { state(await self.state) },
        endWhen: { await endWhen(notHolding: $0, in: place, state) },
        send: { send($0, as: action) },
        submit: { try await submit($0, as: action) }))
  }

  /// The run of a child that may be removed, which ends this run too; nil when the child does not exist.
  @inlinable
  func run<Child: Interactor>(
    of id: ChildID, part: @escaping @Sendable (I.State) -> Child.State?,
    mayRemove: @escaping @Sendable (I.Mutation) -> Bool,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) async -> Run<Child>? {
    let found = await endWhen(notHolding: LifetimeCondition(id, mayRemove: mayRemove) { part($0) != nil })
    guard let found, let now = part(found.state) else { return nil }
    let seen = LastSeen(now)
    let child = found.child
    return Run<Child>(
      ForwardedRun(
        self,
        emit: { emit(mutation($0), through: $1 ?? child) },
        state: { seen.look(at: part(await state)) },
        endWhen: { await endWhen(notHolding: $0, in: id, part) },
        send: { send($0, as: action) },
        submit: { try await submit($0, as: action) }))
  }
}

extension Run {
  /// Ends the run when a condition of a part stops holding.
  @usableFromInline
  func endWhen<Part: Sendable, PartMutation>(
    notHolding condition: LifetimeCondition<Part, PartMutation>, in place: PartPlace,
    _ part: @escaping @Sendable (I.State) -> Part
  ) async -> ExistingChild<Part>? {
    await endWhen(notHolding: condition.within(place, part)).map { found in
      ExistingChild(state: part(found.state), child: found.child)
    }
  }

  /// Ends the run when a condition of a child that may be removed stops holding.
  @usableFromInline
  func endWhen<Part: Sendable, PartMutation>(
    notHolding condition: LifetimeCondition<Part, PartMutation>, in child: ChildID,
    _ part: @escaping @Sendable (I.State) -> Part?
  ) async -> ExistingChild<Part>? {
    await endWhen(notHolding: condition.within(child, part)).flatMap { found in
      part(found.state).map { ExistingChild(state: $0, child: found.child) }
    }
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
