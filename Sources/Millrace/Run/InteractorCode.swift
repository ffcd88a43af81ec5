/// The calls of a store that name its interactor's types, as closures that are written where all types are known.
@usableFromInline
struct InteractorCode<I: Interactor>: Sendable {
  /// Decides an action, and does what was decided.
  @usableFromInline let decide: @Sendable (inout Owned<I>, ActiveRun<I>, StoreCore<I>) -> Void

  /// Makes the task of a handler, on this thread up to the first suspension if it is to be begun immediately.
  @usableFromInline let begin: @Sendable (HandlerCall<I>, StoreCore<I>, _ immediately: Bool) -> Task<Void, Never>

  @inlinable
  init() {
    decide = { owned, run, core in owned.decideAndFollow(run, at: core) }
    begin = { call, core, immediately in call.begin(at: core, immediately: immediately) }
  }
}

/// The handler that is begun.
@usableFromInline
enum HandlerCall<I: Interactor> {
  /// The only one of a run.
  case run(ActiveRun<I>)
  case attempt(Attempt<I>)

  @inlinable
  func begin(at core: StoreCore<I>, immediately: Bool) -> Task<Void, Never> {
    switch (self, immediately) {
    case (.run(let run), true):
      Task.immediateDetached { await Ticket.current.withValue(run) { await core.execute(run) } }
    case (.run(let run), false):
      Task.detached { await Ticket.current.withValue(run) { await core.execute(run) } }
    case (.attempt(let attempt), true):
      Task.immediateDetached { await Ticket.current.withValue(attempt.run) { await core.execute(attempt) } }
    case (.attempt(let attempt), false):
      Task.detached { await Ticket.current.withValue(attempt.run) { await core.execute(attempt) } }
    }
  }
}
