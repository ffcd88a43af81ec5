/// An action that was sent to a store which is not open yet; the opening passes it to the store, or rejects it.
package struct HeldAction<I: Interactor>: Sendable {
  @usableFromInline let run: ActiveRun<I>

  package var receipt: Receipt { Receipt(run) }
}

extension Store {
  /// Creates a store whose state is to be restored: until ``open(at:revision:journal:interceptors:)`` it is sent nothing, and its actions are held.
  ///
  /// - Parameters:
  ///   - initial: the initial state.
  ///   - interactor: handles actions and reduces mutations.
  ///   - configuration: the clock, the limits and other parts of the store.
  ///   - gate: holds outcomes back; nil for a store without a journal.
  @inlinable
  package static func unopened(
    initial: I.State, interactor: I, configuration: StoreConfiguration, gate: DurabilityGate?
  ) -> Store {
    let core = StoreCore(
      state: initial, interactor: interactor, configuration: configuration, code: InteractorCode(), gate: gate)
    return Store(unopened: core)
  }

  /// Restores the state of a store that is not open, and sets its journal and its interceptors; before any action is passed.
  package nonisolated func open(
    at state: I.State, revision: Int, journal sink: any JournalSink<I.Action, I.Mutation, I.State>,
    interceptors: [any Interceptor<I>]
  ) {
    // A step, because an action that is held may be cancelled meanwhile.
    core.performUrgently { [core] owned in
      owned.state = state
      if let gate = core.gate { owned.restore(revision, journal: sink, gate, at: core) }
    }
    open(interceptors: interceptors)
  }

  /// Opens a store without a journal at its initial state.
  package nonisolated func open(interceptors: [any Interceptor<I>]) {
    core.introduce()
    if !interceptors.isEmpty { setInterceptors(interceptors) }
  }

  /// The interactor of the store.
  package nonisolated var interactor: I { core.interactor }

  /// The state of the store while it is not open; no other thread uses it then.
  package nonisolated var initialState: I.State { core.owned.state }

  // MARK: Held actions

  /// Accepts an action that is held; nil if too many are.
  package nonisolated func hold(
    _ action: I.Action, context: TraceContext?, in tree: RunTree?, key: String?, confirming: Bool
  ) -> HeldAction<I>? {
    guard core.mayQueueAction() else { return nil }
    let lineage = Lineage.ofSender(trace: context, in: tree)
    let submission = Submission<I>(action, lineage, .demands(key: key, confirming: confirming))
    return HeldAction(run: core.queuedRun(of: submission))
  }

  /// Passes an action that was held to the interceptors, and takes it up.
  package nonisolated func pass(_ held: HeldAction<I>) { core.pass(held.run) }

  /// Rejects an action that was held.
  package nonisolated func reject(_ held: HeldAction<I>, _ reason: Rejection) {
    core.perform { [core] owned in
      core.didTakeQueued()
      owned.end(held.run, .rejected(reason), at: core)
    }
  }

  /// Ends the store without closings, its open actions as cancelled; returns once nothing more of it is stored.
  package nonisolated func discard() async { await core.discard() }

  /// Ends the store as ``Store/shutdown(drainFor:)``; further actions are rejected for this reason.
  package nonisolated func shutdown(drainFor time: Duration, refusing reason: Rejection) async {
    _ = await core.shutDown(drainFor: time, refusing: reason, caller: nil)
  }

  // MARK: Idle stores

  /// The state of the store if it is idle: every action has ended with its handlers, or rests for more than a minute, and all is durable; nil
  /// otherwise, and from inside a step.
  ///
  /// Only its caller may send actions to the store meanwhile, and observers are not asked for.
  ///
  /// - Parameter work: Called once if the store is busy, when it may be idle. It is called on any thread, also with the store's lock, so it neither
  ///   blocks nor calls the store.
  package nonisolated func idleState(orWhenIdle work: (@Sendable () -> Void)?) -> IdleState<I.State>? {
    core.idleState(orWhenIdle: work)
  }

  /// The metrics, read before this returns; nil from inside a step.
  package nonisolated var metricsAtOnce: Metrics? { core.performNow { [core] in $0.metrics(at: core) } }

  /// Returns once everything that was decided before the call is durable; immediately without a journal.
  ///
  /// - Throws: ``StoreError`` if the journal has failed.
  package nonisolated func waitUntilDurable() async throws(StoreError) { try await core.waitUntilDurable() }

  /// Returns once all handlers have returned; for a store that was shut down.
  package nonisolated func waitForHandlers() async { await core.waitForHandlers() }
}
