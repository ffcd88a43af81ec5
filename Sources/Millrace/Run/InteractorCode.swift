/// What a store does with its interactor, as one closure that is written where all types are known.
@usableFromInline
typealias InteractorCode<I: Interactor> = @Sendable (StoreCore<I>, InteractorCall<I>) -> Task<Void, Never>?

/// What the store asks its code for.
@usableFromInline
enum InteractorCall<I: Interactor> {
  /// Decide the action, and do what was decided.
  case decide(ActiveRun<I>)
  /// Make the task of a handler, on this thread up to the first suspension if `immediately`.
  case run(ActiveRun<I>, immediately: Bool)
  case attempt(Attempt<I>, immediately: Bool)
}

extension InteractorCall {
  @inlinable
  func answer(at core: StoreCore<I>) -> Task<Void, Never>? {
    switch self {
    case .decide(let run):
      core.decideAndFollow(run)
      return nil
    case .run(let run, immediately: true):
      return Task.immediateDetached { await Ticket.current.withValue(run) { await core.execute(run) } }
    case .run(let run, immediately: false):
      return Task.detached { await Ticket.current.withValue(run) { await core.execute(run) } }
    case .attempt(let attempt, immediately: true):
      return Task.immediateDetached {
        await Ticket.current.withValue(attempt.run) { await core.execute(attempt) }
      }
    case .attempt(let attempt, immediately: false):
      return Task.detached { await Ticket.current.withValue(attempt.run) { await core.execute(attempt) } }
    }
  }
}
