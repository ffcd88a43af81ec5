/// A shutdown: what it waits for, and who waits for it.
final class Closing {
  /// Whether what was left before it began was taken up, so that what is left later came later.
  var isDrain = false

  /// How many actions have ended by themselves since it began, and which did not.
  var drained = 0
  var cut: [ActionID] = []

  var waiters: [Promise<ShutdownReport>] = []

  /// Set when it is over.
  var report: ShutdownReport?
}

extension StoreCore {
  /// Stops the store, and returns when that is done.
  ///
  /// - Parameters:
  ///   - time: how long what was accepted may go on.
  ///   - caller: the run that asks for it, or nil.
  @usableFromInline
  func shutDown(drainFor time: Duration, caller: Ticket?) async -> ShutdownReport {
    await beginClosing(drainFor: time, caller: caller).value
  }

  /// Begins to stop the store, or joins whoever did.
  @discardableResult
  func beginClosing(drainFor time: Duration, caller: Ticket? = nil) -> Promise<ShutdownReport> {
    let promise = Promise<ShutdownReport>()
    performUrgently { self.beginClosing(drainFor: time, caller: caller, promise) }
    return promise
  }

  /// Returns when the store is shut down, or released; shuts it down itself when the task is cancelled.
  @usableFromInline
  func waitForClosing(drainFor time: Duration) async {
    let promise = Promise<ShutdownReport>()
    await withTaskCancellationHandler {
      perform {
        if let report = self.ledger?.closing?.report {
          self.lock.afterUnlock { promise.fulfil(report) }
        } else {
          self.ownLedger.residents.append(promise)
        }
      }
      _ = await promise.value
    } onCancel: {
      beginClosing(drainFor: time)
    }
  }

  private func beginClosing(drainFor time: Duration, caller: Ticket?, _ promise: Promise<ShutdownReport>) {
    let ledger = ownLedger
    // What was left came before; it may bring another shutdown with it.
    if time > .zero, !isClosing { lock.performQueuedWork(for: self) }
    if let report = ledger.closing?.report { return lock.afterUnlock { promise.fulfil(report) } }
    let isFirst = ledger.closing == nil
    let closing = ledger.closing ?? Closing()
    closing.waiters.append(promise)
    if isFirst {
      closing.isDrain = time > .zero
      ledger.closing = closing
      isAdmitting = false
      refuseSubmitters()
      endStoreTasks()
    }
    guard time > .zero else { return finishClosing(asksClosing: true) }
    let now = ledger.time.now()
    let run = caller.flatMap { $0.store == ledger.store ? unsafeDowncast($0, to: ActiveRun<I>.self).handle : nil }
    ledger.scheduler.handle(.drain(until: now + time.nanoseconds, caller: run), at: now)
    performActions(ledger)
  }

  /// Counts an action that ended during a shutdown, and goes on if it was the last.
  ///
  /// *With the lock.*
  func noteEndWhileClosing(_ run: ActiveRun<I>, _ outcome: Outcome) {
    guard !isAdmitting, let ledger, let closing = ledger.closing, closing.report == nil else { return }
    switch outcome {
    case .rejected(.shuttingDown), .rejected(.intercepted), .rejected(.notSent): return
    case .shutDown: closing.cut.append(run.id)
    case .finished, .failed, .cancelled, .superseded, .timedOut, .rejected, .abandoned: closing.drained += 1
    }
  }

  func finishClosingIfDrained() {
    guard let ledger, ledger.scheduler.lifecycle == .draining, ledger.cuts.isEmpty else { return }
    if lock.hasQueuedWork { return perform { self.finishClosingIfDrained() } }
    if ledger.scheduler.isDrained { finishClosing(asksClosing: true) }
  }

  /// Cuts what has not ended, takes no more actions, and lets the observers end after the last state.
  func finishClosing(asksClosing: Bool) {
    let ledger = ownLedger
    guard isOpen else { return }
    let closing = ledger.closing ?? Closing()
    ledger.closing = closing
    isAdmitting = false
    cutAll(.shutDown, asksClosing: asksClosing)
    raise(.close)
    isAdmitting = false  // A cut of an open store, which was released, ends with it admitting again.
    refuseSubmitters()
    endStoreTasks()
    cancelWakeUp()
    close()
    let report = ShutdownReport(
      drained: closing.drained, cut: closing.cut, notReturned: ledger.notReturned)
    let waiting = closing.waiters + ledger.residents
    ledger.residents = []
    ledger.closing = Closing()
    ledger.closing?.report = report
    if !waiting.isEmpty { lock.afterUnlock { waiting.forEach { $0.fulfil(report) } } }
  }

  /// Does what is left to do when nobody holds the store any more.
  @usableFromInline
  func release() {
    if lock.tryLock() {
      let isIdle = ledger == nil && registry == nil
      if isIdle { isOpen = false }  // For sequences that are iterated while a handler that was cut holds the core.
      unlock()
      if isIdle { return }
    }
    performUrgently { self.finishClosing(asksClosing: false) }
  }
}
