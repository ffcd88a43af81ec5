import Millrace

/// The recorded runs and those of the resimulation, and which of them are the same action.
struct ResimulatedRuns<Action: Codable & Sendable, Mutation: Codable & Sendable>: Sendable {
  /// A run, as it was recorded or as it is now.
  struct Part: Sendable {
    let run: RunID
    let action: Action
    var mutations: [Mutation] = []
    var outcome: Outcome.Kind?

    /// The rests between attempts, in nanoseconds, by the number of the attempt that failed.
    var rests: [Int: Int64] = [:]

    /// The name of the action with the run.
    var name: String { "\(CaseName.of(action)) (\(run))" }
  }

  /// The recorded runs that were accepted, in order.
  private(set) var recorded: [RunID] = []
  private(set) var pasts: [RunID: Part] = [:]
  private(set) var foreignCommits = 0

  /// The calls and commits of the present runs, by their recorded runs.
  private(set) var lives: [RunID: Part] = [:]

  /// The recorded runs, by the runs of now.
  private var twins: [RunID: RunID] = [:]

  /// The actions that were sent and are not recorded: the sender, if that is recorded, and the name.
  private(set) var unexpected: [(sender: RunID?, name: String)] = []

  /// The recorded actions that a recorded handler sent and that it has not sent again: their runs by sender and content, the last
  /// of equal actions first.
  private var children: [RunID: [String: [RunID]]] = [:]

  /// The recorded run whose action is being sent.
  private var sending: RunID?

  /// - Parameters:
  ///   - entries: the recorded entries.
  ///   - comparing: the part of a recorded mutation that is compared.
  init<State>(
    _ entries: some Sequence<RecordingEntry<Action, Mutation, State>>, _ comparing: (Mutation) -> Mutation = { $0 }
  ) {
    for entry in entries {
      switch entry {
      case .action(let action) where action.isAccepted:
        recorded.append(action.run)
        pasts[action.run] = Part(run: action.run, action: action.action)
        if let parent = action.parent, pasts[parent] != nil, let text = try? CanonicalText(action.action).text {
          children[parent, default: [:]][text, default: []].append(action.run)
        }
      case .commit(let commit):
        if pasts[commit.run] == nil { foreignCommits += 1 }
        pasts[commit.run]?.mutations.append(comparing(commit.mutation))
      case .rest(let rest): pasts[rest.run]?.rests[rest.attempt] = rest.duration
      case .end(let end): pasts[end.run]?.outcome = end.outcome
      case .action, .call, .step, .state, .gap: break
      }
    }
    children = children.mapValues { $0.mapValues { $0.reversed() } }
  }

  /// Whether an action was sent from outside of any recorded run, so that the resimulation has to send it.
  func isFromOutside(_ action: RecordedAction<Action>) -> Bool {
    action.parent.map { pasts[$0] == nil } ?? true
  }

  /// The recorded run that a run of now is.
  func twin(of live: RunID) -> RunID? { twins[live] }

  /// Whether a recorded run has ended again, or was not begun again; nil is what is outside of any run, and does not end.
  func hasEnded(_ run: RunID?) -> Bool {
    guard let run else { return false }
    return lives[run].map { $0.outcome != nil } ?? true
  }

  /// Whether a recorded run was ended from outside, or had not ended when the recording did.
  func wasCut(_ run: RunID) -> Bool {
    switch pasts[run]?.outcome {
    case nil, .cancelled, .superseded, .timedOut, .shutDown, .leftOpen: true
    case .finished, .failed, .rejected, .abandoned: false
    }
  }

  mutating func send(_ run: RunID) {
    sending = run
  }

  mutating func accept(_ cause: Cause<Action>) {
    let live = cause.context.run
    let sender = cause.context.parent.flatMap { twins[$0] }
    guard let twin = twin(for: cause, sender) else {
      unexpected.append((sender, CaseName.of(cause.action)))
      return
    }
    twins[live] = twin
    lives[twin] = Part(run: live, action: cause.action)
  }

  mutating func commit(_ mutation: Mutation, of live: RunID) {
    guard let twin = twins[live] else { return }
    lives[twin]?.mutations.append(mutation)
  }

  /// Notes that a run of now rests after an attempt.
  ///
  /// - Returns: the recorded rest; the drawn rest if none was recorded, as in recordings of version 1.
  mutating func rest(_ drawn: Duration, after attempt: Int, of live: RunID) -> Duration {
    guard let twin = twins[live] else { return drawn }
    let rest = pasts[twin]?.rests[attempt].map { Duration.nanoseconds($0) } ?? drawn
    lives[twin]?.rests[attempt] = rest.nanoseconds
    return rest
  }

  mutating func end(_ cause: Cause<Action>, _ outcome: Outcome.Kind) {
    // One that was sent and not accepted has come nevertheless.
    if cause.context.parent == nil, twins[cause.context.run] == nil, sending != nil { accept(cause) }
    guard let twin = twins[cause.context.run] else { return }
    lives[twin]?.outcome = outcome
  }

  /// The recorded run that an action of now is: the one that is sent, or the first of the same content that its sender has not
  /// sent again; the elements of a set have no order.
  private mutating func twin(for cause: Cause<Action>, _ sender: RunID?) -> RunID? {
    guard cause.context.parent != nil else {
      defer { sending = nil }
      return sending
    }
    guard let sender, let action = try? CanonicalText(cause.action) else { return nil }
    return children[sender]?[action.text]?.popLast()
  }
}

/// The times at which runs continue, in nanoseconds.
///
/// A handler that has its reply continues in a thread of its own, and the resimulation takes the next entry, which may be a
/// minute later. Whatever the handler does next with the clock counts from its reply all the same: a rest that began when the
/// next entry was looked at would not be over when it was. So the time of a run is that of what it was given last, for as long
/// as it is not known to have waited for something else.
struct RunTimes: Sendable {
  private struct Entry: Sendable {
    let time: Int64
    /// The number of timers of the store that were over: of a delay between attempts, a debounce or a timeout.
    let alarms: Int
    /// For a run that may have to wait until it begins: how many runs had ended.
    var ends: Int?
  }

  private var entries: [RunID: Entry] = [:]
  private var alarms = 0
  private var ends = 0

  /// The time that a run goes by; nil if it is not known.
  subscript(_ run: RunID) -> Int64? {
    guard let entry = entries[run], entry.alarms == alarms, entry.ends == nil || entry.ends == ends else { return nil }
    return entry.time
  }

  /// A run was accepted, and begins now if it does not have to wait; its sender has come this far.
  mutating func accepted(_ run: RunID, by sender: RunID?, at time: Int64) {
    if let sender { goesOn(sender, at: time) }
    entries[run] = Entry(time: time, alarms: alarms, ends: ends)
  }

  /// A run has what it has waited for, or has done something that is waited for.
  mutating func goesOn(_ run: RunID, at time: Int64) {
    entries[run] = Entry(time: time, alarms: alarms)
  }

  /// A run has ended; its sender may have waited for that.
  mutating func ended(_ run: RunID, of sender: RunID?, at time: Int64) {
    entries[run] = nil
    if let sender, entries[sender] != nil { goesOn(sender, at: time) }
    ends += 1
  }

  /// An alarm of the store has rung.
  mutating func alarmed() {
    alarms += 1
  }
}

/// Reports the events of a store to its resimulation, and the positions of its runs to the clock.
///
/// The clock first: who waits at the board moves the time on.
struct ResimulationInterceptor<I: Interactor>: Interceptor where I.Action: Codable, I.Mutation: Codable {
  let board: ResimulationBoard<I.Action, I.Mutation>
  let clock: RecordedClock

  func accepted(_ cause: Cause<I.Action>) {
    clock.accepted(cause.context)
    board.note { $0.runs.accept(cause) }
  }

  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    clock.goesOn(cause.context.run)
    board.note { $0.runs.commit(mutation, of: cause.context.run) }
  }

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    clock.ended(cause.context)
    board.note { $0.runs.end(cause, outcome.kind) }
  }
}

extension ResimulationInterceptor: EventSink {
  /// Replaces the rest before the next attempt of a run by the recorded rest.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    board.note { $0.runs.rest(drawn, after: attempt, of: cause.context.run) }
  }
}
