/// Runs: the scheduler's events and actions, ends, and suspended submits.
extension Owned {
  /// Passes an event to the scheduler, and does what it asks for.
  @inlinable
  mutating func raise(_ event: Scheduler.Event, at core: StoreCore<I>) {
    let runs = madeRuns(at: core)
    // What an action raises is of the same step, and so of the same instant.
    runs.scheduler.handle(event, at: runs.tables.isPerforming ? runs.scheduler.now : runs.now)
    performActions(of: runs, at: core)
  }

  /// Performs the actions that the scheduler asks for; the actions that it asks for meanwhile come before the rest.
  @usableFromInline
  mutating func performActions(of runs: RunRegistry<I>, at core: StoreCore<I>) {
    core.code.performActions(&self, runs, core)
  }

  @inlinable
  mutating func performActionsHere(of runs: RunRegistry<I>, at core: StoreCore<I>) {
    runs.takeActions()
    if runs.tables.isPerforming { return }
    runs.tables.isPerforming = true
    while let action = runs.tables.pending.popLast() {
      perform(action, of: runs, at: core)
      if runs.hasRunsToEnd { endRunsOfRemovedChildren(at: core) }
    }
    runs.tables.isPerforming = false
    runs.dropLongLists()
    if runs.scheduler.hasSteps, !runs.tables.isStepping {
      runs.tables.isStepping = true
      core.lock.planSteps()
    }
    if runs.scheduler.hasTimers { setWakeUp(of: runs, at: core) }
  }

  /// Schedules a step of the store at the next timer.
  @usableFromInline
  func setWakeUp(of runs: RunRegistry<I>, at core: StoreCore<I>) {
    guard let next = runs.nextWakeUp() else { return }
    runs.sleep(until: next) { [core] in core.wake(at: next) }
    if let notice = runs.services.time.timerIsSet { core.lock.afterUnlock(notice) }
  }

  @inlinable
  mutating func perform(_ action: Scheduler.Action, of runs: RunRegistry<I>, at core: StoreCore<I>) {
    switch action {
    case .decide(let handle):
      if let run = runs.tables.records[Int(handle)] { decideAndFollow(run, at: core) }
    case .share(let handle, let shared):
      if let run = runs.tables.records[Int(handle)] { share(run, shared, runs, at: core) }
    case .join(let handle, let shared):
      if let run = runs.tables.records[Int(handle)], let shared = runs.tables.records[Int(shared)] {
        join(run, shared, at: core)
      }
    case .start(let handle, let attempt):
      if let run = runs.tables.records[Int(handle)] { start(run, attempt, runs, at: core) }
    case .resume(let handle): if let run = runs.tables.records[Int(handle)] { continueParts(of: run, at: core) }
    case .giveUp(let handle):
      if let run = runs.tables.records[Int(handle)] { giveUpAttempt(of: run, handle, at: core) }
    case .draw(let handle, let retry, let made, let delay):
      if let run = runs.tables.records[Int(handle)] {
        drawRest(of: run, handle, retry, after: made, delay, runs, at: core)
      }
    case .settle(let handle, let outcome, let asksClosing):
      runs.recordTime(of: handle)
      if let run = runs.tables.records[Int(handle)] { settle(run, outcome, asksClosing: asksClosing, at: core) }
    case .forget(let handle):
      runs.scheduler.forget(handle)
      runs.release(handle)
    }
  }

  // MARK: Acceptance

  /// Whether neither a slot nor room to wait is left for an action that asks for `handle`.
  @inlinable
  var isFull: Bool { runs?.scheduler.isFull == true }

  /// Rejects an action for which there is neither a slot nor room to wait; it has changed nothing, and needs no run.
  @inlinable
  func refuse(_ id: ActionID) -> Receipt {
    runs?.tally.refused &+= 1
    return Receipt(id: id, .full(.room))
  }

  /// The reason why an action that asks for `handle` is not taken up; nil if it is.
  @inlinable
  func refusalOfHandling(_ run: ActiveRun<I>) -> Rejection? {
    guard let handle = run.record.handle else { return isFull ? .full(at: .room) : nil }
    return runs?.scheduler.refusal(of: handle)
  }

  /// Rejects an action that was decided and is not taken up; it has changed nothing.
  @usableFromInline
  mutating func refuse(_ run: ActiveRun<I>, _ refusal: Rejection, at core: StoreCore<I>) {
    if let handle = run.record.handle {
      raise(.decided(handle, .refused(refusal)), at: core)
    } else {
      end(run, .rejected(refusal), at: core)
    }
  }

  /// Returns whether an action may be taken up; otherwise it has its outcome.
  @usableFromInline
  mutating func accepts(_ run: ActiveRun<I>, _ terms: PlanTerms?, at core: StoreCore<I>) -> Bool {
    if run.hasEnded { return false }
    let ending = run.record.sender?.ending
    run.record.sender = nil
    if let refusal = refusal(of: run, terms, ending) { end(run, refusal, at: core) }
    return !run.hasEnded
  }

  /// The outcome of an action that is not taken up; nil if it is.
  ///
  /// - Parameter ending: the reason why the run that sent it sends no more, if a run did and does not.
  private func refusal(of run: ActiveRun<I>, _ terms: PlanTerms?, _ ending: String?) -> Outcome? {
    if let journalFailure { return .rejected(.journal(journalFailure)) }
    if !isAdmitting, let runs {
      let isChild = run.lineage?.parent?.store == runs.services.store
      // What was sent from outside before the drain began was taken up when it did.
      if let shutdown = runs.shutdown, shutdown.isDrain, !isChild { return .rejected(shutdown.refusal) }
      if let end = runs.queuedEnds.first(where: { $0.key == nil || $0.key == terms?.key }) { return end.outcome }
      switch runs.scheduler.lifecycle {
      case .open: break
      case .draining: if !isChild { return .rejected(runs.shutdown?.refusal ?? .shuttingDown) }
      case .closed: return .rejected(runs.shutdown?.refusal ?? .shuttingDown)
      }
    }
    if run.lineage?.tree?.isCancelled == true { return .cancelled }
    if let ending { return .rejected(.notSent(ending)) }
    if run.record.answer != nil, terms?.timeout == nil, let runs, run.lineage?.parent?.store == runs.services.store {
      return .rejected(.notSent(Receipt.needsTimeout))
    }
    guard isBackpressured, run.takenUp == nil else { return nil }
    return .rejected(.full(at: registry?.isBackpressured == true ? .observer : .journal))
  }

  /// Passes an action with a plan to the scheduler.
  @inlinable
  mutating func schedule(_ run: ActiveRun<I>, _ terms: PlanTerms, at core: StoreCore<I>) {
    if let problem = terms.problem { return reject(run, problem, at: core) }
    let runs = madeRuns(at: core)
    let handle = runs.scheduler.add(terms)
    runs.keep(run, handle)
    if terms.bindsAction { bind(run, to: terms.children, at: core) }
    raise(.arrived(handle, isRestored: run.takenUp != nil, age: run.takenUp?.age ?? 0), at: core)
  }

  @usableFromInline
  mutating func reject(_ run: ActiveRun<I>, _ problem: PlanProblem, at core: StoreCore<I>) {
    if madeRuns(at: core).reportedProblems.insert(problem).inserted {
      report(
        Incident(
          .invalidPlan, of: I.Action.self, action: run.id,
          "\(String(reflecting: I.self)) rejected an action of type \(String(reflecting: I.Action.self)) because its plan "
            + "contradicts itself. \(problem.description)"), at: core)
    }
    end(run, .rejected(.invalidPlan(problem.description)), at: core)
  }

  /// Ends an action that was decided against; one for a child that its parent does not have was never taken up.
  @usableFromInline
  mutating func reject(_ run: ActiveRun<I>, _ error: any Error, at core: StoreCore<I>) {
    if let missing = error as? Rejection.MissingChild {
      refuse(run, .missingChild(missing), at: core)
    } else {
      endDecided(run, .rejected(.decided(error)), at: core)
    }
  }

  // MARK: Starting

  @inlinable
  mutating func waitForSlot(_ run: ActiveRun<I>, _ runs: RunRegistry<I>, at core: StoreCore<I>) {
    let handle = runs.scheduler.add()
    runs.keep(run, handle)
    runs.scheduler.handle(.decided(handle, .handles), at: runs.services.time.now())
    performActions(of: runs, at: core)
  }

  @inlinable
  mutating func start(_ run: ActiveRun<I>, _ attempt: Int?, _ runs: RunRegistry<I>, at core: StoreCore<I>) {
    let planned = run.record.handle.flatMap { runs.scheduler.planned($0) }
    if attempt == nil || attempt == 1 {
      run.setStore(runs.services.store)
      runs.tables.times.wait.record(nanoseconds: planned.map { runs.scheduler.now - $0.acceptedAt } ?? 0)
    }
    let deadline = planned?.deadline ?? Instant.max
    guard let attempt else {
      run.launch.deadline = deadline
      run.launch.handlerStart = planned?.terms?.start
      run.launch.core = core
      return startAfterUnlock(run, of: run, at: core)
    }
    if attempt == 1 { run.record.revisionBeforeAttempts = run.record.lastRevision }
    let made = Attempt(attempt, of: run, planned?.terms, deadline: deadline, at: core)
    run.record.attempt = made
    startAfterUnlock(made, of: run, at: core)
  }

  @usableFromInline
  mutating func drawRest(
    of run: ActiveRun<I>, _ handle: Scheduler.Handle, _ retry: PlanTerms.Retry, after made: Int, _ delay: Duration?,
    _ runs: RunRegistry<I>, at core: StoreCore<I>
  ) {
    let drawn = retry.backoff.delay(after: made, asked: delay, jitter: retry.jitter, random: &runs.random)
    raise(.drawn(handle, rest(drawn, after: made, of: run, at: core)), at: core)
  }

  @usableFromInline
  mutating func giveUpAttempt(of run: ActiveRun<I>, _ handle: Scheduler.Handle, at core: StoreCore<I>) {
    run.record.attempt?.willEnd()
    if let cancelling = run.cancelTask() { core.lock.afterUnlock(cancelling) }
    run.resumeParts(hasSlot: false, at: core)
    raise(.gaveUp(handle, hasCommitted: run.record.hasCommitted), at: core)
  }

  /// Takes the outcome of an attempt whose handler has returned.
  @inlinable
  mutating func didReturn(
    _ attempt: Attempt<I>, _ outcome: Outcome, _ advice: RetryAdvice, countsForBreaker: Bool, after time: Int64,
    at core: StoreCore<I>
  ) {
    let run = attempt.run
    guard let handle = run.record.handle else { return }
    runs?.tables.times.handle.record(nanoseconds: time)
    attempt.willEnd()
    if run.record.attempt === attempt { run.resumeParts(hasSlot: false, at: core) }
    let event = Scheduler.Event.returned(
      handle, attempt: attempt.number, outcome, hasCommitted: run.record.hasCommitted, advice,
      countsForBreaker: countsForBreaker)
    raise(event, at: core)
  }

  /// Makes the run that several actions share; they end with it, and it ends with the children that they are for.
  @inlinable
  mutating func share(
    _ first: ActiveRun<I>, _ handle: Scheduler.Handle, _ runs: RunRegistry<I>, at core: StoreCore<I>
  ) {
    let run = ActiveRun(id: first.id, action: first.action, core: core, lineage: first.lineage?.withoutTree)
    run.record.isShared = true
    swap(&run.takenUp, &first.takenUp)
    swap(&run.record.journaled, &first.record.journaled)
    first.record.sharedRun = run
    runs.keep(run, handle)
    if let children = runs.scheduler.planned(handle)?.terms?.children { bind(run, to: children, at: core) }
    removeLifetimeConditions(of: first)
  }

  @usableFromInline
  mutating func join(_ run: ActiveRun<I>, _ shared: ActiveRun<I>, at core: StoreCore<I>) {
    run.record.sharedRun = shared
    removeLifetimeConditions(of: run)
    joinKey(of: run, shared, at: core)
    if shared.firstRevision > 0 { recordFirstCommit(shared.firstRevision, of: run, at: core) }
  }

  // MARK: Ending

  /// Ends an action that has not ended, from outside or before it is taken up.
  @inlinable
  mutating func end(_ run: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>) {
    if run.hasEnded { return }
    if let handle = run.record.handle {
      raise(.end(handle, outcome), at: core)
    } else {
      settle(run, outcome, asksClosing: false, at: core)
    }
  }

  /// Ends all actions that the scheduler knows with this outcome, those that wait first, so that no free slot starts them.
  mutating func endAll(_ outcome: Outcome, asksClosing: Bool, at core: StoreCore<I>) {
    if runs != nil { raise(.endAll(outcome, asksClosing: asksClosing), at: core) }
  }

  /// Ends an action with its outcome: closes it, counts and reports.
  @inlinable
  mutating func settle(_ run: ActiveRun<I>, _ outcome: Outcome, asksClosing: Bool, at core: StoreCore<I>) {
    if case .shutDown = outcome, staysOpen(run) { return settle(run, .leftOpen, asksClosing: false, at: core) }
    run.willEnd()
    if outcome.isFinished, run.takenUp?.isRestored == true { countUnusedSteps(of: run) }
    run.forgetSteps(at: core)
    if run.record.lifetimeConditions != nil { removeLifetimeConditions(of: run) }
    if asksClosing || isOwedClosing(run, outcome) {
      var closing = closing(of: run, outcome, at: core)
      if journal != nil { closing = journalEnd(of: run, outcome, closing: closing, at: core) }
      if let mutation = closing {
        commit(mutation, of: run, at: core)
      } else if case .failed(let error) = outcome {
        reportUnhandled(error, of: run, at: core)
      }
    } else if journal != nil {
      _ = journalEnd(of: run, outcome, closing: nil, at: core)
    }
    if run.takenUp?.recovery != nil { leaveRecoveryLine(run, at: core) }
    run.record.attempt.take()?.willEnd()
    let followers = run.record.journaled == nil && run.takenUp == nil ? [] : forgetKey(of: run, outcome, at: core)
    if let shared = run.record.sharedRun {
      run.record.lastRevision = shared.record.lastRevision
      run.record.sharedRun = nil
    }
    if run.record.answer != nil { readAnswer(of: run, outcome) }
    if !run.record.isShared {
      count(outcome, of: run.id, at: core)
      didEnd(run, outcome, at: core)
    }
    let isWithheld = journal != nil && withholds(outcome, of: run)
    let cancels = outcome.cancelsHandler || journalFailure != nil
    if run.end(outcome, lastRevision: run.record.lastRevision, cancelsTask: cancels, isWithheld: isWithheld) {
      core.answerAfterUnlock(run)
    }
    if isWithheld { releaseWhenDurable(run, at: core) }
    for follower in followers { settle(follower, with: run, outcome, at: core) }
  }

  /// Counts the outcome of an action: any other than `finished`, which the actions without another one have, and each during a shutdown.
  @usableFromInline
  mutating func count(_ outcome: Outcome, of id: ActionID, at core: StoreCore<I>) {
    if !outcome.isFinished { madeRuns(at: core).tally.count(outcome) }
    if !isAdmitting { runs?.shutdown?.count(outcome, of: id) }
  }

  // MARK: Submits

  /// Takes the action of a submit up, or has it wait.
  mutating func admit(_ submitter: Submitter<I>, at core: StoreCore<I>) {
    // A run that waited here would wait for itself.
    if let sender = submitter.sender, sender.store == core.services?.store { return accept(submitter, at: core) }
    guard !isShuttingDown else { return refuse(submitter, at: core) }
    if hasRoomForSubmit, runs?.submitters.isEmpty != false { return accept(submitter, at: core) }
    if submitter.promise.isFulfilled { return }
    let runs = madeRuns(at: core)
    submitter.isWaiting = true
    runs.submitters.append(submitter)
    runs.scheduler.submitting += 1
  }

  /// Whether the store is being shut down, or has been.
  var isShuttingDown: Bool { runs?.shutdown != nil }

  /// Whether an action may be taken up that has to wait then.
  private var hasRoomForSubmit: Bool { !isBackpressured && runs?.scheduler.hasRoomForSubmit != false }

  /// Takes the action up, unless its submit was cancelled.
  private mutating func accept(_ submitter: Submitter<I>, at core: StoreCore<I>) {
    let run = submitter.makeRun(nextID(), core)
    if submitter.promise.fulfil(.success(Receipt(run))) {
      takeUp(run, at: core)
    } else {
      takenAtOnce -= 1
      guard let tree = run.lineage?.tree else { return }
      run.willEnd()
      core.lock.afterUnlock { tree.remove(run) }
    }
  }

  private func refuse(_ submitter: Submitter<I>, at core: StoreCore<I>) {
    let error = endError(.shutDownBeforeAcceptance)
    core.lock.afterUnlock { submitter.promise.fulfil(.failure(error)) }
  }

  /// Removes a submit.
  func remove(_ submitter: Submitter<I>) {
    guard submitter.isWaiting, let runs else { return }
    submitter.isWaiting = false
    runs.submitters.remove(submitter)
    runs.scheduler.submitting -= 1
  }

  /// Takes up the action of the first submit that waits, if there is room, and has the next one looked at.
  @usableFromInline
  mutating func admitNextSubmitter(at core: StoreCore<I>) {
    guard !isShuttingDown, isAdmitting, hasRoomForSubmit, let runs, let submitter = runs.submitters.first else {
      return
    }
    remove(submitter)
    accept(submitter, at: core)
    runs.scheduler.admitLater()
  }

  /// Ends the waits of all submits.
  func refuseSubmitters(at core: StoreCore<I>) {
    while let submitter = runs?.submitters.first {
      remove(submitter)
      refuse(submitter, at: core)
    }
  }
}
