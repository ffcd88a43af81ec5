/// The work of the lock's holder between two steps: several steps, and those of others.
///
/// It is made where the lock calls, so that no step is in progress.
@usableFromInline
struct BetweenSteps<I: Interactor> {
  @usableFromInline let core: StoreCore<I>

  @inlinable
  init(core: StoreCore<I>) {
    self.core = core
  }

  // MARK: Steps of the scheduler

  /// Ends the runs of removed children, then does the scheduler's steps that are due, and urgent ones in between.
  @inlinable
  func performSteps() {
    guard let runs = core.owned.runs else { return }
    if runs.hasRunsToEnd { core.owned.endRunsOfRemovedChildren(at: core) }
    while let due = runs.scheduler.handleNextStep(at: runs.now) { perform(due, of: runs) }
    runs.tables.isStepping = false
  }

  /// Does the steps of the timers that have fired, and urgent ones in between.
  func performTimers(at instant: Instant) {
    guard let runs = core.owned.runs else { return }
    runs.didWake(at: instant)
    while let due = runs.scheduler.handleNextTimer(at: runs.services.time.now()) { perform(due, of: runs) }
    if runs.scheduler.hasTimers { core.owned.setWakeUp(of: runs, at: core) }
  }

  @inlinable
  func perform(_ due: Scheduler.DueStep, of runs: RunRegistry<I>) {
    switch due {
    case .actions: core.owned.performActions(of: runs, at: core)
    case .admission: core.owned.admitNextSubmitter(at: core)
    case .drained: finishShutdownIfDrained()
    case .drainEnd: finishShutdown(asksClosing: true)
    }
    if runs.hasRunsToEnd { core.owned.endRunsOfRemovedChildren(at: core) }
    if core.lock.hasUrgentSteps { core.performUrgentSteps() }
  }

  // MARK: Cancelling

  /// Ends everything accepted so far with this outcome: the actions that the scheduler knows, then those that are queued.
  func endAll(_ outcome: Outcome, asksClosing: Bool = true) {
    core.owned.endAll(outcome, asksClosing: asksClosing, at: core)
    endQueued(outcome, of: nil)
  }

  /// Ends the actions of a key: those that are queued, then those that the scheduler knows.
  func endAll(of key: PlanKey, _ outcome: Outcome) {
    endQueued(outcome, of: key)
    core.owned.raise(.endKey(key, outcome), at: core)
  }

  /// Ends the actions that are queued for the lock's holder: all of them, or those of a key; the others are taken up.
  private func endQueued(_ outcome: Outcome, of key: PlanKey?) {
    guard core.owned.isOpen else { return core.lock.performQueuedWork(for: core) }  // It is all rejected.
    let runs = core.owned.madeRuns(at: core)
    runs.queuedEnds.append(QueuedEnd(outcome: outcome, key: key))
    core.owned.isAdmitting = false
    core.lock.performQueuedWork(for: core)  // An urgent step in between may begin another end inside this one.
    runs.queuedEnds.removeLast()
    core.owned.isAdmitting = runs.queuedEnds.isEmpty && runs.scheduler.lifecycle == .open
    // That does nothing while an end is in progress.
    runs.scheduler.lookAgain()
    core.owned.performActions(of: runs, at: core)
  }

  // MARK: Shutdown

  /// Begins a shutdown, or joins the one in progress; the promise gets the report.
  ///
  /// - Parameters:
  ///   - time: The longest time for which accepted actions may continue.
  ///   - refusal: The reason for which further actions are rejected, if this call begins the shutdown.
  ///   - caller: the run that asks for it, or nil.
  ///   - promise: The promise of the report.
  func beginShutdown(
    drainFor time: Duration, refusing refusal: Rejection, caller: Ticket?, _ promise: Promise<ShutdownReport>
  ) {
    let runs = core.owned.madeRuns(at: core)
    // What was queued came before; it may bring another shutdown with it.
    if time > .zero, !core.owned.isShuttingDown { core.lock.performQueuedWork(for: core) }
    if let report = runs.shutdown?.report { return core.lock.afterUnlock { promise.fulfil(report) } }
    let isFirst = runs.shutdown == nil
    let shutdown = runs.shutdown ?? Shutdown(refusal)
    shutdown.waiters.append(promise)
    if shutdown.isFlushing { return }
    if isFirst {
      shutdown.isDrain = time > .zero
      runs.shutdown = shutdown
      refuseMore(runs)
    }
    guard time > .zero else { return finishShutdown(asksClosing: true) }
    let now = runs.services.time.now()
    let run = caller.flatMap { caller in
      caller.store == runs.services.store ? unsafeDowncast(caller, to: ActiveRun<I>.self).record.handle : nil
    }
    runs.scheduler.handle(.drain(until: now + time.nanoseconds, caller: run), at: now)
    core.owned.performActions(of: runs, at: core)
  }

  /// Accepts no more actions, refuses the submits that wait, and cancels the tasks that end with the store.
  private func refuseMore(_ runs: RunRegistry<I>) {
    core.owned.isAdmitting = false
    core.owned.refuseSubmitters(at: core)
    let tasks = runs.services.tasks
    core.lock.afterUnlock { tasks.end() }
  }

  @usableFromInline
  func finishShutdownIfDrained() {
    guard let runs = core.owned.runs, runs.scheduler.lifecycle == .draining, runs.queuedEnds.isEmpty else { return }
    if core.lock.hasQueuedWork {
      return core.lock.perform(for: core) { [core] in BetweenSteps(core: core).finishShutdownIfDrained() }
    }
    if runs.scheduler.isDrained { finishShutdown(asksClosing: true) }
  }

  /// Ends the actions that have not ended, accepts no more, and lets the observers end after the last state.
  ///
  /// - Parameters:
  ///   - asksClosing: whether the actions are closed.
  ///   - outcome: the outcome of the actions that have not ended.
  @usableFromInline
  func finishShutdown(asksClosing: Bool, _ outcome: Outcome = .shutDown) {
    let runs = core.owned.madeRuns(at: core)
    guard core.owned.isOpen else { return }
    let shutdown = runs.shutdown ?? Shutdown()
    runs.shutdown = shutdown
    core.owned.isAdmitting = false
    if asksClosing { core.owned.journalRests(at: core) }
    endAll(outcome, asksClosing: asksClosing)
    core.owned.raise(.close, at: core)
    // In a store that is released, the end of the queued actions has let it accept again.
    refuseMore(runs)
    runs.cancelWakeUp()
    guard let journal = core.owned.journal else { return close() }
    flush(journal, runs, shutdown)
  }

  /// Closes the store once the journal has all entries and a last snapshot, or when the time for that is over.
  private func flush(_ journal: StoreJournal<I>, _ runs: RunRegistry<I>, _ shutdown: Shutdown) {
    shutdown.isFlushing = true
    runs.sleep(until: runs.services.time.now() + journal.sink.flushTime.nanoseconds) { [core] in
      core.performBetweenSteps { $0.endFlush() }
    }
    if let notice = runs.services.time.timerIsSet { core.lock.afterUnlock(notice) }
    if !waitsForJournal(whenDurable: { $0.takeLastSnapshot() }) { takeLastSnapshot() }
  }

  /// Closes the store without a last snapshot, or stops it if the journal does not have all entries.
  private func endFlush() {
    guard core.owned.isOpen, let journal = core.owned.journal else { return }
    if journal.gate.isDurable(position: journal.position) {
      close()
    } else {
      stop(after: journal.sink.giveUp())
    }
  }

  /// Closes the store once the journal has its last snapshot.
  private func takeLastSnapshot() {
    guard core.owned.isOpen, let sink = core.owned.journal?.sink else { return close() }
    let (state, revision) = (core.owned.state, core.revision)
    core.lock.afterUnlock { [core] in
      sink.takeLastSnapshot(of: state, revision: revision) { [weak core] in core?.performBetweenSteps { $0.close() } }
    }
  }

  /// Ends the observers after the last state, and resumes the callers that wait for the shutdown.
  private func close() {
    guard core.owned.isOpen, let runs = core.owned.runs, let shutdown = runs.shutdown else { return }
    core.owned.close(at: core)
    runs.cancelWakeUp()
    let report = ShutdownReport(
      drained: shutdown.drained, cancelled: shutdown.ended, leftOpen: shutdown.leftOpen, notReturned: runs.notReturned,
      notDurable: shutdown.notDurable,
      failure: shutdown.failure)
    let waiting = shutdown.waiters + runs.shutdownWaiters
    runs.shutdownWaiters = []
    runs.shutdown = Shutdown(shutdown.refusal)
    runs.shutdown?.report = report
    runs.shutdown?.journal = shutdown.journal
    if !waiting.isEmpty { core.lock.afterUnlock { waiting.forEach { $0.fulfil(report) } } }
  }

  // MARK: The journal

  /// Whether entries of the journal are not durable; then `work` is called when they are, or the journal has failed.
  private func waitsForJournal(whenDurable work: @escaping @Sendable (BetweenSteps<I>) -> Void) -> Bool {
    guard let journal = core.owned.journal, !journal.gate.isDurable(position: journal.position) else { return false }
    let (gate, position) = (journal.gate, journal.position)
    core.lock.afterUnlock { [core] in
      gate.whenDurable(position: position) { [weak core] _ in core?.performBetweenSteps(work) }
    }
    return true
  }

  /// Stops the store because its journal has failed: what is open ends with the error, and nothing is closed.
  func stop(after error: any Error) {
    guard let journal = core.owned.journal else { return }
    let answer = journal.gate.noteFailure(error)  // Before observers end, which look for it then.
    core.owned.setJournal(nil, failure: error)
    let runs = core.owned.madeRuns(at: core)
    let shutdown = runs.shutdown ?? Shutdown()
    shutdown.failure = error
    shutdown.notDurable = journal.position - journal.gate.durablePosition
    shutdown.journal = journal.sink.metrics
    runs.shutdown = shutdown
    finishShutdown(asksClosing: false, .failed(error))
    core.lock.afterUnlock(answer)
  }

  /// Keeps nothing more, because the store is released; what was kept is still stored.
  func releaseJournal() {
    guard let journal = core.owned.journal else { return }
    _ = journal.sink.flush()
    core.owned.setJournal(nil)
  }
}

extension StoreCore: JournaledStore {
  /// Takes more actions again, if the journal kept the store from that.
  package func journalIsRelieved() {
    perform { $0.updateBackpressure(at: self) }
  }

  /// Reports that the journal takes no snapshot.
  package func journalTookNoSnapshot(_ error: any Error) {
    perform { owned in
      owned.report(
        Incident(
          .snapshotFailure, of: I.Action.self, error: error,
          "The journal of \(String(reflecting: I.self)) has no new snapshot, so its log grows: \(error)"), at: self)
    }
  }

  /// Stops the store, because nothing more becomes durable.
  package func journalHasFailed(_ error: any Error) {
    performBetweenSteps { $0.stop(after: error) }
  }
}

extension StoreCore {
  /// Does the steps that the last one has planned; called by the lock.
  @usableFromInline
  package func performSteps() {
    BetweenSteps(core: self).performSteps()
  }

  /// Queues `work` for the lock's holder, which calls it before this returns, or after the step that calls this.
  fileprivate func performBetweenSteps(_ work: @escaping @Sendable (BetweenSteps<I>) -> Void) {
    lock.performUrgently(for: self) { work(BetweenSteps(core: self)) }
  }

  /// Ends one action as cancelled: before this returns if it waits, otherwise behind the work that is queued.
  @usableFromInline
  func cancel(_ run: ActiveRun<I>, waits: Bool) {
    if waits {
      performUrgently { $0.end(run, .cancelled, at: self) }
    } else {
      perform { $0.end(run, .cancelled, at: self) }
    }
  }

  /// Ends everything of a key as cancelled before this returns.
  func cancel(_ key: PlanKey) {
    performBetweenSteps { $0.endAll(of: key, .cancelled) }
  }

  /// Ends everything accepted so far as cancelled before this returns.
  @usableFromInline
  func cancelAll() {
    performBetweenSteps { $0.endAll(.cancelled) }
  }

  /// Limits how many actions of a key are in flight, whatever their plans say; nil leaves it to them.
  func setLimit(_ limit: Int?, key: PlanKey) {
    guard key == key else { return }  // No plan has it.
    perform { $0.raise(.limit(limit, key), at: self) }
  }

  /// Does the steps of the timers that have fired.
  func wake(at instant: Instant) {
    lock.perform(for: self) { BetweenSteps(core: self).performTimers(at: instant) }
  }

  /// Stops the store, and returns when that is done.
  ///
  /// - Parameters:
  ///   - time: The longest time for which accepted actions may continue.
  ///   - refusal: The reason for which further actions are rejected.
  ///   - caller: the run that asks for it, or nil.
  @usableFromInline
  func shutDown(
    drainFor time: Duration, refusing refusal: Rejection = .shuttingDown, caller: Ticket?
  ) async -> ShutdownReport {
    await beginShutdown(drainFor: time, refusing: refusal, caller: caller).value
  }

  /// Begins to stop the store, or joins the shutdown in progress.
  @discardableResult
  func beginShutdown(
    drainFor time: Duration, refusing refusal: Rejection = .shuttingDown, caller: Ticket? = nil
  ) -> Promise<ShutdownReport> {
    let promise = Promise<ShutdownReport>()
    performBetweenSteps { $0.beginShutdown(drainFor: time, refusing: refusal, caller: caller, promise) }
    return promise
  }

  /// Returns when the store is shut down, or released; shuts it down itself when the task is cancelled.
  @usableFromInline
  func waitForShutdown(drainFor time: Duration) async {
    let promise = Promise<ShutdownReport>()
    await withTaskCancellationHandler {
      perform { owned in
        if let report = owned.runs?.shutdown?.report {
          self.lock.afterUnlock { promise.fulfil(report) }
        } else {
          owned.madeRuns(at: self).shutdownWaiters.append(promise)
        }
      }
      _ = await promise.value
    } onCancel: {
      beginShutdown(drainFor: time)
    }
  }

  /// Does what is left to do when no reference to the store is left.
  @usableFromInline
  func release() {
    if lock.tryLock() {
      let isIdle = services == nil && owned.registry == nil
      if isIdle { owned.isOpen = false }  // For sequences that are iterated while a cancelled handler holds the core.
      unlock()
      if isIdle { return }
    }
    performBetweenSteps { steps in
      steps.releaseJournal()
      steps.finishShutdown(asksClosing: false)
    }
  }

  /// Ends everything as cancelled, without closings and without entries of the journal, and closes the store.
  ///
  /// Returns once the entries of before are durable, or the journal has failed.
  func discard() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      performBetweenSteps { steps in
        let waits = steps.core.owned.journal.map { (gate: $0.gate, position: $0.position) }
        steps.releaseJournal()
        steps.finishShutdown(asksClosing: false, .cancelled)
        self.lock.afterUnlock {
          guard let waits else { return continuation.resume() }
          waits.gate.whenDurable(position: waits.position) { _ in continuation.resume() }
        }
      }
    }
  }

  // MARK: Tasks

  /// Begins a task that ends with the store; `start` makes it, and it says at its end that it has returned.
  ///
  /// `start` is told whether it is called from within the beginning of another task.
  @discardableResult
  func spawn<Failure: Error>(
    _ start: (_ isNested: Bool, _ hasReturned: @escaping @Sendable () -> Void) -> Task<Void, Failure>
  ) -> Task<Void, Failure> {
    let tasks = (performNow { _ in self.makeServices() } ?? makeServices()).tasks
    let number = tasks.nextNumber()
    let task = tasks.begin { isNested in
      start(isNested) { tasks.hasReturned(number) }
    }
    tasks.hasBegun(number) { task.cancel() }
    return task
  }
}
