public import Millrace

/// Leads a store through a recording, entry by entry.
struct Resimulation<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Board = ResimulationBoard<I.Action, I.Mutation>
  typealias Entry = Recording<I>.Entry

  let board: Board
  let store: Store<I>
  let interactor: I
  let clock: RecordedClock
  let calls: [RecordedCall]
  /// The part of a present mutation that is compared.
  let compared: @Sendable (I.Mutation) -> I.Mutation

  /// The receipts of what was sent, by the recorded runs.
  private var receipts: [RunID: Receipt] = [:]

  /// The number of commits of each recorded run that were passed.
  private var commits: [RunID: Int] = [:]

  /// The recorded runs that do not continue; nil for calls from outside of any run.
  private var stuck: Set<RunID?> = []

  /// The recorded runs whose ends were passed.
  private(set) var ended: Set<RunID> = []

  /// The number of replies that were given.
  private(set) var replies = 0

  init(
    _ board: Board, _ store: Store<I>, _ interactor: I, _ calls: [RecordedCall], clock: RecordedClock,
    compared: @escaping @Sendable (I.Mutation) -> I.Mutation
  ) {
    self.board = board
    self.store = store
    self.interactor = interactor
    self.compared = compared
    self.calls = calls
    self.clock = clock
  }

  /// Advances by one entry: repeats it if it came from outside, and waits for its consequences.
  mutating func take(_ step: ResimulationScript.Step, of entries: ArraySlice<Entry>) async {
    switch step {
    case .begin(let call, let at):
      await advance(to: at)
      await begin(call)
    case .entry(let index):
      await advance(to: entries[index].at)
      await take(entries[index])
    case .reply(let index, let call):
      await advance(to: entries[index].at)
      await reply(to: call)
    }
  }

  /// Sets the time, once the store has done the step that told of what was waited for: that may still set a timer.
  private func advance(to nanoseconds: Int64) async {
    guard clock.now < RecordedClock.Instant(nanoseconds: nanoseconds) else { return }
    _ = await store.state
    clock.advance(to: nanoseconds)
  }

  private mutating func take(_ entry: Entry) async {
    switch entry {
    case .action(let action): await take(action)
    case .commit(let commit): await take(commit)
    // The delay has to begin before the time advances.
    case .rest(let rest): await wait(for: rest.run) { $0.rests[rest.attempt] != nil }
    case .end(let end): await take(end)
    // A call that a body has made is not made again: the step is answered.
    case .call, .step, .state, .gap: break
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

  /// Waits until a recorded call is made again, or will not be.
  private mutating func begin(_ index: Int) async {
    let run = calls[index].run
    if stuck.contains(run) { return }
    let goesOn = await board.wait { content in
      content.calls.hasArrived(index) || content.runs.hasEnded(run)
    }
    // A run that waits for another reply continues when it has that.
    if !goesOn, !board.read({ $0.calls.isWaiting(run) }) { stuck.insert(run) }
  }

  /// Delivers the recorded reply, if the call was made again.
  private mutating func reply(to index: Int) async {
    let call = calls[index]
    let run = call.run
    guard board.read({ $0.calls.hasArrived(index) && $0.calls.isOpen(index) }) else { return }
    // A call that was cancelled is so again by what has cancelled it.
    if call.reply == .cancelled, !stuck.contains(run) {
      let isCancelled = await board.wait { !$0.calls.isOpen(index) || $0.runs.hasEnded(run) }
      if isCancelled { return }
    }
    guard let waiting = board.note({ $0.calls.release(index) }) else { return }
    if let run, let live = board.read({ $0.runs.lives[run]?.run }) { clock.goesOn(live) }
    waiting.resume(returning: call.reply)
    replies += 1
  }

  private mutating func take(_ commit: RecordedCommit<I.Mutation>) async {
    let count = commits[commit.run, default: 0] + 1
    commits[commit.run] = count
    // The mutation that closes an action is committed before its outcome is told.
    if let past = board.read({ $0.runs.pasts[commit.run] }), count == past.mutations.count,
      closes(past)
    {
      await endFromOutside(commit.run, past.outcome)
    }
    await wait(for: commit.run) { $0.mutations.count >= count }
  }

  /// Whether the last mutation of a run is the one that closes its action, which was ended from outside.
  private func closes(_ past: ResimulatedRuns<I.Action, I.Mutation>.Part) -> Bool {
    let outcome: Outcome
    switch past.outcome {
    case .cancelled: outcome = .cancelled
    case .shutDown, .leftOpen: outcome = .shutDown
    case nil, .finished, .failed, .superseded, .timedOut, .rejected, .abandoned: return false
    }
    guard let mutation = past.mutations.last,
      let closing = interactor.closing(past.action, outcome: outcome).map(compared)
    else { return false }
    // Where they cannot be encoded they could not have been recorded.
    return (try? EncodedDifference.lines(from: mutation, to: closing)) == .some(nil)
  }

  /// Brings an outcome about that came from outside.
  private func endFromOutside(_ run: RunID, _ outcome: Outcome.Kind?) async {
    switch outcome {
    case .cancelled: receipts[run]?.cancel()
    case .shutDown, .leftOpen: await store.shutdown()
    case nil, .finished, .failed, .superseded, .timedOut, .rejected, .abandoned: break
    }
  }

  private mutating func take(_ end: RecordedEnd) async {
    await endFromOutside(end.run, end.outcome)
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
    board.note { content in
      guard let past = content.runs.pasts[run] else { return }
      content.differences.append(
        ResimulationDifference(
          .stuck, run,
          """
          \(past.name) did not continue within \(content.waited); it may wait for something that is not recorded: another clock than the \
          store's, or a gateway that is not called through the tape.
          """))
    }
  }
}

extension Recording {
  /// Runs the handlers again, in a store of their own, with the recorded actions and the recorded replies.
  ///
  /// ```swift
  /// let report = await recording.resimulate { tape in Shop(gateway: NoGateway(), tape: tape) }
  /// print(report)
  /// ```
  ///
  /// **Order.** It goes through the entries: an action from outside is sent, a reply is given to the call of the same run with
  /// the same name and request, and it waits for the consequences before it continues. So replies come in recorded order. What
  /// handlers send they send again themselves. The store's clock shows the recorded times, so that debounces, timeouts and
  /// rests between attempts are over when they were; each rest is as long as the recorded rest, whatever the jitter.
  ///
  /// **Unrecorded inputs** are not the same again: random numbers, other clocks, gateways that are not called through the tape,
  /// a cancel of a key. Remove values that come from there, such as times, from mutations by `comparing`. The outcomes of cancelled
  /// actions from outside, and a shutdown, are brought about when they were. It ends at the first gap.
  ///
  /// **Patience.** An action that waits for an unrecorded input does not continue. The first one is waited for as long as `patience`,
  /// each further one half as long as the one before. After the fifth the resimulation is given up, so that all of these waits
  /// together take less than twice the patience; see ``ResimulationReport/wasGivenUp``.
  ///
  /// **The tape** answers until this returns. A call that comes later throws a ``RecordedFailure``.
  ///
  /// **Cancellation.** Of the calling task changes nothing.
  ///
  /// - Parameters:
  ///   - redaction: applied to resimulated values before they are compared, if the recording was redacted with it.
  ///   - comparing: the part of a mutation that is compared; by default all of it.
  ///   - configuration: the other configuration of the store; its clock is ignored.
  ///   - patience: The real time for which the first action that does not continue is waited for; then the resimulation continues
  ///     without it.
  ///   - clock: the clock that measures the patience.
  ///   - began: called with the store before anything is sent, for interactors whose handlers send to it.
  ///   - interactor: makes the interactor, of the recorded type or of another one; it has to call its gateways through the tape.
  /// - Returns: the differences.
  public func resimulate<Present: Interactor>(
    redaction: Redaction<I> = Redaction(),
    comparing: @escaping @Sendable (I.Mutation) -> I.Mutation = { $0 },
    configuration: StoreConfiguration = StoreConfiguration(),
    patience: Duration = .seconds(5), clock: any Clock<Duration> = ContinuousClock(),
    began: (Store<Present>) -> Void = { _ in }, interactor: (GatewayTape) -> Present
  ) async -> ResimulationReport<I.State>
  where Present.Action == I.Action, Present.Mutation == I.Mutation, Present.State == I.State {
    let entries = entries.prefix { if case .gap = $0 { false } else { true } }
    let answers = RecordedAnswers(entries)
    let calls = answers.calls
    let replies = zip(answers.indices, calls).map { ($0, $1.took) }
    let script = ResimulationScript(times: entries.map(\.at), calls: replies)
    let runs = ResimulatedRuns<I.Action, I.Mutation>(entries, comparing)
    let compared = { @Sendable in comparing(redaction.mutation($0)) }
    let board = ResimulationBoard(runs, calls, patience: patience, clock: clock)
    let time = RecordedClock()
    var configuration = configuration
    configuration.clock = time
    let interactor = interactor(GatewayTape(AnsweringDeck(board: board, redact: redaction.request)))
    let store = Store(
      initial: start.state,
      interactor: interactor, configuration: configuration,
      interceptors: [ResimulationInterceptor<Present>(board: board, clock: time)])
    began(store)
    var resimulation = Resimulation(
      board, store, interactor, calls, clock: time, compared: compared)
    for step in script.steps {
      if board.isGivenUp { break }
      await resimulation.take(step, of: entries)
    }
    let wasGivenUp = board.isGivenUp
    // What is open now was open when the recording ended; how it ends here is no difference.
    let differences = board.allDifferences(
      calls, compared: compared, among: wasGivenUp ? resimulation.ended : nil)
    let state = await store.state
    await store.shutdown()
    board.finish()
    return ResimulationReport(
      differences: differences, actions: board.read { $0.runs.lives.count }, replies: resimulation.replies,
      foreignCommits: runs.foreignCommits, endedAtGap: entries.count < self.entries.count,
      wasGivenUp: wasGivenUp, state: state)
  }
}
