public import Millrace

/// The progress of `Store.open`.
public struct JournalProgress: Sendable {
  /// The last record that was read.
  public let sequence: JournalSequence

  /// The last record of the log.
  public let last: JournalSequence
}

extension Store where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// Restores a store from its log in a journal, and makes it the writer of the log.
  ///
  /// ```swift
  /// let store = try await Store.open(
  ///   initial: Records.State(), interactor: Records(gateway: gateway), journal: journal, key: "records")
  /// await store.send(.add("a")).outcome  // `.finished`: the record survives a crash.
  /// ```
  ///
  /// **Durability.** The restored state is the fold of all mutations of the log: its newest snapshot, and the mutations behind that.
  /// Outcomes of actions, and ``Receipt/firstCommit``, wait until everything they depend on is durable; ``state`` and observers may be ahead. A handler starts on the pool once its action is durable. An action that
  /// cannot be encoded ends as ``Rejection/journal(_:)``, and changes nothing. When the journal fails for good, the store stops: open
  /// actions and those whose outcomes were held back end as ``Outcome/failed(_:)`` with a ``JournalError``, which means that it is not known
  /// whether they are durable, and later ones are rejected.
  ///
  /// **Recovery.** A run that was open when the log ended gets its closing with ``Outcome/abandoned``, or is handled again if its plan says
  /// ``Recovery/handleAgain``: planned anew on the restored state, not decided, and with the same idempotency key. Runs that were handled when two
  /// or more processes ended in a row are handled again one at a time (``Recovery/handleAgain(limit:)``). First come all
  /// closings, which are durable when this returns, then the runs that are handled again, both in the order in which the actions were
  /// taken up, and then the feedbacks. A run whose action cannot be decoded stays open in the log, with an incident, for a version of the program
  /// that has the step (``StoreSchema/upcastingActions(from:_:)``); an action that is sent with its key is rejected until then.
  ///
  /// **Snapshots** are taken by the store, when the log behind the newest one has reached 10,000 records or 16 MiB, and is also four times as large as that snapshot. So
  /// the time of an opening depends on the size of the state, and not on the length of the history. A step only keeps a copy of the state; a task encodes
  /// and stores it, and removes the records that it covers (``JournalOptions``). A snapshot that cannot be encoded is reported as an incident, and the
  /// log keeps growing.
  ///
  /// **Fencing.** The store appends an epoch to the log. An earlier store of the same key stops with its next append, and its error names this
  /// one. Until then it shows its state, and its handlers continue to call gateways.
  ///
  /// **Cancellation** of the calling task has no effect: the opening continues, and returns the store.
  ///
  /// - Parameters:
  ///   - initial: The state of revision 0, which the log does not have. An initial state other than at earlier openings is reported as an incident.
  ///   - interactor: The interactor, which handles actions and reduces mutations.
  ///   - journal: The journal, which the store holds.
  ///   - key: The log in the journal; a later store that opens it stops this one.
  ///   - configuration: The clock, the limits and other parts of the store.
  ///   - schema: The version of the mutations and the state, and the ways from earlier versions.
  ///   - options: The coder and the limits of the journal.
  ///   - interceptors: Interceptors that actions pass, also actions that are handled again, and that get commits; not the commits of
  ///     closings of abandoned runs, which come before.
  ///   - feedbacks: Feedbacks, which begin on the restored state, behind the actions that are handled again.
  ///   - progress: Called on an unspecified thread after each page of records, about 1 MiB.
  /// - Throws: ``JournalError``. The opening reads the log, appends the epoch, and appends the closings. A record that cannot be read has the code ``JournalError/Code/corrupt`` and names its sequence. An error before the epoch is
  ///   appended, as this one, changes nothing, and an earlier store remains the writer; otherwise that is fenced, and the next opening reads on.
  public static func open(
    initial: I.State, interactor: I, journal: any Journal, key: JournalKey,
    configuration: StoreConfiguration = StoreConfiguration(), schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions(),
    interceptors: [any Interceptor<I>] = [], feedbacks: [Feedback<I.State, I.Action>] = [],
    progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> Store {
    guard journal.largestBatch <= options.bufferedBytes / 2 else {
      throw .bufferTooSmall(key, limit: options.bufferedBytes, largestBatch: journal.largestBatch)
    }
    var random = configuration.random
    let number = random.next()
    let log = StoreLog<I>(journal: journal, key: key, schema: schema, options: options)
    let calls = JournalCalls(journal: journal, key: key, deadline: options.deadline, clock: configuration.clock)
    var opening = LogOpening(
      initial, log, calls, writer: number, wallTime: configuration.wallTime, report: configuration.report)
    var epoch = JournalEpoch.begun(at: configuration.wallTime())
    epoch.initial = log.digest(of: initial)
    try await opening.takeOver(as: epoch, progress)
    opening.compare(epoch.initial)
    try await opening.abandonRuns(interactor)
    let (restored, runs) = (opening.restored, opening.runs)
    let writer = JournalWriter(opening, epoch: epoch, gate: DurabilityGate())
    let store = Store.restored(
      restored.state, revision: restored.revision, interactor: interactor, configuration: configuration,
      journal: writer, gate: writer.gate)
    writer.attach(to: store.journaled)
    if !interceptors.isEmpty { store.setInterceptors(interceptors) }
    store.handleAgain(
      opening.restoredActions(at: configuration.wallTime()), in: RecoveryLine(on: configuration.clock)
    ) { writer.name(runs[$0].run.sequence, $1) }
    store.begin(feedbacks)
    return store
  }

  /// The newest revision that is durable; nil for a store without a journal.
  public nonisolated var durableRevision: Int? { durabilityGate?.durableRevision }
}
