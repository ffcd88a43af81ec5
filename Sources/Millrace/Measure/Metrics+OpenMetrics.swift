extension Metrics {
  /// The numbers as OpenMetrics 1.0 text, which Prometheus and its like scrape.
  ///
  /// Serve it as `application/openmetrics-text; version=1.0.0; charset=utf-8`. It is a whole exposition and ends with
  /// `# EOF`: two of them cannot be joined, so several stores share one text by ``openMetrics(of:prefix:labels:adding:)``.
  ///
  /// A count since the store was made is a counter; a number that also falls is a gauge. Times are histograms in seconds,
  /// with bounds of 1, 2.5 and 5 in each decade from 1 µs to 100 s; a duration above a bound by less than 1.6 % may be counted
  /// at it, as in ``Histogram/count(upTo:)``. Sums are exact. Every outcome and every reason has its line, at 0 too.
  ///
  /// **Names.** What is not a letter or digit of ASCII or `_` becomes `_`, and one that begins with a digit gets `_` before
  /// it. A label keeps one of several `_` it begins with, since `__` is the scraper's own. One whose name is taken by
  /// another, or by `le`, `outcome`, `reason`, `stage` or `state`, gets `_` after it. Values are escaped, and may be anything.
  ///
  /// - Parameters:
  ///   - prefix: the beginning of all names, followed by `_`; empty for nothing.
  ///   - labels: the labels of every line, besides its own; in the text all are sorted by name.
  ///   - series: the program's own metrics, written behind the store's with the same labels. Their names are written as they are
  ///     given, without the prefix; a name that is not valid, or collides, is changed as ``Series`` says.
  public func openMetrics(
    prefix: String = "millrace", labels: [String: String] = [:], adding series: [Series] = []
  ) -> String {
    Self.openMetrics(of: [([:], self)], prefix: prefix, labels: labels, adding: series)
  }

  /// The numbers of several stores as one OpenMetrics 1.0 text.
  ///
  /// Each family is written once, with the lines of each store behind its head, so the labels of the stores tell the lines apart:
  ///
  /// ```swift
  /// let text = await Metrics.openMetrics(of: [(["store": "carts"], carts.metrics), (["store": "orders"], orders.metrics)])
  /// ```
  ///
  /// Format and names are those of the text of one store, ``openMetrics(prefix:labels:adding:)``. A family that only some stores have, such as those
  /// of journals, has lines of these stores only. Two stores with equal labels make a text that a scraper refuses; a label with an empty value is left out.
  ///
  /// - Parameters:
  ///   - stores: the metrics of each store, and the labels of its lines. A label's name that `labels` has too gets `_` after it.
  ///   - prefix: the beginning of all names, followed by `_`; empty for nothing.
  ///   - labels: the labels of every line.
  ///   - series: the program's own metrics, written behind those of the stores with `labels`.
  public static func openMetrics(
    of stores: [(labels: [String: String], metrics: Metrics)], prefix: String = "millrace",
    labels: [String: String] = [:],
    adding series: [Series] = []
  ) -> String {
    var text = OpenMetricsText(of: stores, prefix: prefix, labels: labels)
    text.addActions()
    text.addRuns()
    text.addObservers()
    text.addJournals()
    text.addPlans()
    text.add(series)
    return text.finished()
  }
}

extension OpenMetricsText {
  fileprivate mutating func addActions() {
    addCounter("actions_sent", help: "Actions given to the store.") { $0.sent }
    addCounters("actions_ended", by: .outcome, help: "Actions that ended, by how they did.") { $0.outcomes }
    addCounters("actions_rejected", by: .reason, help: "Actions that were rejected, by the reason.") { $0.rejections }
    addGauge("actions_in_flight", help: "Actions whose handler runs, or waits for its next attempt.") { $0.inFlight }
    addGauge("actions_resting", help: "Actions whose handler sleeps or waits in a step, without a slot.") { $0.resting }
    addGauge("actions_waiting", help: "Actions that wait for a slot, their key's turn or their plan's time.") {
      $0.waiting
    }
    addGauges("open_runs", by: .stage, help: "Runs that have not ended, by what they do or wait for.") { $0.openRuns }
    addTime("oldest_run_start", help: "Time at which the oldest run was accepted whose handler is out.") {
      $0.oldestRunStart
    }
    addGauge("shutting_down", help: "1 once the store takes no more actions.") { $0.isShuttingDown ? 1 : 0 }
    addGauge("submits_suspended", help: "Callers of submit that are suspended.") { $0.submitting }
  }

  fileprivate mutating func addRuns() {
    addGauge("handlers_not_returned", help: "Handlers of ended runs that have not returned.") { $0.notReturned }
    addCounter("retries", help: "Attempts beyond the first of a run.") { $0.retries }
    addCounter("late_emits", help: "Mutations emitted by runs that had ended, and dropped.") { $0.lateEmits }
    addCounter("unused_steps", help: "Stored steps that runs which were handled again finished without.") {
      $0.unusedSteps
    }
    addCounter("commits", help: "Mutations committed.") { $0.commits }
    addHistogram("handle_time", help: "Time from the start of a handler to its return.") { $0.handleTime }
    addHistogram("wait_time", help: "Time from the acceptance of an action to the start of its first handler.") {
      $0.waitTime
    }
  }

  fileprivate mutating func addObservers() {
    addGauge("observers", help: "Observers of the store.") { $0.observers }
    addGauge("observer_lag", unit: "revisions", help: "Revisions that the slowest observer is behind.") {
      $0.observerLag
    }
  }

  fileprivate mutating func addJournals() {
    addCounter("journal_records", help: "Records that the journal has stored.") { $0.journal?.records }
    addCounter("journal_failed_steps", help: "Steps that were stored with an error.") { $0.journal?.failedSteps }
    addHistogram("journal_append_time", help: "Time from handing records over to the journal until they were durable.")
    {
      $0.journal?.appendTime
    }
    addCounter("journal_retries", help: "Calls of the journal that were made again, because it was unavailable.") {
      $0.journal?.retries
    }
    addGauge("journal_unsynced_records", help: "Records that are not durable yet.") { $0.journal?.unsyncedRecords }
    addGauge("journal_buffer", unit: "bytes", help: "Bytes of the records that are not durable yet.") {
      $0.journal?.bufferedBytes
    }
    addGauge("journal_buffer_limit", unit: "bytes", help: "Bytes that may wait to be stored.") {
      $0.journal?.bufferLimit
    }
    addTime(
      "journal_oldest_unsynced", help: "Time before which no record was made that is not durable."
    ) {
      $0.journal?.oldestUnsynced
    }
    addTime("journal_last_append", help: "Time at which the journal last stored records.") { $0.journal?.lastAppend }
    addGauge("journal_log_records", help: "Records in the log since its newest snapshot.") { $0.journal?.logRecords }
    addGauge("journal_log", unit: "bytes", help: "Payload bytes in the log since its newest snapshot.") {
      $0.journal?.logBytes
    }
    addTime("journal_last_snapshot", help: "Time at which the store last stored a snapshot.") {
      $0.journal?.lastSnapshot
    }
    addGauges("journal_state", by: .state, help: "1 for the state that the journal is in.") { metrics in
      metrics.journal.map { journal in [journal.state: 1] }
    }
  }

  /// The series of named plans.
  fileprivate mutating func addPlans() {
    let name = prefix + "plan"
    add(
      stores.flatMap { store in
        store.metrics.plans.flatMap { plan in
          let labels = ["plan": plan.name]
          let series: [Metrics.Series] = [
            .gauge(
              "\(name)_running", Double(plan.running), labels: labels,
              help: "Actions of a named plan that hold a slot and their permits."),
            .gauge(
              "\(name)_waiting", Double(plan.waiting), labels: labels,
              help: "Actions of a named plan that wait for a slot or a permit."),
            .gauge(
              "\(name)_open_breakers", Double(plan.openBreakers), labels: labels,
              help: "Breakers that a named plan opened and that are not closed."),
            .counter(
              "\(name)_breaker_rejections", Double(plan.breakerRejections), labels: labels,
              help: "Actions of a named plan that a breaker refused."),
          ]
          return series.map { (store.labels, $0) }
        }
      })
  }
}
