/// Takes the entries of a store's journal, in their order.
///
/// It is called with the store's lock, so it neither blocks nor calls the store. It tells the store's ``DurabilityGate`` what is durable.
@usableFromInline
package protocol JournalSink<Action, Mutation>: AnyObject, Sendable {
  associatedtype Action: Sendable
  associatedtype Mutation: Sendable

  /// Encodes an entry, and keeps it behind those before it. The entry is stored as a whole, or not at all.
  ///
  /// - Parameters:
  ///   - entry: the entry.
  ///   - revision: the newest revision before the entry.
  /// - Throws: the reason why the entry cannot be encoded. Then it is not kept, and its action ends alone.
  func append(_ entry: StoreEntry<Action, Mutation>, after revision: Int) throws

  /// Hands the entries since the last call over to be stored; their mutations are committed by now.
  func flush()

  /// Whether the entries that wait to be stored are too many for the store to take more actions.
  var isCrowded: Bool { get }
}

/// The store that a journal belongs to, for the thread that stores the entries.
///
/// It is called without the store's lock, and outside of the store's steps.
package protocol JournaledStore: AnyObject, Sendable {
  /// Called when the sink is crowded no more.
  func journalIsRelieved()

  /// Called once, when nothing more becomes durable; the gate fails after that.
  func journalHasFailed(_ error: any Error)
}

/// An entry of a journal: all that one step has to store.
@usableFromInline
package enum StoreEntry<Action, Mutation> {
  /// The mutations of an action that has ended with them.
  case decided(DecidedMutations<Mutation>)
  /// An action that is handled, with the mutations that were decided before.
  case takenUp(Action, ActionID, idempotencyKey: String, handlesAgain: Bool, DecidedMutations<Mutation>)
  /// A mutation of the handler of this action.
  case emitted(Mutation, by: ActionID)
  /// The end of an action that was handled, with its closing mutation.
  case ended(ActionID, Outcome, closing: Mutation?)
}

/// The mutations of one decision.
@usableFromInline
package enum DecidedMutations<Mutation> {
  case none
  case one(Mutation)
  case many([Mutation])
}

/// The journal of a store, for the holder of the store's lock.
@usableFromInline
final class StoreJournal<I: Interactor> {
  @usableFromInline let sink: any JournalSink<I.Action, I.Mutation>
  @usableFromInline let gate: DurabilityGate

  /// The position of the restored state, behind which the entries of this store come.
  @usableFromInline static var restoredPosition: Int { DurabilityGate.restoredPosition }

  /// The position of the last entry.
  @usableFromInline private(set) var position = restoredPosition

  @usableFromInline
  init(_ sink: any JournalSink<I.Action, I.Mutation>, gate: DurabilityGate) {
    self.sink = sink
    self.gate = gate
  }

  /// Keeps an entry, to be handed over before the lock is free.
  @usableFromInline
  func append(_ entry: StoreEntry<I.Action, I.Mutation>, after revision: Int) throws {
    try sink.append(entry, after: revision)
    position += 1
  }
}
