/// Owns the state of one interactor and runs its loop: actions in, states out.
///
/// ```swift
/// let store = Store(initial: Records.State(), interactor: Records(gateway: gateway))
/// store.send(.reload)
/// for await state in store.states { print(state) }
/// ```
///
/// **Order.** Actions are accepted in a total order and taken up in it. Mutations are committed one at a time and numbered:
/// a state's revision is the number of mutations before it. The state is set first, then observers are notified.
///
/// **Isolation.** All members may be called from any thread and any actor, also from a handler, a reducer or an observer of
/// the same store; what is asked for from inside is done after what is going on.
///
/// **Lifetime.** Runs, receipts, sequences and iterators do not hold the store. When the last reference to it goes, its runs
/// are cancelled, open receipts get ``Outcome/shutDown`` and its sequences end, all without closing mutations; for an
/// orderly end call ``shutdown(drainFor:)`` first.
public final actor Store<I: Interactor> {
  @usableFromInline nonisolated let core: StoreCore<I>

  /// Creates a store that takes actions at once.
  ///
  /// - Parameters:
  ///   - initial: the state of revision 0.
  ///   - interactor: the interactor, which handles actions and reduces mutations.
  ///   - configuration: the clock, the limits and other parts of the store.
  ///   - interceptors: the interceptors that actions pass; see ``setInterceptors(_:)``.
  ///   - feedbacks: the feedbacks, which send actions to the store as long as it lives.
  @inlinable
  public init(
    initial: I.State, interactor: I, configuration: StoreConfiguration = StoreConfiguration(),
    interceptors: [any Interceptor<I>] = [],
    feedbacks: [Feedback<I.State, I.Action>] = []
  ) {
    core = StoreCore(state: initial, interactor: interactor, configuration: configuration, code: InteractorCode())
    core.introduce()
    if !interceptors.isEmpty { setInterceptors(interceptors) }
    if !feedbacks.isEmpty { begin(feedbacks) }
  }

  @usableFromInline
  init(core: StoreCore<I>) {
    self.core = core
    core.introduce()
  }

  /// Creates a store that is to be opened.
  @usableFromInline
  init(unopened core: StoreCore<I>) {
    self.core = core
  }

  /// One executor for all stores: nothing of a store is isolated to it, and a store with one of its own is 96 bytes larger.
  ///
  /// A method that an extension isolates to its store takes turns with those of all stores; declare it `nonisolated`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { StoreExecutor.shared.unownedExecutor }

  deinit {
    core.release()
  }

  // MARK: Actions

  /// Sends an action to the store; never suspends, and waits for no other sender and no handler.
  ///
  /// **Order.** A decision without a handler is committed when this returns, unless another thread has the store's
  /// lock or the call comes from inside a commit: then the action is queued to be taken up in its place. ``state`` holds it
  /// in either case.
  ///
  /// **Isolation.** The sender's thread decides and reduces, and may do so for others who sent meanwhile, for a bounded
  /// number of actions. It runs handlers up to their first suspension, likewise bounded: a handler that blocks there for
  /// 0.4 s makes this call take 0.4 s. Handlers that start ``StoreConfiguration/HandlerStart/onPool`` run on no sender's thread.
  ///
  /// **Errors.** None: how the action ended is the receipt's ``Receipt/outcome``. After ``shutdown(drainFor:)`` that is
  /// ``Rejection/shuttingDown``.
  @inlinable
  @discardableResult
  public nonisolated func send(_ action: I.Action) -> Receipt {
    core.send(action)
  }

  /// Sends an action to the store with the trace it belongs to, in a tree, with an idempotency key, or confirmed; otherwise as ``send(_:)``.
  ///
  /// **Idempotency.** An action with a key is done once, even if it is sent several times with the same key. While the first action of
  /// the key is open, a later action waits for it and gets its outcome; the two actions are not compared. Once the first one has finished, or
  /// its decision has rejected it, a later one gets that outcome and the revisions at once, from a table that survives a crash with the log;
  /// after a crash the error of a rejection is its text only. After any other outcome the key is free, so a failed action may be sent again.
  /// ``Run/idempotencyKey`` is made of the key, for the gateways of the handler.
  ///
  /// **Confirming.** An action that commits nothing appends nothing to a journal, so a store that another one has taken over would answer it
  /// from a state that is out of date. With `confirming` such an action appends a mark first, and fails if the log was taken over.
  ///
  /// **Cancellation.** The receipt cancels this action only; if it is the first of its key, the later ones get its outcome.
  ///
  /// **Backpressure.** As many actions may wait for the first of their keys as ``StoreConfiguration/Limits`` lets wait; more are
  /// rejected as ``Rejection/full(_:)``.
  ///
  /// **Errors.** A store without a journal rejects an action with a key, or one to be confirmed, as ``Rejection/journal(_:)``.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - context: the trace. If the action is handled, it is ``RunContext/trace`` in its handler, and in the handlers of the actions
  ///     it sends.
  ///   - tree: waits for the action, and cancels it, with all that its run sends. If the tree is cancelled, the action ends as
  ///     ``Outcome/cancelled``, undecided.
  ///   - key: the key, which the client of the service has made, and sends again when it repeats a request. Keys are equal if their
  ///     UTF-8 is.
  ///   - confirming: whether to append a mark to the log if the decision commits nothing.
  @inlinable
  @discardableResult
  public nonisolated func send(
    _ action: I.Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) -> Receipt {
    core.send(action, context: context, in: tree, .demands(key: key, confirming: confirming))
  }

  /// Sends actions to the store in order, many of them while it holds the lock; never suspends, and otherwise as ``send(_:)``.
  ///
  /// Actions of other senders may be taken up between them.
  @inlinable
  @discardableResult
  public nonisolated func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt {
    core.send(contentsOf: actions)
  }

  /// Sends an action to the store as soon as it has room for one that waits.
  ///
  /// **Backpressure.** Suspends while as many actions wait as ``StoreConfiguration/Limits`` allows: first come, first
  /// served, and before actions that are sent later and would have to wait. Inside a run of the same store it does not
  /// suspend and is `send`, for the run would wait for itself.
  ///
  /// **Cancellation.** Ends the wait, and the action was never accepted. Once this has returned, cancelling the task changes
  /// nothing for the action.
  ///
  /// The store is held while this is suspended. An action that waits for room is in its tree, and known by its key, from its acceptance.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - context: the trace, as in ``send(_:context:in:key:confirming:)``, like the other parameters.
  ///   - tree: waits for the action once that is accepted, and cancels it.
  ///   - key: the idempotency key.
  ///   - confirming: whether to append a mark to the log if the decision commits nothing.
  /// - Throws: `CancellationError` when the task is cancelled while it waits; ``StoreError`` when the store is shut down, or its journal
  ///   fails, before the action was accepted. How the action ends is no error of this but the receipt's ``Receipt/outcome``.
  @inlinable
  @discardableResult
  public nonisolated func submit(
    _ action: I.Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) async throws -> Receipt {
    try await core.submit(action, context: context, in: tree, .demands(key: key, confirming: confirming))
  }

  // MARK: State

  /// The current state, with every decided action whose `send` returned before.
  ///
  /// A read waits at most for the step in progress, never for a handler; cancellation has no effect on it.
  @inlinable
  public nonisolated var state: I.State {
    get async { await core.read().state }
  }

  /// The current state with its revision, read as ``state``; cancellation has no effect on it.
  @inlinable
  public nonisolated var snapshot: Snapshot<I.State> {
    get async { await core.read() }
  }

  /// The metrics of the store so far, read between two steps; cancellation has no effect on the read.
  public nonisolated var metrics: Metrics {
    get async { await core.metrics() }
  }

  /// The runs that have not ended, each with its action, its age, its last step, and what it waits for.
  ///
  /// ```swift
  /// var runs = await store.openRuns()
  /// while let last = runs.last {
  ///   for run in runs { print(run) }
  ///   runs = await store.openRuns(after: last.id)
  /// }
  /// ```
  ///
  /// **Order.** In the order of their ids, which is about that in which they were sent. A run that is open all the time is listed once in such
  /// a loop. Of actions that share a run the first is listed, and of a log also the runs that this program cannot decode. Actions that another
  /// thread has queued and not taken up are not listed.
  ///
  /// **Cost.** The store looks at 1,000 runs in a step, so no sender waits for more; a call looks at all that are open.
  ///
  /// **Cancellation** of the calling task has no effect.
  ///
  /// - Parameters:
  ///   - limit: the largest number of runs that are returned; below 0 it is taken as 0.
  ///   - id: the run behind which the list begins; nil begins with the first.
  public nonisolated func openRuns(limit: Int = 1_000, after id: ActionID? = nil) async -> [OpenRun<I.Action>] {
    await core.openRuns(limit: limit, after: id)
  }

  // MARK: Keys

  /// Cancels everything of a key that was accepted so far: waiting, debounced, joined or running.
  ///
  /// Otherwise as ``cancelAll()``. Actions of the key that are queued for another thread and not yet taken up end undecided.
  public nonisolated func cancel(key: some Hashable & Sendable) {
    core.cancel(PlanKey(key))
  }

  /// Sets how many actions of a key may be in flight, at once and whatever their plans say; nil leaves it to them again.
  ///
  /// The limit applies to ``Plan/serial(key:)``, ``Plan/concurrent(max:key:)`` and ``Plan/limited(to:key:)``. Actions
  /// in flight continue; with 0 no other one begins. The store remembers the limit until it is set to nil.
  ///
  /// - Parameters:
  ///   - limit: a number of actions; below 0 it is taken as 0.
  ///   - key: the key of the plans.
  public nonisolated func setLimit(_ limit: Int?, key: some Hashable & Sendable) {
    core.setLimit(limit, key: PlanKey(key))
  }

  // MARK: Interceptors

  /// Sets the interceptors that actions pass, in their order, in place of those there were; none costs nothing.
  ///
  /// **Order.** Applies to actions sent and mutations committed after this returns. An action that passed the chain before and
  /// was not accepted yet is accepted by the new one. Waits for at most the step in progress.
  ///
  /// As long as there are any, each action has a record of its own. They are held until the store is released.
  public nonisolated func setInterceptors(_ interceptors: [any Interceptor<I>]) {
    core.setInterceptors(interceptors)
  }

  // MARK: The end

  /// Cancels everything accepted so far, waiting or running.
  ///
  /// When this returns all of that has its outcome, and nothing of it is committed any more, even where a handler continues.
  /// It waits for at most the step in progress, one `decide` with its commits or one emit, also while others send in a loop or
  /// in a batch. Called from inside a commit it takes effect right after it.
  public nonisolated func cancelAll() {
    core.cancelAll()
  }

  /// Ends the store: drains accepted actions for a while, cancels the rest, and lets observers finish after the last state.
  ///
  /// **Order.** Actions from outside are rejected as ``Rejection/shuttingDown`` from now on, and suspended submits throw;
  /// actions that runs in flight send are still taken. Debounced and throttled actions are taken up at once. When all have ended,
  /// or time is over, the rest gets ``Outcome/shutDown`` and is closed, receipts are answered, and sequences finish. The state
  /// can still be read, and a new store be made from it.
  ///
  /// With a journal the shutdown also waits until everything is stored, for at most the deadline of the journal. Actions whose outcomes are not durable
  /// then end as ``Outcome/failed(_:)``, observers end as when the journal fails, and ``ShutdownReport/failure`` is the reason.
  ///
  /// A second call joins the first, and the earlier deadline counts. A run that calls this is not waited for: it is cancelled when
  /// the others have ended. Handlers that ignore their cancellation are not waited for; nothing of theirs is committed.
  ///
  /// **Cancellation.** Of the calling task changes nothing; call again with no time to end the drain.
  ///
  /// - Parameter time: the longest wait for actions, on the store's clock; by default none.
  @discardableResult
  public nonisolated func shutdown(drainFor time: Duration = .zero) async -> ShutdownReport {
    await core.shutDown(drainFor: time, caller: Ticket.current.get())
  }

  /// Returns when the store is shut down, and shuts it down when the calling task is cancelled: a service's main function.
  ///
  /// The store takes actions whether this was called or not. It is held while this is suspended. Several tasks may call it. When the
  /// store's journal fails this returns, and ``ShutdownReport/failure`` of ``shutdown(drainFor:)`` is the error.
  ///
  /// - Parameter time: the time for which a shutdown by cancellation drains.
  public nonisolated func run(drainFor time: Duration = .zero) async {
    await core.waitForShutdown(drainFor: time)
  }
}

/// The executor of all stores.
private actor StoreExecutor {
  static let shared = StoreExecutor()
}
