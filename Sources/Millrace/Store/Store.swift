/// Owns the state of one interactor and runs its loop: actions in, states out.
///
/// ```swift
/// let store = Store(initial: Records.State(), interactor: Records(gateway: gateway))
/// store.send(.reload)
/// for await state in store.states { print(state) }
/// ```
///
/// **Order.** Actions are accepted in a total order and taken up in it. Mutations are committed one at a time and numbered:
/// a state's revision is how many were committed before it. The state is set first, then observers are told of it.
///
/// **Isolation.** All members may be called from any thread and any actor, also from a handler, a reducer or an observer of
/// the same store; what is asked for from inside is done after what is going on.
///
/// **Lifetime.** Runs, receipts, sequences and iterators do not hold the store. When the last reference to it goes, its runs
/// are cancelled, open receipts get ``Outcome/shutDown`` and its sequences end, all without closing mutations; for an
/// orderly end call ``shutdown()`` first.
public final actor Store<I: Interactor> {
  @usableFromInline nonisolated let runner: Runner<I>

  /// Makes a store that takes actions at once.
  ///
  /// - Parameters:
  ///   - initial: the state of revision 0.
  ///   - interactor: what handles actions and reduces mutations.
  ///   - configuration: clock, and what else the defaults do not suit.
  @inlinable
  public init(initial: I.State, interactor: I, configuration: StoreConfiguration = StoreConfiguration()) {
    runner = Runner(state: initial, interactor: interactor, configuration: configuration)
  }

  deinit {
    runner.release()
  }

  // MARK: Actions

  /// Gives the store an action; never suspends and never waits.
  ///
  /// **Order.** What the interactor decides at once is committed when this returns, unless another thread has the store's
  /// turn or the call comes from inside a commit: then the action is left to be taken up in its place. ``state`` holds it
  /// in either case.
  ///
  /// **Isolation.** The sender's thread decides and reduces, and may do so for others who sent meanwhile, for a bounded
  /// number of actions. It runs handlers up to their first suspension, likewise bounded.
  ///
  /// **Errors.** None: how the action ended is the receipt's ``Receipt/outcome``. After ``shutdown()`` that is
  /// ``Rejection/shuttingDown``.
  @inlinable
  @discardableResult
  public nonisolated func send(_ action: I.Action) -> Receipt {
    runner.send(action)
  }

  /// Gives the store actions in order, many of them in one turn; never suspends and never waits.
  ///
  /// Actions of other senders may be taken up between them.
  @inlinable
  @discardableResult
  public nonisolated func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt {
    runner.send(contentsOf: actions)
  }

  // MARK: State

  /// The state now; it holds every decided action whose `send` returned before, and never waits for a handler.
  @inlinable
  public nonisolated var state: I.State {
    get async { await runner.read().state }
  }

  /// The state now, with its revision.
  @inlinable
  public nonisolated var snapshot: Snapshot<I.State> {
    get async { await runner.read() }
  }

  // MARK: The end

  /// Cancels everything accepted so far, waiting or running.
  ///
  /// When this returns all of that has its outcome, and nothing of it is committed any more, even where a handler goes on.
  /// It waits for at most the one mutation that is being reduced; called from inside a commit it takes effect right after it.
  public nonisolated func cancelAll() {
    runner.cancelAll()
  }

  /// Ends the store: runs are cut and closed, receipts answered, and observers finish after the last state.
  ///
  /// What was accepted and has not ended gets ``Outcome/shutDown``; actions sent later are rejected as
  /// ``Rejection/shuttingDown``. It does not wait for handlers that ignore their cancellation; nothing of theirs is
  /// committed. The state can still be read. A second call does nothing.
  public nonisolated func shutdown() async {
    runner.shutDown()
  }
}
