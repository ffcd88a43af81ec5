import Synchronization

/// The figures of a store at one time.
extension Owned {
  func metrics(at core: StoreCore<I>) -> Metrics {
    let tally = runs?.tally ?? Tally()
    var rejections = tally.rejections
    let overflowed = core.overflowed.load(ordering: .relaxed)
    let full = overflowed + tally.refused
    if full > 0 { rejections[.full, default: 0] += full }
    let sent = sent(at: core)
    let accepted = sent - rejections.values.reduce(0, +)
    let notReturned = runs?.scheduler.notReturned.count ?? 0
    let followed = registry?.log?.cursors.elements.map(\.delivered) ?? []
    let seen = (registry?.positions.elements.map(\.seen) ?? []) + followed
    let observers = seen.count + (registry?.valueObservers ?? 0)
    let lag = core.revision - (seen.min() ?? core.revision)
    let resting = runs.map { $0.scheduler.withoutSlot - $0.scheduler.endedWithoutSlot } ?? 0
    let inFlight = (runs?.scheduler.runs.count ?? 0) - resting
    let waiting = runs?.scheduler.waitingCount ?? 0
    let (firstMembers, sharedRuns) = runs.map { ($0.scheduler.firstMembers, $0.scheduler.sharedRuns) } ?? (0, 0)
    // A shared run is none that was sent; the first of those that share it does not wait.
    let open = inFlight + resting + waiting + core.queuedNow + firstMembers - sharedRuns
    var outcomes = tally.outcomes
    let unfinished = outcomes.values.reduce(0, +)
    if accepted < sent { outcomes[.rejected] = sent - accepted }
    if accepted > open + unfinished { outcomes[.finished] = accepted - open - unfinished }
    return Metrics(
      sent: sent, accepted: accepted, inFlight: inFlight, resting: resting, waiting: waiting,
      submitting: runs?.scheduler.submitting ?? 0, notReturned: notReturned, retries: runs?.scheduler.retries ?? 0,
      lateEmits: tally.lateEmits,
      commits: core.revision, outcomes: outcomes, rejections: rejections, observers: observers, observerLag: lag,
      handleTime: runs?.tables.times.handle ?? Histogram(), waitTime: runs?.tables.times.wait ?? Histogram(),
      plans: runs?.scheduler.namedPlans.figures ?? [], openRuns: openRuns(inFlight: inFlight, resting: resting),
      oldestRunStart: oldestRunStart(at: core), isShuttingDown: isShuttingDown,
      unusedSteps: tally.unusedSteps, journal: journal?.sink.metrics ?? runs?.shutdown?.journal)
  }

  /// The number of actions that were given to the store.
  func sent(at core: StoreCore<I>) -> Int {
    takenAtOnce + core.queued.load(ordering: .relaxed) + core.overflowed.load(ordering: .relaxed)
  }

  /// The number of open runs by kind.
  private func openRuns(inFlight: Int, resting: Int) -> [OpenRunStage.Kind: Int] {
    let waits = runs?.scheduler.waits ?? WaitTally()
    return [
      .pace: waits.pace, .turn: waits.turn, .slot: waits.line, .running: inFlight,
      .resting: resting, .unreadable: journal?.sink.unreadableCount ?? 0,
    ]
  }

  /// The wall time at which the run was accepted whose handler started first; of a restored run that of its take-up, and of one without
  /// a plan that at which its handler began.
  private func oldestRunStart(at core: StoreCore<I>) -> Int64? {
    guard let runs else { return nil }
    var next = runs.scheduler.runs.first
    while let handle = next {
      if let age = runs.tables.records[Int(handle)].flatMap({ runs.age(of: $0, handle) }) {
        return core.configuration.wallTime() - age / 1_000_000
      }
      next = runs.scheduler.standing.handle(after: handle)
    }
    return nil
  }
}
