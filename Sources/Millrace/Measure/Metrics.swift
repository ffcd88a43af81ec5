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

  /// The wall time in milliseconds since 1970 at which the run was accepted whose handler started first; nil if no run with a plan is out.
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

  /// The figures of named plans, in the order in which the names were used first.
  package let plans: [PlanFigures]

  package init(
    sent: Int, accepted: Int, inFlight: Int, resting: Int, waiting: Int, submitting: Int, notReturned: Int,
    retries: Int,
    lateEmits: Int, commits: Int, outcomes: [Outcome.Kind: Int], rejections: [Rejection.Kind: Int], observers: Int,
    observerLag: Int, handleTime: Histogram, waitTime: Histogram, plans: [PlanFigures] = [],
    openRuns: [OpenRunStage.Kind: Int] = [:], oldestRunStart: Int64? = nil
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
  }
}

extension Metrics {
  /// The numbers as OpenMetrics 1.0 text, which Prometheus and its like scrape.
  ///
  /// Serve it as `application/openmetrics-text; version=1.0.0; charset=utf-8`. It is a whole exposition and ends with
  /// `# EOF`: two of them cannot be joined, so each store of a process is served at a path of its own.
  ///
  /// A count since the store was made is a counter; a number that also falls is a gauge. Times are histograms in seconds,
  /// with bounds of 1, 2.5 and 5 in each decade from 1 µs to 100 s; a duration above a bound by less than 1.6 % may be counted
  /// at it, as in ``Histogram/count(upTo:)``. Sums are exact. Every outcome and every reason has its line, at 0 too.
  ///
  /// **Names.** What is not a letter or digit of ASCII or `_` becomes `_`, and one that begins with a digit gets `_` before
  /// it. A label keeps one of several `_` it begins with, since `__` is the scraper's own. One whose name is taken by
  /// another, or by `le`, `outcome`, `reason` or `stage`, gets `_` after it. Values are escaped, and may be anything.
  ///
  /// - Parameters:
  ///   - prefix: the beginning of all names, followed by `_`; empty for nothing.
  ///   - labels: the labels of every line, besides its own; in the text all are sorted by name.
  ///   - series: the program's own metrics, written behind the store's with the same labels. Their names are written as they are
  ///     given, without the prefix; a name that is not valid, or collides, is changed as ``Series`` says.
  public func openMetrics(
    prefix: String = "millrace", labels: [String: String] = [:], adding series: [Series] = []
  ) -> String {
    var text = OpenMetricsText(prefix: prefix, labels: labels)
    addActions(to: &text)
    addRuns(to: &text)
    addObservers(to: &text)
    text.add(planSeries(prefix: prefix) + series)
    return text.finished()
  }

  private func addActions(to text: inout OpenMetricsText) {
    text.addCounter("actions_sent", sent, help: "Actions given to the store.")
    text.addCounters(
      "actions_ended", Outcome.Kind.allCases.map { ($0.rawValue, outcomes[$0] ?? 0) }, by: .outcome,
      help: "Actions that ended, by how they did.")
    text.addCounters(
      "actions_rejected", Rejection.Kind.allCases.map { ($0.rawValue, rejections[$0] ?? 0) }, by: .reason,
      help: "Actions that were rejected, by the reason.")
    text.addGauge("actions_in_flight", inFlight, help: "Actions whose handler runs, or waits for its next attempt.")
    text.addGauge("actions_resting", resting, help: "Actions whose handler sleeps or waits in a step, without a slot.")
    text.addGauge(
      "actions_waiting", waiting, help: "Actions that wait for a slot, their key's turn or their plan's time.")
    text.addGauges(
      "open_runs", OpenRunStage.Kind.allCases.map { ($0.rawValue, openRuns[$0] ?? 0) }, by: .stage,
      help: "Runs that have not ended, by what they do or wait for.")
    if let oldestRunStart {
      text.addTime(
        "oldest_run_start", milliseconds: oldestRunStart,
        help: "Time at which the oldest run was accepted whose handler is out.")
    }
    text.addGauge("submits_suspended", submitting, help: "Callers of submit that are suspended.")
  }

  private func addRuns(to text: inout OpenMetricsText) {
    text.addGauge("handlers_not_returned", notReturned, help: "Handlers of ended runs that have not returned.")
    text.addCounter("retries", retries, help: "Attempts beyond the first of a run.")
    text.addCounter("late_emits", lateEmits, help: "Mutations emitted by runs that had ended, and dropped.")
    text.addCounter("commits", commits, help: "Mutations committed.")
    text.addHistogram("handle_time", handleTime, help: "Time from the start of a handler to its return.")
    text.addHistogram(
      "wait_time", waitTime, help: "Time from the acceptance of an action to the start of its first handler.")
  }

  /// The series of named plans.
  private func planSeries(prefix: String) -> [Series] {
    let prefix = prefix.isEmpty ? "plan" : prefix + "_plan"
    return plans.flatMap { plan in
      let labels = ["plan": plan.name]
      return [
        Series.gauge(
          "\(prefix)_running", Double(plan.running), labels: labels,
          help: "Actions of a named plan that hold a slot and their permits."),
        .gauge(
          "\(prefix)_waiting", Double(plan.waiting), labels: labels,
          help: "Actions of a named plan that wait for a slot or a permit."),
        .gauge(
          "\(prefix)_open_breakers", Double(plan.openBreakers), labels: labels,
          help: "Breakers that a named plan opened and that are not closed."),
        .counter(
          "\(prefix)_breaker_rejections", Double(plan.breakerRejections), labels: labels,
          help: "Actions of a named plan that a breaker refused."),
      ]
    }
  }

  private func addObservers(to text: inout OpenMetricsText) {
    text.addGauge("observers", observers, help: "Observers of the store.")
    text.addGauge(
      "observer_lag", observerLag, unit: "revisions", help: "Revisions that the slowest observer is behind.")
  }
}
