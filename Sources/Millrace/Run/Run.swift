/// What an effect's closure gets: the means to emit mutations and to see the state they lead to.
public struct Run<I: Interactor>: Sendable {
  /// Where a run commits; two words, for it is copied often.
  @usableFromInline
  @frozen
  enum Place: Sendable {
    /// Straight into a store.
    case store(Runner<I>, ActiveRun<I>)
    /// Into something else: a state of its own, or the run of a parent.
    case apart(ApartRun<I>)
  }

  @usableFromInline let place: Place

  @usableFromInline
  init(of run: ActiveRun<I>, at runner: Runner<I>) {
    place = .store(runner, run)
  }

  init(_ apart: ApartRun<I>) {
    place = .apart(apart)
  }

  /// Commits a mutation.
  ///
  /// **Order.** Mutations commit in the order of the calls. Where another thread has the store's turn, the mutation is left
  /// for that thread and this returns at once. May be called from any task, also from several.
  ///
  /// - Returns: false once the run has ended, and the mutation changed nothing; it is a good time to return then.
  @inlinable
  @discardableResult
  public func emit(_ mutation: I.Mutation) -> Bool {
    switch place {
    case .store(let runner, let run): runner.emit(mutation, of: run)
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
      case .store(let runner, _): await runner.read().state
      case .apart(let apart): await apart.state()
      }
    }
  }

  /// The id of the action that is handled; ``Receipt/id`` of whoever sent it.
  public var id: ActionID {
    switch place {
    case .store(_, let run): run.id
    case .apart(let apart): apart.id
    }
  }

  /// The store's clock: sleep and measure by it, and a test clock can stand in for it.
  public var clock: any Clock<Duration> {
    switch place {
    case .store(let runner, _): runner.configuration.clock
    case .apart(let apart): apart.clock
    }
  }
}
