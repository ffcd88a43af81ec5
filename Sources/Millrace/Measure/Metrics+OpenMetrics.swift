extension Metrics {
  /// The numbers as OpenMetrics 1.0 text, which Prometheus and its like scrape.
  ///
  /// Serve it as `application/openmetrics-text; version=1.0.0; charset=utf-8`. It is a whole exposition and ends with
  /// `# EOF`: two of them cannot be joined, so each store of a process is served at a path of its own.
  ///
  /// What is counted since the store was made is a counter, what goes up and down a gauge. Times are histograms in seconds,
  /// with bounds of 1, 2.5 and 5 in each decade from 1 µs to 100 s; a duration above a bound by less than 1.6 % may be counted
  /// at it, as in ``Histogram/count(upTo:)``. Sums are exact. Every outcome and every reason has its line, at 0 too.
  ///
  /// **Names.** What is not a letter or digit of ASCII or `_` becomes `_`, and one that begins with a digit gets `_` before
  /// it. A label keeps one of several `_` it begins with, since `__` is the scraper's own. One whose name is taken by
  /// another, or by `le`, `outcome` or `reason`, gets `_` after it. Values are escaped, and may be anything.
  ///
  /// - Parameters:
  ///   - prefix: what all names begin with, followed by `_`; empty for nothing.
  ///   - labels: what every line is labelled with, besides its own label; in the text all are sorted by name.
  public func openMetrics(prefix: String = "millrace", labels: [String: String] = [:]) -> String {
    var text = OpenMetricsText(prefix: prefix, labels: labels)
    addActions(to: &text)
    addRuns(to: &text)
    addObservers(to: &text)
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
    text.addGauge("actions_in_flight", inFlight, help: "Actions whose handler runs or rests between attempts.")
    text.addGauge(
      "actions_waiting", waiting, help: "Actions that wait for a slot, their key's turn or their plan's time.")
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

  private func addObservers(to text: inout OpenMetricsText) {
    text.addGauge("observers", observers, help: "Observers of the store.")
    text.addGauge(
      "observer_lag", observerLag, unit: "revisions", help: "Revisions that the slowest observer is behind.")
  }
}
