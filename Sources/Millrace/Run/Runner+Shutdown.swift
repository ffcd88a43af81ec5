/// A shutdown: what it waits for, and who waits for it.
final class Closing {
  /// When the drain is over.
  var timer: Timer?

  /// Whether what was left before it began was taken up, so that what is left later came later.
  var isDrain = false

  /// The runs that called for it, which are not waited for.
  var callers: [Ticket] = []

  /// How many actions have ended by themselves since it began, and which did not.
  var drained = 0
  var cut: [ActionID] = []

  var waiters: [Promise<ShutdownReport>] = []

  /// Set when it is over.
  var report: ShutdownReport?
}

extension Runner {
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
          self.afterLeaving { promise.fulfil(report) }
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
    if time > .zero, !isClosing { performLeftWork() }
    if let report = ledger.closing?.report { return afterLeaving { promise.fulfil(report) } }
    let isFirst = ledger.closing == nil
    let closing = ledger.closing ?? Closing()
    closing.waiters.append(promise)
    if let caller, caller.store == ledger.store { closing.callers.append(caller) }
    if isFirst {
      closing.isDrain = time > .zero
      ledger.closing = closing
      ledger.admittance = .draining
      isAdmitting = false
      refuseSubmitters()
      endStoreTasks()
    }
    guard time > .zero else { return finishClosing(asksClosing: true) }
    let end = ledger.time.now() + time.nanoseconds
    if closing.timer.map({ $0.instant <= end }) != true {
      cancel(&closing.timer)
      closing.timer = at(end) { $0.finishClosing(asksClosing: true) }
    }
    if isFirst { letAllPass() }
    finishClosingIfDrained()
  }

  /// Lets what is debounced or throttled go on at once.
  private func letAllPass() {
    let held = ownLedger.keys.values.compactMap { $0.held?.course }.sorted { $0.order < $1.order }
    for course in held {
      guard let record = course.holder else { continue }
      letPass(record)
      finishStep()
    }
  }

  /// Counts an action that ended during a shutdown, and goes on if it was the last.
  ///
  /// *Owner's.*
  func noteEndWhileClosing(_ run: ActiveRun<I>, _ outcome: Outcome) {
    guard !isAdmitting, let ledger, let closing = ledger.closing, closing.report == nil else { return }
    switch outcome {
    case .rejected(.shuttingDown), .rejected(.intercepted), .rejected(.notSent): return
    case .shutDown: closing.cut.append(run.id)
    case .finished, .failed, .cancelled, .superseded, .timedOut, .rejected, .abandoned: closing.drained += 1
    }
    if ledger.admittance == .draining { afterStep { $0.finishClosingIfDrained() } }
  }

  func finishClosingIfDrained() {
    guard let ledger, ledger.admittance == .draining, ledger.cuts.isEmpty else { return }
    if hasLeftWork { return perform { self.finishClosingIfDrained() } }
    let callers = ledger.closing?.callers ?? []
    func isCaller(_ run: ActiveRun<I>?) -> Bool { callers.contains { $0 === run } }
    guard ledger.runs.allSatisfy({ isCaller($0) }), ledger.room.allSatisfy({ isCaller($0.flight) }) else { return }
    finishClosing(asksClosing: true)
  }

  /// Cuts what has not ended, takes no more actions, and lets the observers end after the last state.
  private func finishClosing(asksClosing: Bool) {
    let ledger = ownLedger
    guard isOpen else { return }
    let closing = ledger.closing ?? Closing()
    ledger.closing = closing
    isAdmitting = false
    cutAll(.shutDown, asksClosing: asksClosing)
    ledger.admittance = .shut
    isAdmitting = false  // A cut of an open store, which was released, ends with it admitting again.
    refuseSubmitters()
    endStoreTasks()
    forgetKeys()
    cancelTimers()
    close()
    let report = ShutdownReport(
      drained: closing.drained, cut: closing.cut, notReturned: ledger.notReturned.map(\.id))
    let waiting = closing.waiters + ledger.residents
    ledger.residents = []
    ledger.closing = Closing()
    ledger.closing?.report = report
    if !waiting.isEmpty { afterLeaving { waiting.forEach { $0.fulfil(report) } } }
  }

  /// Forgets all keys, and with them the timers that hold them.
  private func forgetKeys() {
    guard let ledger else { return }
    for record in ledger.keys.values {
      record.isForgotten = true
      cancel(&record.windowEnd)
      cancel(&record.forgetting)
    }
    ledger.keys = [:]
  }

  /// Does what is left to do when nobody holds the store any more.
  @usableFromInline
  func release() {
    if tryEnter() {
      let isIdle = ledger == nil && registry == nil
      if isIdle { isOpen = false }  // For sequences that are iterated while a handler that was cut holds the runner.
      leave()
      if isIdle { return }
    }
    performUrgently { self.finishClosing(asksClosing: false) }
  }
}
