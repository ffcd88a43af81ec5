extension Store {
  /// Creates a store that continues from a restored state, and keeps its entries in a journal.
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

  /// Handles actions again that were taken up before the store was restored: they are planned anew, and not decided.
  ///
  /// They are taken up in one step, so that nothing comes between two of them.
  ///
  /// - Parameters:
  ///   - actions: the actions in the order of their take-ups.
  ///   - line: the line in which those wait for each other that were handled at two deaths in a row.
  ///   - assign: called with the index and the id of each action, in the store's step, before the sink has an entry of any.
  @inlinable
  package nonisolated func handleAgain(
    _ actions: [RestoredAction<I.Action>], in line: RecoveryLine,
    _ assign: @escaping @Sendable (Int, ActionID) -> Void
  ) {
    core.perform { [core] in $0.handleAgain(actions, in: line, at: core, assign) }
  }
}
