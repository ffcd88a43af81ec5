import Synchronization

extension StoreCore {
  /// What was counted and measured so far.
  @usableFromInline
  func metrics() async -> Metrics {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Metrics, Never>) in
      perform {
        let metrics = self.metricsNow
        self.lock.afterUnlock { continuation.resume(returning: metrics) }
      }
    }
  }

  /// *With the lock.*
  private var metricsNow: Metrics {
    let tally = ledger?.tally ?? Tally()
    var rejections = tally.rejections
    let overflowed = overflowed.load(ordering: .relaxed)
    let full = overflowed + tally.refused
    if full > 0 { rejections[.full, default: 0] += full }
    let sent = takenAtOnce + left.load(ordering: .relaxed) + overflowed
    let accepted = sent - rejections.values.reduce(0, +)
    let notReturned = ledger?.scheduler.notReturned.count ?? 0
    let followed = registry?.log?.cursors.elements.map(\.delivered) ?? []
    let seen = (registry?.positions.elements.map(\.seen) ?? []) + followed
    let observers = seen.count + (registry?.valueObservers ?? 0)
    let lag = revision - (seen.min() ?? revision)
    let scheduler = ledger?.scheduler
    let inFlight = scheduler.map { configuration.limits.runsInFlight - Int($0.freeSlots) - notReturned } ?? 0
    let waiting = scheduler?.room.count ?? 0
    // A shared run is none that was sent; the first of those that share it does not wait.
    let open = inFlight + waiting + leftNow + (scheduler?.firstMembers ?? 0) - (scheduler?.sharedRuns ?? 0)
    var outcomes = tally.outcomes
    let unfinished = outcomes.values.reduce(0, +)
    if accepted < sent { outcomes[.rejected] = sent - accepted }
    if accepted > open + unfinished { outcomes[.finished] = accepted - open - unfinished }
    return Metrics(
      sent: sent, accepted: accepted, inFlight: inFlight, waiting: waiting,
      submitting: scheduler?.submitting ?? 0, notReturned: notReturned, retries: scheduler?.retries ?? 0,
      lateEmits: tally.lateEmits,
      commits: revision, outcomes: outcomes, rejections: rejections, observers: observers, observerLag: lag,
      handleTime: ledger?.handleTime ?? Histogram(), waitTime: ledger?.waitTime ?? Histogram())
  }
}
