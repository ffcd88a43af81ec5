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
  /// The idempotency key of the handler.
  package let key: String
  /// The wall time of the take-up in milliseconds since 1970; nil for one of an earlier version of the library.
  package let time: Int64?
  /// The number of times the run is handled again in a row without progress; 0 if it is abandoned.
  package let recoveryLimit: Int
  /// The number of times it was handled again in a row without progress.
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
