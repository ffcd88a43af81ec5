/// The metrics of several stores as one: of those that live, and the counts of those that have ended.
package struct MetricsSum: Sendable {
  /// The sum so far.
  package private(set) var metrics: Metrics

  package init() { metrics = Metrics.none }

  /// Adds a store.
  ///
  /// - Parameters:
  ///   - other: the metrics of the store.
  ///   - revision: the revision of the state with which the store began, whose commits it has not made.
  ///   - hasEnded: whether the store has ended, so that only what it has counted remains.
  package mutating func add(_ other: Metrics, since revision: Int, hasEnded: Bool = false) {
    metrics = metrics.adding(hasEnded ? other.counts : other, commits: other.commits - revision)
  }

  /// Notes whether the stores take no more actions, and that their journal takes no more entries.
  package mutating func note(isShuttingDown: Bool, hasFailed: Bool) {
    metrics = metrics.with(isShuttingDown: isShuttingDown, hasFailed: hasFailed)
  }
}

extension Metrics {
  /// The metrics of no store.
  fileprivate static let none = Metrics(
    sent: 0, accepted: 0, inFlight: 0, resting: 0, waiting: 0, submitting: 0, notReturned: 0, retries: 0, lateEmits: 0,
    commits: 0, outcomes: [:], rejections: [:], observers: 0, observerLag: 0, handleTime: Histogram(),
    waitTime: Histogram())

  /// The metrics with those of another store.
  fileprivate func adding(_ other: Metrics, commits more: Int) -> Metrics {
    Metrics(
      sent: sent + other.sent, accepted: accepted + other.accepted, inFlight: inFlight + other.inFlight,
      resting: resting + other.resting, waiting: waiting + other.waiting, submitting: submitting + other.submitting,
      notReturned: notReturned + other.notReturned, retries: retries + other.retries,
      lateEmits: lateEmits + other.lateEmits, commits: commits + more,
      outcomes: outcomes.merging(other.outcomes, uniquingKeysWith: +),
      rejections: rejections.merging(other.rejections, uniquingKeysWith: +), observers: observers + other.observers,
      observerLag: max(observerLag, other.observerLag), handleTime: handleTime.merging(other.handleTime),
      waitTime: waitTime.merging(other.waitTime), plans: PlanFigures.merging(plans, other.plans),
      openRuns: openRuns.merging(other.openRuns, uniquingKeysWith: +),
      oldestRunStart: earliest(oldestRunStart, other.oldestRunStart), isShuttingDown: isShuttingDown,
      unusedSteps: unusedSteps + other.unusedSteps, journal: other.journal.map { $0.adding(journal) } ?? journal)
  }

  /// The counts of a store that has ended.
  fileprivate var counts: Metrics {
    Metrics(
      sent: sent, accepted: accepted, inFlight: 0, resting: 0, waiting: 0, submitting: 0, notReturned: 0,
      retries: retries, lateEmits: lateEmits, commits: commits, outcomes: outcomes, rejections: rejections,
      observers: 0, observerLag: 0, handleTime: handleTime, waitTime: waitTime, plans: plans.map(\.counts),
      unusedSteps: unusedSteps, journal: journal?.counts)
  }

  fileprivate func with(isShuttingDown: Bool, hasFailed: Bool) -> Metrics {
    Metrics(
      sent: sent, accepted: accepted, inFlight: inFlight, resting: resting, waiting: waiting, submitting: submitting,
      notReturned: notReturned, retries: retries, lateEmits: lateEmits, commits: commits, outcomes: outcomes,
      rejections: rejections, observers: observers, observerLag: observerLag, handleTime: handleTime,
      waitTime: waitTime, plans: plans, openRuns: openRuns, oldestRunStart: oldestRunStart,
      isShuttingDown: isShuttingDown, unusedSteps: unusedSteps,
      journal: hasFailed ? Journal(state: .failed).adding(journal) : journal)
  }
}

extension Metrics.Journal {
  /// The figures with those of another journal: of two states the worse one, and of two logs the longer one with its snapshot.
  ///
  /// Logs are not added, because a log is too long by itself: many short ones need no snapshot.
  fileprivate func adding(_ other: Metrics.Journal?) -> Metrics.Journal {
    guard let other else { return self }
    let longer = logRecords > other.logRecords ? self : other
    let isTie = logRecords == other.logRecords
    let states = [state, other.state]
    return Metrics.Journal(
      state: states.contains(.failed) ? .failed : states.contains(.unavailable) ? .unavailable : .writable,
      records: records + other.records, appendTime: appendTime.merging(other.appendTime),
      retries: retries + other.retries, unsyncedRecords: unsyncedRecords + other.unsyncedRecords,
      oldestUnsynced: earliest(oldestUnsynced, other.oldestUnsynced),
      bufferedBytes: bufferedBytes + other.bufferedBytes, bufferLimit: bufferLimit + other.bufferLimit,
      lastAppend: latest(lastAppend, other.lastAppend), logRecords: longer.logRecords,
      logBytes: isTie ? max(logBytes, other.logBytes) : longer.logBytes,
      lastSnapshot: isTie ? latest(lastSnapshot, other.lastSnapshot) : longer.lastSnapshot,
      failedSteps: failedSteps + other.failedSteps)
  }

  fileprivate var counts: Metrics.Journal {
    Metrics.Journal(
      state: .writable, records: records, appendTime: appendTime, retries: retries, lastAppend: lastAppend,
      lastSnapshot: lastSnapshot, failedSteps: failedSteps)
  }
}

extension Histogram {
  fileprivate func merging(_ other: Histogram) -> Histogram {
    var merged = self
    merged.merge(other)
    return merged
  }
}

private func earliest(_ one: Int64?, _ other: Int64?) -> Int64? { [one, other].compactMap { $0 }.min() }

private func latest(_ one: Int64?, _ other: Int64?) -> Int64? { [one, other].compactMap { $0 }.max() }
