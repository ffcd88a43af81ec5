extension Store {
  /// Makes a store that continues from a restored state, and keeps its entries in a journal.
  ///
  /// - Parameters:
  ///   - state: the restored state.
  ///   - revision: the revision of that state.
  ///   - interactor: handles actions and reduces mutations.
  ///   - configuration: the clock, the limits and other parts of the store.
  ///   - sink: takes the entries of the journal.
  ///   - gate: holds outcomes back. The sink advances it, or fails it by ``JournaledStore/journalHasFailed(_:)``.
  @inlinable
  package static func restored(
    _ state: I.State, revision: Int, interactor: I, configuration: StoreConfiguration,
    journal sink: any JournalSink<I.Action, I.Mutation, I.State>, gate: DurabilityGate
  ) -> Store {
    let core = StoreCore(
      state: state, interactor: interactor, configuration: configuration, code: InteractorCode(), gate: gate)
    core.restore(revision, journal: sink, gate)
    return Store(core: core)
  }

  /// The store as its journal knows it; holding it holds no store.
  package nonisolated var journaled: any JournaledStore { core }

  /// Holds outcomes and observers back until entries are durable; nil without a journal.
  package nonisolated var durabilityGate: DurabilityGate? { core.gate }

  /// Handles an action again that was taken up before the store was restored: it is planned anew, and not decided.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - key: the key that its handler had.
  ///   - assign: given the id of the run, in the store's step, before the sink has an entry of it.
  @inlinable
  package nonisolated func handleAgain(
    _ action: I.Action, key: RunKey, _ assign: @escaping @Sendable (ActionID) -> Void
  ) {
    core.perform { [core] in $0.handleAgain(action, key: key, at: core, assign) }
  }

  /// Gives the store an action with demands on the journal; otherwise as ``send(_:)``.
  package nonisolated func send(_ action: I.Action, _ demands: JournaledSend) -> Receipt {
    core.send(action, demands)
  }

  /// Gives the store an action with demands on the journal as soon as it has room; otherwise as ``submit(_:)``.
  package nonisolated func submit(_ action: I.Action, _ demands: JournaledSend) async throws -> Receipt {
    try await core.submit(action, demands)
  }
}
