/// What a store has done so far and has to do now, as numbers.
///
/// It is a value: what the store does later does not change it. What is counted since the store was made only grows; the
/// rest goes up and down. ``openMetrics(prefix:labels:)`` is the same as text for a monitoring system.
public struct Metrics: Sendable {
  /// How many actions were given to the store since it was made.
  public let sent: Int

  /// How many of those sent were not rejected.
  public let accepted: Int

  /// How many actions have a handler that runs now; one that rests between two attempts counts too.
  public let inFlight: Int

  /// How many actions wait now: for a slot, for the turn of their key, or for the time of their plan.
  public let waiting: Int

  /// How many callers of `submit` are suspended now.
  public let submitting: Int

  /// How many handlers of runs that have ended have not returned yet.
  ///
  /// They keep their slots. A number that stays high means handlers that do not heed cancellation.
  public let notReturned: Int

  /// How many attempts beyond the first the runs have made, since the store was made.
  public let retries: Int

  /// How many mutations were emitted by runs that had ended, and were dropped, since the store was made.
  public let lateEmits: Int

  /// How many mutations were committed: the revision of the state.
  public let commits: Int

  /// How many actions ended, by how they did, since the store was made.
  ///
  /// A kind that never occurred counts 0, and may be left out.
  public let outcomes: [Outcome.Kind: Int]

  /// How many actions were rejected, by the reason, since the store was made.
  ///
  /// A kind that never occurred counts 0, and may be left out.
  public let rejections: [Rejection.Kind: Int]

  /// How many observers there are now.
  public let observers: Int

  /// How far the slowest observer is behind now, in revisions.
  public let observerLag: Int

  /// How long handlers took, from their start to their return; one entry for each attempt.
  public let handleTime: Histogram

  /// How long runs waited, from the acceptance of their action to the start of their first handler; one entry a run.
  public let waitTime: Histogram

  package init(
    sent: Int, accepted: Int, inFlight: Int, waiting: Int, submitting: Int, notReturned: Int, retries: Int,
    lateEmits: Int, commits: Int, outcomes: [Outcome.Kind: Int], rejections: [Rejection.Kind: Int], observers: Int,
    observerLag: Int, handleTime: Histogram, waitTime: Histogram
  ) {
    self.sent = sent
    self.accepted = accepted
    self.inFlight = inFlight
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
  }
}
