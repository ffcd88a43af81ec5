import Synchronization

extension Runner {
  /// What was counted and measured so far.
  @usableFromInline
  func metrics() async -> Metrics {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Metrics, Never>) in
      perform {
        let metrics = self.metricsNow
        self.afterLeaving { continuation.resume(returning: metrics) }
      }
    }
  }

  /// *Owner's.*
  private var metricsNow: Metrics {
    let tally = ledger?.tally ?? Tally()
    var rejections = tally.rejections
    let overflowed = overflowed.load(ordering: .relaxed)
    if overflowed > 0 { rejections[.full, default: 0] += overflowed }
    let sent = takenAtOnce + left.load(ordering: .relaxed) + overflowed
    let accepted = sent - rejections.values.reduce(0, +)
    let strays = ledger?.strayCount ?? 0
    let seen = board?.seats.elements.map(\.seen) ?? []
    let observers = seen.count + (board?.valueObservers ?? 0)
    let lag = revision - (seen.min() ?? revision)
    let inFlight = configuration.limits.runsInFlight - Int(freeSlots) - strays
    return Metrics(
      sent: sent, accepted: accepted, inFlight: inFlight, waiting: ledger?.waiting ?? 0,
      submitting: ledger?.submitting ?? 0, notReturned: strays, retries: tally.retries, lateEmits: tally.lateEmits,
      commits: revision, outcomes: tally.outcomes, rejections: rejections, observers: observers, observerLag: lag,
      handleTime: ledger?.handleTime ?? Histogram(), waitTime: ledger?.waitTime ?? Histogram())
  }
}
