package import Millrace
import MillraceEntries

/// A log that is read without a store, for people who look into it.
///
/// It calls the reducer of the interactor's type, and nothing else of it.
package struct StoredLog<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private let log: StoreLog<I>
  private let initial: I.State
  private let calls: JournalCalls

  /// Names a log.
  ///
  /// - Parameters:
  ///   - journal: the journal with the log.
  ///   - key: the log in the journal, also one of many stores.
  ///   - initial: the state of revision 0.
  ///   - schema: the versions of the values.
  ///   - options: the coder, and the time for which an unavailable journal is tried again.
  package init(
    _ journal: any Journal, key: JournalKey, initial: I.State, schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions()
  ) {
    self.initial = initial
    log = StoreLog(journal: journal, key: key, schema: schema, options: options)
    calls = JournalCalls(journal: journal, key: key, deadline: options.deadline, clock: StoreConfiguration().clock)
  }

  /// Reads the newest snapshot and the records behind it, and returns the runs that have not ended, in the order of their take-ups.
  ///
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read.
  package func openRuns(
    _ progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> [LoggedOpenRun] {
    var restored = Restoration(initial, from: log)
    try await restored.readOn(calls, progress)
    return restored.loggedRuns.map(LoggedOpenRun.init)
  }

  /// Returns the entry that ends an open run as abandoned, without a closing mutation, which only an interactor could make.
  ///
  /// - Parameter record: the sequence of the take-up.
  /// - Returns: the entry, and the last sequence of the log, behind which it belongs; nil if no such run is open.
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read.
  package func abandonment(
    of record: JournalSequence
  ) async throws(JournalError) -> (entry: JournalEntry, last: JournalSequence)? {
    var restored = Restoration(initial, from: log)
    try await restored.readOn(calls, nil)
    guard let run = restored.loggedRuns.first(where: { $0.sequence == record.number }) else { return nil }
    let entry = try restored.abandon(run, closing: nil) { _ in }
    // The next program decodes entries of its own version, and of those before it for which it has a step.
    let version = max(entry.schemaVersion, restored.newestVersion)
    return (JournalEntry(kind: entry.kind, payload: entry.payload, schemaVersion: version), restored.last)
  }

  /// Returns all events that the log has, and the state at its end.
  ///
  /// They begin with the initial state, or with the newest snapshot if the records before it were removed. All of them are in memory.
  ///
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read.
  package func history(
    _ progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> (
    events: LoggedHistory<I.Action, I.Mutation, I.State>, end: LoggedState<I.State>
  ) {
    var restored = Restoration(initial, from: log)
    restored.keepHistory()
    try await restored.readOn(calls, progress, prefersRecords: true)
    let events = restored.history ?? LoggedHistory(start: restored.state, revision: restored.revision)
    return (events, LoggedState(state: restored.state, revision: restored.revision, sequence: restored.last))
  }

  /// Returns the state after a record: the newest snapshot up to there, or the initial state, with the later mutations reduced into it.
  ///
  /// - Parameter end: the last record whose mutations are in the state; nil for the end of the log.
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read; with ``JournalError/Code/ahead`` for a log that ends before
  ///   the record, and with ``JournalError/Code/truncated`` if the records up to it were removed behind a later snapshot.
  package func state(
    at end: JournalSequence? = nil, _ progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> LoggedState<I.State> {
    var restored = Restoration(initial, from: log)
    do {
      try await restored.readOn(calls, progress, through: end)
    } catch {
      guard let end, error.code == .truncated, let snapshot = try await log.journal.snapshot(of: log.key) else {
        throw error
      }
      throw .noState(log.key, at: end, oldest: snapshot.sequence)
    }
    if let end, restored.last < end { throw .endsBefore(log.key, end, last: restored.last) }
    return LoggedState(state: restored.state, revision: restored.revision, sequence: restored.last)
  }
}

/// The state after a record of a log.
package struct LoggedState<State: Sendable>: Sendable {
  /// The state.
  package let state: State
  /// The revision of the state.
  package let revision: Int
  /// The last record whose mutations are in the state.
  package let sequence: JournalSequence
}

extension JournalError {
  fileprivate static func noState(
    _ key: JournalKey, at end: JournalSequence, oldest: JournalSequence
  ) -> JournalError {
    JournalError(
      .truncated, sequence: oldest,
      """
      The records of \(key.quoted) that lead to the state at \(end) were removed, because a snapshot at \(oldest) covers them; name \(oldest) or a later \
      record.
      """)
  }

  fileprivate static func endsBefore(
    _ key: JournalKey, _ end: JournalSequence, last: JournalSequence
  ) -> JournalError {
    JournalError(
      .ahead, sequence: last,
      "The log of \(key.quoted) ends at \(last), so it has no state at \(end); name a record up to \(last).")
  }
}

extension StoredLog<UntypedStore> {
  /// Names a log whose values are skipped, because their types are not known; the coder has to be the one for JSON.
  package init(untyped key: JournalKey, in journal: any Journal) {
    var schema = StoreSchema<UntypedStore>()
    schema.readsEveryVersion = true
    self.init(journal, key: key, initial: SkippedValue(), schema: schema)
  }
}

/// A run that has not ended, as its log has it.
package struct LoggedOpenRun: Sendable {
  /// A step of the run.
  package struct Step: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The name of the kind: `step`, `sleep`, `wait` or `once`.
    package let kind: String
    /// The text of the stored error; nil for none.
    package let failure: String?
    /// The wall time in milliseconds since 1970 at which a sleep, or the timeout of a wait, is over; nil for none.
    package let due: Int64?
  }

  /// The sequence of the take-up.
  package let record: JournalSequence
  /// The idempotency key that the sender gave, or that the store has made.
  package let key: String
  /// The wall time of the take-up in milliseconds since 1970; nil for one of an earlier version of the library.
  package let time: Int64?
  /// The number of times the run is handled again in a row without progress; 0 if it is abandoned.
  package let recoveryLimit: Int
  /// The number of deaths in a row without progress, with that of a process that handles it now.
  package let deaths: Int
  /// The payload of the take-up, as the coder has encoded it.
  package let payload: [UInt8]
  /// The stored steps, in the order in which they were stored.
  package let steps: [Step]
  /// The idempotency keys of actions that have joined the run.
  package let joinedKeys: [String]

  init(_ run: LoggedRun) {
    record = JournalSequence(run.sequence)
    key = run.takeUp.key
    time = run.takeUp.time
    recoveryLimit = run.takeUp.recoveryLimit
    deaths = run.resumed ?? 0
    payload = run.payload
    steps = (run.steps ?? []).map { step in
      Step(name: step.name, kind: step.kind.rawValue, failure: step.failure?.text, due: step.due)
    }
    joinedKeys = run.joined.texts
  }
}

/// Any store, whose actions, mutations and states are skipped; no store has it.
package struct UntypedStore: Interactor {
  package typealias Action = SkippedValue
  package typealias Mutation = SkippedValue
  package typealias State = SkippedValue

  package func handle(_ action: SkippedValue, state: SkippedValue) -> Effect<UntypedStore> { .none }

  package static func reduce(into state: inout SkippedValue, mutation: SkippedValue) {}
}

/// A value of an unknown type, of which nothing is read.
package struct SkippedValue: Codable, Sendable {
  init() {}

  package init(from decoder: any Decoder) throws {}

  package func encode(to encoder: any Encoder) throws {}
}
