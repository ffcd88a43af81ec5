import Millrace

/// Leads a store through a recording, entry by entry.
struct Resimulation<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Board = ResimulationBoard<I.Action, I.Mutation>
  typealias Source = Recording<I.Action, I.Mutation, I.State>

  let board: Board
  let store: Store<I>
  let interactor: I
  let clock: RecordedClock
  let patience: Duration
  let redact: @Sendable (I.Mutation) -> I.Mutation

  /// The receipts of what was sent, by the recorded runs.
  private var receipts: [RunID: Receipt] = [:]

  /// How many commits of each recorded run were passed.
  private var commits: [RunID: Int] = [:]

  /// The recorded runs that do not go on; nil for what calls from outside of any run.
  private var stuck: Set<RunID?> = []

  /// The recorded runs whose ends were passed.
  private var ended: Set<RunID> = []

  /// How many calls were passed, and how many replies were given.
  private var calls = 0
  private(set) var replies = 0

  init(
    _ board: Board, _ store: Store<I>, _ interactor: I, clock: RecordedClock, patience: Duration,
    redact: @escaping @Sendable (I.Mutation) -> I.Mutation
  ) {
    self.board = board
    self.store = store
    self.interactor = interactor
    self.redact = redact
    self.clock = clock
    self.patience = patience
  }

  /// Goes on by one entry: does what came from outside, and waits for what came of it.
  mutating func take(_ entry: Source.Entry) async {
    clock.advance(to: entry.at)
    switch entry {
    case .action(let action): await take(action)
    case .call(let call): await take(call)
    case .commit(let commit): await take(commit)
    case .end(let end): await take(end)
    case .state, .gap: break
    }
  }

  private mutating func take(_ action: RecordedAction<I.Action>) async {
    guard action.isAccepted else { return }
    let run = action.run
    if board.read({ $0.runs.isFromOutside(action) }) {
      board.note { $0.runs.send(run) }
      receipts[run] = action.trace.map { store.send(action.action, context: $0) } ?? store.send(action.action)
    }
    // Once its sender has ended it comes no more, unless it did so when it was recorded.
    let sender = action.parent.flatMap { stuck.contains($0) || ended.contains($0) ? nil : $0 }
    let hasCome = await board.wait { content in
      if content.runs.lives[run] != nil { return true }
      guard let sender, content.runs.pasts[sender] != nil else { return false }
      return content.runs.lives[sender]?.outcome != nil
    }
    if !hasCome { stuck.insert(run) }
  }

  private mutating func take(_ call: RecordedCall) async {
    let index = calls
    calls += 1
    if stuck.contains(call.run) { return }
    let run = call.run
    // A call that was cancelled is so again by what has cancelled it.
    let isToBeReleased = call.reply != .cancelled
    let released = Lock<Board.Waiting?>(nil)
    let goesOn = await board.wait { content in
      if isToBeReleased, let waiting = content.calls.release(index) {
        released.withLock { $0 = waiting }
        return true
      }
      guard content.calls.isOpen(index) else { return true }
      return run.map { content.runs.lives[$0]?.outcome != nil || content.runs.lives[$0] == nil } ?? false
    }
    let waiting = released.withLock { $0 } ?? (goesOn ? nil : board.note { $0.calls.release(index) })
    if let waiting {
      waiting.resume(returning: call.reply)
      replies += 1
    } else if !goesOn {
      stuck.insert(run)
    }
  }

  private mutating func take(_ commit: RecordedCommit<I.Mutation>) async {
    let count = commits[commit.run, default: 0] + 1
    commits[commit.run] = count
    // The mutation that closes an action is committed before its outcome is told.
    if let past = board.read({ $0.runs.pasts[commit.run] }), count == past.mutations.count,
      closes(commit.mutation, past)
    {
      await cut(commit.run, past.outcome)
    }
    await wait(for: commit.run) { $0.mutations.count >= count }
  }

  /// Whether a mutation is the one that closes an action which was cut from outside.
  private func closes(_ mutation: I.Mutation, _ past: ResimulatedRuns<I.Action, I.Mutation>.Part) -> Bool {
    let outcome: Outcome
    switch past.outcome {
    case .cancelled: outcome = .cancelled
    case .shutDown: outcome = .shutDown
    case nil, .finished, .failed, .superseded, .timedOut, .rejected, .abandoned: return false
    }
    guard let closing = interactor.closing(past.action, outcome: outcome).map(redact) else { return false }
    // Where they cannot be encoded they could not have been recorded.
    return (try? EncodedDifference.lines(from: mutation, to: closing)) == .some(nil)
  }

  /// Brings an outcome about that came from outside.
  private func cut(_ run: RunID, _ outcome: Outcome.Kind?) async {
    switch outcome {
    case .cancelled: receipts[run]?.cancel()
    case .shutDown: await store.shutdown()
    case nil, .finished, .failed, .superseded, .timedOut, .rejected, .abandoned: break
    }
  }

  private mutating func take(_ end: RecordedEnd) async {
    await cut(end.run, end.outcome)
    await wait(for: end.run) { _ in false }
    receipts[end.run] = nil
    ended.insert(end.run)
  }

  /// Waits until something holds for the run of now, or it has ended.
  private mutating func wait(
    for run: RunID, until holds: @escaping @Sendable (ResimulatedRuns<I.Action, I.Mutation>.Part) -> Bool
  ) async {
    if stuck.contains(run) || board.read({ $0.runs.pasts[run] == nil }) { return }
    let goesOn = await board.wait { content in
      content.runs.lives[run].map { $0.outcome != nil || holds($0) } ?? true
    }
    if goesOn { return }
    stuck.insert(run)
    board.note { [patience] content in
      guard let past = content.runs.pasts[run] else { return }
      content.differences.append(
        ResimulationDifference(
          .stuck, run,
          """
          \(past.name) did not go on within \(patience); it may wait for something that is not recorded: another clock than the \
          store's, or a gateway that is not called through the tape.
          """))
    }
  }
}
