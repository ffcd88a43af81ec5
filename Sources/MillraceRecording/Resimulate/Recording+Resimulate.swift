public import Millrace

extension Recording {
  /// Runs the handlers again, in a store of their own, with the recorded actions and the recorded replies.
  ///
  /// ```swift
  /// let report = await recording.resimulate { tape in Shop(gateway: NoGateway(), tape: tape) }
  /// print(report)
  /// ```
  ///
  /// **Order.** It goes through the entries: an action from outside is sent, a reply is given to the call of the same run with
  /// the same name and request, and what came of it is waited for before it continues. So replies come in recorded order. What
  /// handlers send they send again themselves. The store's clock shows the recorded times, so that debounces, timeouts and
  /// rests between attempts are over when they were; each rest is as long as the recorded rest, whatever the jitter.
  ///
  /// **What is not recorded** is not the same again: random numbers, other clocks, gateways that are not called through the tape,
  /// a cancel of a key. Take out of mutations by `comparing` what comes from there, such as times. The outcomes of cancelled
  /// actions from outside, and a shutdown, are brought about when they were. It ends at the first gap.
  ///
  /// **Patience.** An action that waits for what is not recorded does not continue. The first one is waited for as long as `patience`,
  /// each further one half as long as the one before. After the fifth the resimulation is given up, so that all of these waits
  /// together take less than twice the patience; see ``ResimulationReport/wasGivenUp``.
  ///
  /// **The tape** answers until this returns. A call that comes later throws a ``RecordedFailure``.
  ///
  /// **Cancellation.** Of the calling task changes nothing.
  ///
  /// - Parameters:
  ///   - redaction: applied to what is resimulated before it is compared, if the recording was redacted with it.
  ///   - comparing: what of a mutation is compared; by default all of it.
  ///   - configuration: what the store is given besides; its clock is not looked at.
  ///   - patience: The real time for which the first action that does not continue is waited for; then the resimulation continues
  ///     without it.
  ///   - clock: what the patience is measured by.
  ///   - began: told of the store before anything is sent, for interactors whose handlers send to it.
  ///   - interactor: makes the interactor; it has to call its gateways through the tape.
  /// - Returns: what was otherwise.
  public func resimulate<I: Interactor>(
    redaction: Redaction<Action, Mutation, State> = Redaction(),
    comparing: @escaping @Sendable (Mutation) -> Mutation = { $0 },
    configuration: StoreConfiguration = StoreConfiguration(),
    patience: Duration = .seconds(5), clock: any Clock<Duration> = ContinuousClock(),
    began: (Store<I>) -> Void = { _ in }, interactor: (GatewayTape) -> I
  ) async -> ResimulationReport<State> where I.Action == Action, I.Mutation == Mutation, I.State == State {
    let entries = entries.prefix { if case .gap = $0 { false } else { true } }
    let calls = entries.compactMap { if case .call(let call) = $0 { call } else { nil } }
    let replies = entries.indices.compactMap { index in
      if case .call(let call) = entries[index] { (index, call.took) } else { nil }
    }
    let script = ResimulationScript(times: entries.map(\.at), calls: replies)
    let runs = ResimulatedRuns<Action, Mutation>(entries, comparing)
    let compared = { @Sendable in comparing(redaction.mutation($0)) }
    let board = ResimulationBoard(runs, calls, patience: patience, clock: clock)
    let time = RecordedClock()
    var configuration = configuration
    configuration.clock = time
    let interactor = interactor(GatewayTape(AnsweringDeck(board: board, redact: redaction.request)))
    let store = Store(
      initial: start.state,
      interactor: interactor, configuration: configuration,
      interceptors: [ResimulationInterceptor<Action, Mutation, State>(board: board, clock: time)])
    began(store)
    var resimulation = Resimulation(
      board, store, interactor, calls, clock: time, compared: compared)
    for step in script.steps {
      if board.isGivenUp { break }
      await resimulation.take(step, of: entries)
    }
    let wasGivenUp = board.isGivenUp
    // What is open now was open when the recording ended; how it is cut here is no difference.
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
