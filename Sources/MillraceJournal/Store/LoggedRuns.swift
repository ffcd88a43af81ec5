import Millrace

/// An action that was taken up and has not ended.
///
/// Its action stays as it was encoded: it is decoded when the log is opened, and one that this version cannot decode is kept for a later one.
struct LoggedRun: Sendable {
  /// The sequence of the take-up.
  let sequence: UInt64
  let takeUp: TakeUpHead<EncodedAction>
  /// The payload of the take-up, and the version of the schema that encoded it.
  let payload: [UInt8]
  let schemaVersion: Int
  /// The number of deaths in a row without progress, if the process ends now; nil for none.
  var resumed: Int?
  /// The steps of the run, in the order in which they were stored; nil for none.
  var steps: [StepPayload]?
  /// The idempotency keys of actions that have joined the run, and the wall time of the last join.
  var joined = JoinedKeys()

  /// All keys whose senders wait for the run.
  var sendersKeys: [String] { (takeUp.isSendersKey ? [takeUp.key] : []) + joined.texts }

  /// Adds a step, which is progress.
  mutating func add(_ step: StepPayload) {
    // In place, because a run may have 10,000.
    if steps == nil { steps = [] }
    steps?.append(step)
    resumed = nil
  }

  /// Applies the record of a key that joins the run, or leaves it.
  mutating func join(_ head: JoinedHead) {
    if head.leaves {
      joined.keys.remove(UTF8Text(head.key))
    } else {
      joined.keys.insert(UTF8Text(head.key))
      joined.time = max(joined.time ?? head.time, head.time)
    }
  }
}

/// The idempotency keys of actions that have joined a run.
struct JoinedKeys: Sendable {
  /// A set, because each client that repeats an action joins again.
  var keys: Set<UTF8Text> = []
  /// In milliseconds since 1970; nil before the first join.
  var time: Int64?

  /// The keys in an order that is the same each time.
  var texts: [String] { keys.map(\.text).sorted() }
}

/// An open run with its action, as the program that opens the log understands it.
struct ReadableRun<Action: Codable & Sendable>: Sendable {
  var run: LoggedRun
  let action: Action

  /// The action as it is handled again at a wall time, of a log.
  ///
  /// Each action that shares a run has a timeout of its own, so that of the last one counts.
  func restored(at now: Int64, of log: JournalKey, takenUpAt: Int64 = 0) -> RestoredAction<Action> {
    let since = run.joined.keys.isEmpty ? run.takeUp.time : run.joined.time
    return RestoredAction(
      action, key: run.takeUp.runKey(of: log), age: run.takeUp.age(at: now, since: since),
      steps: run.steps?.map(\.stored) ?? [], joinedKeys: run.joined.texts, deaths: run.resumed ?? 0,
      takenUpAt: takenUpAt)
  }
}

/// An open run whose action cannot be decoded, which stays open until a program can.
struct UnreadableRun: Sendable {
  let run: LoggedRun
  let reason: JournalError

  /// The run for operators; no action has its id.
  func open<Action: Sendable>(at now: Int64) -> OpenRun<Action> {
    OpenRun(
      id: ActionID(number: run.sequence << 2 | 3), action: nil, key: run.takeUp.key, age: run.takeUp.age(at: now),
      isStuck: true, deaths: run.resumed ?? 0, lastStep: run.steps?.last?.name, stage: .unreadable(reason.description),
      record: run.sequence)
  }

  /// The outcome of an action that is sent with the key of the run.
  var result: KeyedResult { KeyedResult(keys: run.sendersKeys, outcome: .rejected(.journal(reason)), revisions: nil) }
}

/// The runs of a log that have not ended.
///
/// Runs that were open when the log was opened are there from the start, and get the ids of their actions later, so a snapshot has
/// all of them at any time.
struct LoggedRuns: Sendable {
  private var runs: [UInt64: LoggedRun]
  private var sequences: [ActionID: UInt64] = [:]

  init(_ restored: [LoggedRun]) {
    runs = Dictionary(restored.map { ($0.sequence, $0) }, uniquingKeysWith: { $1 })
  }

  var isEmpty: Bool { runs.isEmpty }

  /// All runs, in the order in which their actions were taken up.
  var all: [LoggedRun] { runs.values.sorted { $0.sequence < $1.sequence } }

  /// Names a run by the id that its action has in this store.
  mutating func name(_ run: UInt64, _ id: ActionID) { sequences[id] = run }

  mutating func begin(_ run: LoggedRun, _ id: ActionID) {
    runs[run.sequence] = run
    sequences[id] = run.sequence
  }

  mutating func add(_ step: StepPayload, _ id: ActionID) {
    if let run = sequences[id] { runs[run]?.add(step) }
  }

  mutating func join(_ head: JoinedHead) { runs[head.run]?.join(head) }

  mutating func setDeaths(_ deaths: Int, of id: ActionID) {
    if let run = sequences[id] { runs[run]?.resumed = deaths == 0 ? nil : deaths }
  }

  mutating func end(_ id: ActionID) {
    if let run = sequences.removeValue(forKey: id) { runs[run] = nil }
  }

  /// Whether no other run is open.
  func isLast(_ id: ActionID) -> Bool { runs.count == 1 && sequences[id].map { runs[$0] != nil } == true }

  /// A run that was named; nil for another one.
  func run(of id: ActionID) -> LoggedRun? { sequences[id].flatMap { runs[$0] } }

  /// The sequence of the take-up of a run that was named; 0 for another one.
  func sequence(of id: ActionID) -> UInt64 { sequences[id] ?? 0 }
}
