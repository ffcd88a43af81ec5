/// What an effect's closure gets: the means to emit mutations and to see the state they lead to.
public struct Run<I: Interactor>: Sendable, RunEnvironment {
  /// Where a run commits; two words, for it is copied often.
  @usableFromInline
  @frozen
  enum Place: Sendable {
    /// Straight into a store.
    case store(StoreCore<I>, ActiveRun<I>)
    /// Into a store, as long as the attempt lasts.
    case attempt(Attempt<I>)
    /// Into something else: a state of its own, or the run of a parent.
    case apart(ForwardedRun<I>)
  }

  @usableFromInline let place: Place

  @usableFromInline
  init(of run: ActiveRun<I>, at core: StoreCore<I>) {
    place = .store(core, run)
  }

  @usableFromInline
  init(of attempt: Attempt<I>) {
    place = .attempt(attempt)
  }

  @inlinable
  init(_ apart: ForwardedRun<I>) {
    place = .apart(apart)
  }

  /// Commits a mutation.
  ///
  /// **Order.** Mutations commit in the order of the calls. Where another thread has the store's lock, the mutation is left
  /// for that thread and this returns at once. May be called from any task, also from several.
  ///
  /// **Backpressure.** A run that has left 1,024 mutations for others commits what is left itself before it goes on.
  ///
  /// - Returns: false once the run has ended, or its attempt was given up, and the mutation changed nothing; it is a good
  ///   time to return then.
  @inlinable
  @discardableResult
  public func emit(_ mutation: I.Mutation) -> Bool {
    switch place {
    case .store(let core, let run): core.emit(mutation, of: run)
    case .attempt(let attempt): attempt.core.emit(mutation, of: attempt)
    case .apart(let apart): apart.emit(mutation)
    }
  }

  /// The newest state, with everything in it that this run emitted before.
  ///
  /// It does not wait for other handlers. When the store has been released it is the last state there was.
  @inlinable
  public var state: I.State {
    get async {
      switch place {
      case .store(let core, _): await core.read().state
      case .attempt(let attempt): await attempt.core.read().state
      case .apart(let apart): await apart.state()
      }
    }
  }

  /// The id of the action that is handled; ``Receipt/id`` of whoever sent it.
  public var id: ActionID {
    switch place {
    case .store(_, let run): run.id
    case .attempt(let attempt): attempt.run.id
    case .apart(let apart): apart.environment.id
    }
  }

  /// Which attempt this is, counted from 1; more than one only if the action's ``Plan`` has a retry.
  public var attempt: Int {
    switch place {
    case .store: 1
    case .attempt(let attempt): attempt.number
    case .apart(let apart): apart.environment.attempt
    }
  }

  /// A text that is the same for all attempts at this action, and for no other action: for gateways that do the same request
  /// only once.
  public var idempotencyKey: String {
    switch place {
    case .store(let core, let run): core.idempotencyKey(of: run)
    case .attempt(let attempt): attempt.core.idempotencyKey(of: attempt.run)
    case .apart(let apart): apart.environment.idempotencyKey
    }
  }

  /// The store's clock: sleep and measure by it, and a test clock can stand in for it.
  public var clock: any Clock<Duration> {
    switch place {
    case .store(let core, _): core.configuration.clock
    case .attempt(let attempt): attempt.core.configuration.clock
    case .apart(let apart): apart.environment.clock
    }
  }

  /// What the run is part of, as ``RunContext/current`` says inside its handler; nil for an effect outside a store.
  public var context: RunContext? {
    switch place {
    case .store(_, let run): run.context
    case .attempt(let attempt): attempt.run.context
    case .apart(let apart): apart.environment.context
    }
  }

  /// Lets the run live only as long as `holds` is true of the state: the commit after which it is false ends it as cancelled.
  ///
  /// It counts until the run ends; that of one attempt until the next one binds the run itself.
  ///
  /// - Returns: the newest state, or nil when `holds` is false of it, or the run has ended; it has its outcome then.
  @usableFromInline
  func bind(_ holds: @escaping @Sendable (I.State) -> Bool) async -> I.State? {
    switch place {
    case .store(let core, let run): await core.bind(run, nil, holds)
    case .attempt(let attempt): await attempt.core.bind(attempt.run, attempt, holds)
    case .apart(let apart): await apart.bind(holds)
    }
  }
}
