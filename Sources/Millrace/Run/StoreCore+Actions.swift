/// What the scheduler asks for.
extension StoreCore {
  /// Tells the scheduler an event, and does what it asks for.
  ///
  /// *With the lock.*
  @usableFromInline
  func raise(_ event: Scheduler.Event) {
    let ledger = ownLedger
    ledger.scheduler.handle(event, at: ledger.now)
    performActions(ledger)
  }

  /// Does what the scheduler has asked for; what it asks for meanwhile comes before the rest.
  ///
  /// *With the lock.*
  @usableFromInline
  func performActions(_ ledger: Ledger<I>) {
    takeActions(ledger)
    if ledger.isPerforming { return }
    ledger.isPerforming = true
    while let action = ledger.pending.popLast() {
      perform(action, ledger)
      endOrphans()
    }
    ledger.isPerforming = false
    ledger.dropLongLists()
    if ledger.scheduler.hasSteps, !ledger.isStepping {
      ledger.isStepping = true
      afterStep { $0.performSteps() }
    }
    if !ledger.scheduler.timers.isEmpty { setWakeUp(ledger) }
  }

  private func takeActions(_ ledger: Ledger<I>) {
    while let action = ledger.scheduler.actions.popLast() { ledger.pending.append(action) }
  }

  /// Does the steps that are due, and urgent ones in between.
  private func performSteps() {
    let ledger = ownLedger
    while let due = ledger.scheduler.handleNextStep(at: ledger.now) { perform(due, ledger) }
    ledger.isStepping = false
  }

  private func perform(_ due: Scheduler.DueStep, _ ledger: Ledger<I>) {
    switch due {
    case .actions: performActions(ledger)
    case .admission: admitSubmitter()
    case .drained: finishClosingIfDrained()
    case .drainEnd: finishClosing(asksClosing: true)
    }
    finishStep()
  }

  private func perform(_ action: Scheduler.Action, _ ledger: Ledger<I>) {
    switch action {
    case .decide(let handle):
      if let run = ledger.records[Int(handle)] { _ = code(self, .decide(run)) }
    case .share(let handle, let shared):
      if let run = ledger.records[Int(handle)] { share(run, shared, ledger) }
    case .join(let handle, let shared):
      if let run = ledger.records[Int(handle)], let shared = ledger.records[Int(shared)] { join(run, shared) }
    case .start(let handle, let attempt):
      if let run = ledger.records[Int(handle)] { start(run, attempt, ledger) }
    case .giveUp(let handle):
      if let run = ledger.records[Int(handle)] { giveUpAttempt(of: run, handle) }
    case .draw(let handle, let retry, let made):
      if let run = ledger.records[Int(handle)] {
        let drawn = retry.backoff.rest(after: made, jitter: retry.jitter, random: &ledger.random)
        raise(.rests(handle, for: noteRest(drawn, after: made, of: run)))
      }
    case .settle(let handle, let outcome, let asksClosing):
      if let run = ledger.records[Int(handle)] { settle(run, outcome, asksClosing: asksClosing) }
    case .forget(let handle):
      ledger.scheduler.forget(handle)
      ledger.release(handle)
    }
  }

  // MARK: Runs

  private func start(_ run: ActiveRun<I>, _ attempt: Int?, _ ledger: Ledger<I>) {
    run.store = ledger.store
    if attempt == nil || attempt == 1 {
      let accepted = run.handle.flatMap { ledger.scheduler.acceptedAt($0) }
      ledger.waitTime.record(nanoseconds: accepted.map { ledger.time.now() - $0 } ?? 0)
    }
    guard let attempt else { return begin(run) }
    if attempt == 1 { run.revisionAtTakeUp = run.lastRevision }
    let made = Attempt(attempt, of: run, at: self)
    run.attempt = made
    lock.startAfterUnlock(made)
  }

  private func giveUpAttempt(of run: ActiveRun<I>, _ handle: Scheduler.Handle) {
    run.attempt?.willEnd()
    if let cancelling = run.cancelTask() { lock.afterUnlock(cancelling) }
    raise(.gaveUp(handle, hasCommitted: run.lastRevision > run.revisionAtTakeUp))
  }

  // MARK: Shared runs

  private func share(_ first: ActiveRun<I>, _ handle: Scheduler.Handle, _ ledger: Ledger<I>) {
    let run = ActiveRun(id: first.id, action: first.action, core: self, lineage: first.lineage)
    run.isShared = true
    first.sharedRun = run
    ledger.keep(run, handle)
  }

  private func join(_ run: ActiveRun<I>, _ shared: ActiveRun<I>) {
    run.sharedRun = shared
    if shared.firstRevision > 0, let answer = run.noteFirstCommit(shared.firstRevision) { lock.afterUnlock(answer) }
  }

  /// Tells those that share a run of its first commit.
  ///
  /// *With the lock.*
  func noteFirstCommit(ofMembersOf run: ActiveRun<I>) {
    guard let ledger, let handle = run.handle else { return }
    for member in ledger.scheduler.members(of: handle) {
      if let answer = ledger.records[Int(member)]?.noteFirstCommit(revision) { lock.afterUnlock(answer) }
    }
  }

  // MARK: Time

  /// Sees to it that a task sleeps until the next timer, or until an earlier one that is no more.
  private func setWakeUp(_ ledger: Ledger<I>) {
    guard let next = ledger.scheduler.timers.earliest else { return }
    if let wakeUp = ledger.wakeUp {
      if wakeUp.instant <= next { return }
      wakeUp.task.cancel()
    }
    let time = ledger.time
    ledger.wakeUp = WakeUp(
      instant: next,
      task: Task.detached { [weak self] in
        do { try await time.sleep(until: next) } catch { return }
        self?.wake(next)
      })
  }

  /// Does what is due, and urgent steps in between.
  private func wake(_ instant: Instant) {
    perform {
      guard let ledger = self.ledger else { return }
      if ledger.wakeUp?.instant == instant { ledger.wakeUp = nil }
      while let due = ledger.scheduler.handleNextTimer(at: ledger.time.now()) { self.perform(due, ledger) }
      if !ledger.scheduler.timers.isEmpty { self.setWakeUp(ledger) }
    }
  }

  /// Wakes for nothing any more.
  ///
  /// *With the lock.*
  func cancelWakeUp() {
    ledger?.wakeUp?.task.cancel()
    ledger?.wakeUp = nil
  }

  // MARK: Waiting for a state

  /// Waits for a state that satisfies the predicate.
  func wait(until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration?) async throws -> I.State {
    let watcher = Watcher(predicate: predicate)
    let deadline = timeout.map { timeout in
      let clock = configuration.clock
      return Task {
        try await clock.sleep(for: timeout)
        stop(watcher, because: WaitError(.timedOut))
      }
    }
    defer { deadline?.cancel() }
    return try await firstState(watcher)
  }
}
