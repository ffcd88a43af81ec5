/// The counters, gauges and histograms of a store at one time.
///
/// It is a value: later work of the store does not change it. Counts since the store was made only grow; the
/// rest goes up and down. ``openMetrics(prefix:labels:adding:)`` is the same as text for a monitoring system.
public struct Metrics: Sendable {
  /// The number of actions that were given to the store since it was made.
  public let sent: Int

  /// The number of sent actions that were not rejected.
  public let accepted: Int

  /// The number of actions whose handler runs now, delays between two attempts included.
  public let inFlight: Int

  /// The number of actions whose handler rests now, and has given its slot back: it sleeps or waits in a step that is stored, or waits
  /// for a slot again.
  public let resting: Int

  /// The number of actions that wait now: for a slot, for the turn of their key, or for the time of their plan.
  public let waiting: Int

  /// The number of open runs, by what they do or wait for; a kind without a run counts 0, and may be left out.
  ///
  /// Actions that join a shared run are no runs of their own. ``Store/openRuns(limit:after:)`` lists the runs.
  public let openRuns: [OpenRunStage.Kind: Int]

  /// The wall time in milliseconds since 1970 at which the run was accepted whose handler started first, or at which the handler of one without a
  /// plan began; nil if no run is out.
  public let oldestRunStart: Int64?

  /// The number of callers of `submit` that are suspended now.
  public let submitting: Int

  /// The number of handlers that have not returned although their runs have ended.
  ///
  /// They keep their slots, but for those that ended while they rested, which had none. A number that stays high means handlers that do not heed cancellation.
  public let notReturned: Int

  /// The number of attempts beyond the first of a run, since the store was made.
  public let retries: Int

  /// The number of mutations that were emitted by ended runs, and dropped, since the store was made.
  public let lateEmits: Int

  /// The number of mutations that were committed: the revision of the state.
  public let commits: Int

  /// The number of actions that ended with each outcome, since the store was made.
  ///
  /// A kind that never occurred counts 0, and may be left out.
  public let outcomes: [Outcome.Kind: Int]

  /// The number of actions that were rejected for each reason, since the store was made.
  ///
  /// A kind that never occurred counts 0, and may be left out.
  public let rejections: [Rejection.Kind: Int]

  /// The number of observers now.
  public let observers: Int

  /// The number of revisions that the slowest observer is behind now.
  public let observerLag: Int

  /// The times from the start of a handler to its return; one entry for each attempt.
  public let handleTime: Histogram

  /// The times from the acceptance of an action to the start of its first handler; one entry a run.
  public let waitTime: Histogram

  /// The number of stored steps that runs which were handled again finished without, since the store was made.
  ///
  /// A handler that branches on the state may leave out steps that it has done. After a change of the program a number that grows may mean
  /// that steps have other names now, and were done again.
  public let unusedSteps: Int

  /// Whether the store takes no more actions, because it was shut down, or because its journal has failed.
  public let isShuttingDown: Bool

  /// The figures of the store's journal, which stay as they were when it failed; nil for a store without one.
  public let journal: Journal?

  /// The figures of named plans, in the order in which the names were used first.
  package let plans: [PlanFigures]

  package init(
    sent: Int, accepted: Int, inFlight: Int, resting: Int, waiting: Int, submitting: Int, notReturned: Int,
    retries: Int,
    lateEmits: Int, commits: Int, outcomes: [Outcome.Kind: Int], rejections: [Rejection.Kind: Int], observers: Int,
    observerLag: Int, handleTime: Histogram, waitTime: Histogram, plans: [PlanFigures] = [],
    openRuns: [OpenRunStage.Kind: Int] = [:], oldestRunStart: Int64? = nil, isShuttingDown: Bool = false,
    unusedSteps: Int = 0, journal: Journal? = nil
  ) {
    self.sent = sent
    self.accepted = accepted
    self.inFlight = inFlight
    self.resting = resting
    self.waiting = waiting
    self.submitting = submitting
    self.notReturned = notReturned
    self.retries = retries
    self.lateEmits = lateEmits
    self.commits = commits
    self.outcomes = outcomes
    self.rejections = rejections
    self.observers = observers
    self.observerLag = observerLag
    self.handleTime = handleTime
    self.waitTime = waitTime
    self.plans = plans
    self.openRuns = openRuns
    self.oldestRunStart = oldestRunStart
    self.isShuttingDown = isShuttingDown
    self.unusedSteps = unusedSteps
    self.journal = journal
  }
}
