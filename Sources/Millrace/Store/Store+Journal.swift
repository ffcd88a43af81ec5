import Synchronization

extension Store {
  /// Makes a store that goes on from a restored state, and keeps what it does in a journal.
  ///
  /// - Parameters:
  ///   - state: the restored state.
  ///   - revision: the revision of that state.
  ///   - interactor: what handles actions and reduces mutations.
  ///   - configuration: clock, and what else the defaults do not suit.
  ///   - sink: takes the entries of the journal.
  ///   - gate: Holds outcomes back. The sink advances it, or fails it by ``JournaledStore/journalHasFailed(_:)``.
  @inlinable
  package static func restored(
    _ state: I.State, revision: Int, interactor: I, configuration: StoreConfiguration,
    journal sink: any JournalSink<I.Action, I.Mutation>, gate: DurabilityGate
  ) -> Store {
    let core = StoreCore(
      state: state, interactor: interactor, configuration: configuration, code: InteractorCode(), isJournaled: true)
    core.restore(revision, journal: sink, gate)
    return Store(core: core)
  }

  /// The store as its journal knows it; holding it holds no store.
  package nonisolated var journaled: any JournaledStore { core }
}

extension StoreCore {
  /// Sets the revision of the restored state, and the journal; before the store is used.
  @usableFromInline
  func restore(_ revision: Int, journal sink: any JournalSink<I.Action, I.Mutation>, _ gate: DurabilityGate) {
    newest.store(revision, ordering: .releasing)
    owned.setJournal(StoreJournal(sink, gate: gate))
  }
}
