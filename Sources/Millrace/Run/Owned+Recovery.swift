/// Runs that are handled again: their take-up, the count of their deaths, and the line of those with two or more.
extension Owned {
  /// Handles actions again that were taken up before the store was restored: planned anew, and not decided.
  ///
  /// The keys of all of them are known before the first one is taken up, so that no other action takes a key of theirs.
  @inlinable
  mutating func handleAgain(
    _ actions: [RestoredAction<I.Action>], in line: RecoveryLine, at core: StoreCore<I>,
    _ assign: (Int, ActionID) -> Void
  ) {
    let restored = actions.enumerated().map { index, restored in
      let run = ActiveRun(id: nextID(), action: restored.action, core: core, lineage: nil)
      restoreTakeUp(of: run, restored, in: line, at: core)
      assign(index, run.id)
      return run
    }
    for run in restored { takeUp(run, at: core) }
  }

  /// Adds a run to the line of recovery before it gets permits and a slot, if it has died often enough; returns whether it did.
  @usableFromInline
  mutating func joinsRecoveryLine(_ run: ActiveRun<I>, _ handle: Scheduler.Handle, at core: StoreCore<I>) -> Bool {
    let line = run.takenUp?.recovery?.joinLine { [core] in
      core.perform { owned in
        if !run.hasEnded { owned.raise(.decided(handle, .handles), at: core) }
      }
    }
    guard let line else { return false }
    raise(.decided(handle, .awaitsRecovery), at: core)
    // After the lock is free all runs of the store are in the line, so the first of them gets the turn.
    core.lock.afterUnlock { line.giveTurn() }
    return true
  }

  /// Counts the handling of a run before its handler starts; returns false if the run was ended instead.
  mutating func isCounted(_ run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    guard run.takenUp?.recovery != nil, let error = keepCount(of: run, at: core) else { return true }
    run.launch.core = nil
    guard let handle = run.record.handle else { return false }
    // As if the handler had thrown the error, so that its slot is free again.
    let outcome = Outcome.failed(error)
    raise(
      .returned(
        handle, attempt: run.record.attempt?.number, outcome, hasCommitted: false, .never, countsForBreaker: false),
      at: core)
    return false
  }

  /// Keeps the count with the handling of this process, unless that is kept; returns the reason if it cannot be kept.
  private mutating func keepCount(of run: ActiveRun<I>, at core: StoreCore<I>) -> (any Error)? {
    guard let recovery = run.takenUp?.recovery, let journal, let deaths = recovery.deathsToCount else { return nil }
    if let error = keep(.resumed(run.id, deaths: deaths), in: .unlimited, at: core) { return error }
    recovery.count(at: journal.position)
    return nil
  }

  /// Resumes the parts of a handler that wait for the slot of their run, if it rests, or has its slot and is counted.
  @usableFromInline
  mutating func continueParts(of run: ActiveRun<I>, at core: StoreCore<I>) {
    guard !run.hasEnded, let handle = run.record.handle else { return }
    let isResting = run.madeSteps?.isResting == true
    let hasSlot = runs?.scheduler.hasSlot(handle) == true
    guard isResting || hasSlot else { return }
    if !isResting, run.takenUp?.recovery != nil, awaitsCount(run, at: core) { return }
    run.resumeParts(hasSlot: hasSlot, at: core)
  }

  /// Whether a run that continues after a rest has to wait until its count is durable; it is resumed then, or has ended.
  private mutating func awaitsCount(_ run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    if let error = keepCount(of: run, at: core) {
      fail(run, error, at: core)
      return true
    }
    guard let journal, let position = run.takenUp?.startPosition, !journal.gate.isDurable(position: position) else {
      return false
    }
    core.lock.afterUnlock { [core, gate = journal.gate] in
      gate.whenDurable(position: position) { error in
        if error == nil { core.perform { $0.continueParts(of: run, at: core) } }
      }
    }
    return true
  }

  /// Takes the count of the handling back, because the run rests, and gives its turn in the line to the next one.
  mutating func uncount(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let recovery = run.takenUp?.recovery else { return }
    let counted = recovery.deaths
    recovery.uncount()
    // If this is not taken, the run stays counted.
    if recovery.deaths < counted { _ = keep(.resumed(run.id, deaths: recovery.deaths), in: .unlimited, at: core) }
    leaveRecoveryLine(run, at: core)
  }

  /// Notes that a run has stored a step: its deaths are forgotten, and the next run has the turn.
  mutating func didMakeProgress(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    run.takenUp?.recovery?.forget()
    leaveRecoveryLine(run, at: core)
  }

  /// Keeps that a run has no deaths in a row, because a shutdown leaves it open, which is no death.
  mutating func forgetDeaths(of run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let recovery = run.takenUp?.recovery, recovery.deaths > 0 else { return }
    recovery.forget()
    _ = keep(.resumed(run.id, deaths: 0), in: .unlimited, at: core)
  }

  /// Gives the turn of a run in the line to the next one, once all that was kept so far is durable.
  @usableFromInline
  func leaveRecoveryLine(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let leave = run.takenUp?.recovery?.takeLeave() else { return }
    guard let journal else { return core.lock.afterUnlock(leave) }
    core.lock.afterUnlock { [gate = journal.gate, position = journal.position] in
      gate.whenDurable(position: position) { _ in leave() }
    }
  }
}
