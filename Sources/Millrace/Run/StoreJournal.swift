/// Takes the entries of a store's journal, in their order.
///
/// It is called with the store's lock, so it neither blocks nor calls the store. It advances the store's ``DurabilityGate`` as entries become durable.
@usableFromInline
package protocol JournalSink<Action, Mutation, State>: StepCoder {
  associatedtype Action: Sendable
  associatedtype Mutation: Sendable
  associatedtype State: Sendable

  /// Encodes an entry, and keeps it behind those before it. The entry is stored as a whole, or not at all.
  ///
  /// - Parameters:
  ///   - entry: the entry.
  ///   - room: the part of the buffer that the entry may fill.
  ///   - revision: the newest revision before the entry.
  /// - Throws: ``JournalFull`` if an admitted action has no room, and otherwise the reason why the entry cannot be kept. Its action ends
  ///   alone then.
  func append(_ entry: StoreEntry<Action, Mutation>, in room: JournalRoom, after revision: Int) throws

  /// Notes the wall time in milliseconds at which the store has to be open, 0 for now and nil for none, by the state to which the last entry leads.
  ///
  /// It is stored with that entry.
  func note(wake time: Int64?)

  /// Whether the log has this wake time, as far as the sink knows, or needs none.
  func hasStored(wake time: Int64?) -> Bool

  /// Hands the entries since the last call over to be stored; their mutations are committed by now.
  ///
  /// - Returns: whether a snapshot is due, which the store takes then.
  func flush() -> Bool

  /// Takes a snapshot, which is stored once everything before it is durable.
  func takeSnapshot(of state: State, revision: Int)

  /// Takes the last snapshot of a store that is shut down, and calls `work` once it is stored, or cannot be.
  func takeLastSnapshot(of state: State, revision: Int, then work: @escaping @Sendable () -> Void)

  /// The result of the action that was sent with this idempotency key; nil if none is remembered.
  func result(of key: String) -> KeyedResult?

  /// The facts that the log has about an open run; nil for one that is not in the log.
  func loggedRun(of id: ActionID) -> (record: UInt64, deaths: Int)?

  /// The open runs of the log whose actions cannot be decoded.
  var unreadableRuns: [OpenRun<Action>] { get }
  var unreadableCount: Int { get }

  /// The figures of the journal now.
  var metrics: Metrics.Journal { get }

  /// The names of the log, as ``RunKey/names(_:)`` joins them.
  var logNames: String { get }

  /// The longest time for which a shutdown waits until the entries are stored, on the store's clock.
  var flushTime: Duration { get }

  /// Stores no more entries, because a shutdown has waited for ``flushTime``; an entry that is being stored may still become durable.
  ///
  /// - Returns: the reason, for the outcomes that wait.
  func giveUp() -> any Error
}

/// The part of the buffer of waiting entries that an entry may fill.
///
/// Entries that an action needs to end have more room than those that begin one, so that a limit ends one action, and never the store.
@usableFromInline
package enum JournalRoom: Sendable {
  /// Half of it: decisions and take-ups, which are rejected as full beyond it.
  case admission
  /// Three quarters: emits of a handler that is not asked for them.
  case emits
  /// No limit: ends, closings and marks, and the mutations that a handler is asked for. There is at most one of each for a run, and two
  /// entries for each action that joins it.
  case unlimited
}

/// The buffer of waiting entries has no room for the entry of an action that is admitted.
package struct JournalFull: Error {
  package init() {}
}

/// The store that a journal belongs to, for the thread that stores the entries.
///
/// It is called without the store's lock, and outside of the store's steps.
package protocol JournaledStore: AnyObject, Sendable {
  /// Called when the sink is crowded no more.
  func journalIsRelieved()

  /// Called when a snapshot cannot be stored, so that the log keeps growing.
  func journalTookNoSnapshot(_ error: any Error)

  /// Called once, when nothing more becomes durable; the gate fails after that.
  func journalHasFailed(_ error: any Error)
}

/// An entry of a journal: all that one step has to store.
@usableFromInline
package enum StoreEntry<Action, Mutation> {
  /// The mutations of an action that has ended with them, and its result if that is to be remembered.
  case decided(DecidedMutations<Mutation>, KeyedResult?)
  /// An action that is handled, with the mutations that were decided before.
  case takenUp(Action, ActionID, key: RunKey, recovery: Recovery, DecidedMutations<Mutation>)
  /// A mutation of the handler of this action.
  case emitted(Mutation, by: ActionID)
  /// A step of the handler of this action with its mutations; nil without a step if only the mutations are stored.
  case step(StoredStep?, [Mutation], by: ActionID)
  /// The idempotency key of an action that joins the run of this action, which is handled again, or that leaves it before its end.
  case joined(ActionID, key: String, leaves: Bool)
  /// The end of an action that was handled, with its closing mutation, and its result if that is to be remembered.
  case ended(ActionID, Outcome, closing: Mutation?, KeyedResult?)
  /// The number of times in a row that the process ended while an action was handled again, if it ends now.
  case resumed(ActionID, deaths: Int)
  /// All open actions rest, and the feedbacks wait, until a wall time in milliseconds; 0 if the store has to be open, and nil for no time.
  case rests(until: Int64?)
  /// Nothing, to learn whether the log is still the store's own.
  case mark
}

/// An action that was taken up before its store was restored, and is handled again.
@usableFromInline
package struct RestoredAction<Action: Sendable>: Sendable {
  @usableFromInline let action: Action

  /// The key of its run, in the form of the take-up.
  @usableFromInline let key: RunKey

  /// The time since its take-up.
  @usableFromInline let age: Instant

  /// Its steps, in the order in which they were stored.
  @usableFromInline let steps: [StoredStep]

  /// The idempotency keys of actions that had joined its run.
  @usableFromInline let joinedKeys: [String]

  /// The number of times in a row that a process ended while the action was handled again.
  let deaths: Int

  /// The wall time of its take-up, in milliseconds since 1970; not before that of an earlier one in the log.
  let takenUpAt: Int64

  package init(
    _ action: Action, key: RunKey, age: Duration = .zero, steps: [StoredStep] = [], joinedKeys: [String] = [],
    deaths: Int = 0, takenUpAt: Int64 = 0
  ) {
    self.action = action
    self.key = key
    self.age = age.nanoseconds
    self.steps = steps
    self.joinedKeys = joinedKeys
    self.deaths = deaths
    self.takenUpAt = takenUpAt
  }
}

/// The result of actions that were sent with idempotency keys: of one, or of those that share a run.
@usableFromInline
package struct KeyedResult: Sendable {
  package let keys: [String]

  /// Finished, or rejected by the decision.
  package let outcome: Outcome

  /// The revisions of the first and the last commit; nil without one.
  package let revisions: ClosedRange<Int>?

  package init(keys: [String], outcome: Outcome, revisions: ClosedRange<Int>?) {
    self.keys = keys
    self.outcome = outcome
    self.revisions = revisions
  }
}

/// A text that equals another one only if both have the same UTF-8, so `é` as one scalar and as two are different.
///
/// Strings are equal if they are canonically equivalent, and the client that made a key may mean two.
@usableFromInline
package struct UTF8Text: Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  @usableFromInline
  package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
    // First as texts, which compares the bytes at once.
    left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

/// The demands of a sender on the journal.
@usableFromInline
package final class JournaledSend: Sendable {
  /// The idempotency key; nil without one.
  @usableFromInline package let key: String?

  /// Whether the journal gets a mark if the action is decided and commits nothing.
  @usableFromInline package let confirms: Bool

  package init(key: String?, confirms: Bool) {
    self.key = key
    self.confirms = confirms
  }

  /// The demands of a sender; nil without any.
  @usableFromInline
  static func demands(key: String?, confirming: Bool) -> JournaledSend? {
    key == nil && !confirming ? nil : JournaledSend(key: key, confirms: confirming)
  }
}

/// The journal of a store, for the holder of the store's lock.
@usableFromInline
final class StoreJournal<I: Interactor> {
  @usableFromInline let sink: any JournalSink<I.Action, I.Mutation, I.State>
  @usableFromInline let gate: DurabilityGate

  /// The position of the restored state, behind which the entries of this store come.
  @usableFromInline static var restoredPosition: Int { DurabilityGate.restoredPosition }

  /// The position of the last entry.
  @usableFromInline private(set) var position = restoredPosition

  @usableFromInline
  init(_ sink: any JournalSink<I.Action, I.Mutation, I.State>, gate: DurabilityGate) {
    self.sink = sink
    self.gate = gate
  }

  /// Keeps an entry, to be handed over before the lock is free.
  @usableFromInline
  func append(_ entry: StoreEntry<I.Action, I.Mutation>, in room: JournalRoom, after revision: Int) throws {
    try sink.append(entry, in: room, after: revision)
    position += 1
  }
}

extension Rejection {
  /// The rejection of an action whose entry the journal did not take.
  @usableFromInline
  init(ofJournal error: any Error) {
    self = error is JournalFull ? .full(at: .journal) : .journal(error)
  }
}

extension Outcome {
  /// Whether an idempotency key keeps the outcome; after another one the key is free again.
  var isRemembered: Bool {
    switch self {
    case .finished, .rejected(.decided): true
    case .failed, .cancelled, .superseded, .timedOut, .rejected, .shutDown, .abandoned, .leftOpen: false
    }
  }
}

/// The error of an action with demands on a journal that is sent to a store without one.
struct MissingJournal: Error, CustomStringConvertible {
  var description: String {
    "The store has no journal, so it neither remembers idempotency keys nor confirms decisions; open it with `Store.open`."
  }
}
