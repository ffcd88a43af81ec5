extension StoreCore {
  /// Ends an action that has not ended, from outside or before it is taken up.
  ///
  /// *With the lock.*
  @usableFromInline
  func end(_ run: ActiveRun<I>, _ outcome: Outcome) {
    if run.hasEnded { return }
    if let handle = run.handle {
      raise(.end(handle, outcome))
    } else {
      settle(run, outcome, asksClosing: false)
    }
  }

  /// Ends an action that was decided, and asks for no handler.
  ///
  /// *With the lock.*
  @inlinable
  func endDecided(_ run: ActiveRun<I>, _ outcome: Outcome) {
    if let handle = run.handle {
      raise(.decided(handle, .ends(outcome)))
    } else if outcome.isFinished, isFastPath {
      finish(run)
    } else {
      settle(run, outcome, asksClosing: !outcome.isFinished)
    }
  }

  /// Gives an action its outcome `finished` where nobody else is to be told of it.
  ///
  /// *With the lock.*
  @inlinable
  func finish(_ run: ActiveRun<I>) {
    run.willEnd()
    if run.bond != nil { unbind(run) }
    if let answer = run.end(.finished, cancelsTask: false) { lock.afterUnlock(answer) }
  }

  /// Gives an action its outcome: closes it, counts and reports.
  ///
  /// *With the lock.*
  @usableFromInline
  func settle(_ run: ActiveRun<I>, _ outcome: Outcome, asksClosing: Bool) {
    run.willEnd()
    if run.bond != nil { unbind(run) }
    if asksClosing {
      if let mutation = interactor.closing(run.action, outcome: outcome) {
        commit(mutation, of: run)
      } else if case .failed(let error) = outcome {
        reportUnhandled(error, of: run)
      }
    }
    run.attempt?.willEnd()
    run.attempt = nil
    if let shared = run.sharedRun {
      run.lastRevision = shared.lastRevision
      run.sharedRun = nil
    }
    if !run.isShared {
      count(outcome)
      noteEndWhileClosing(run, outcome)
      noteEnd(of: run, outcome)
    }
    if let answer = run.end(outcome, cancelsTask: outcome.isCut) { lock.afterUnlock(answer) }
  }

  /// Counts an outcome other than `finished`, which is what all others are.
  ///
  /// *With the lock.*
  func count(_ outcome: Outcome) {
    if !outcome.isFinished { ownLedger.tally.count(outcome) }
  }

  private func reportUnhandled(_ error: any Error, of run: ActiveRun<I>) {
    report(
      Incident(
        .unhandledFailure, of: I.Action.self, action: run.id, error: error,
        "The handler of \(String(reflecting: I.self)) threw for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)), and nothing was made of it: \(error). Return a mutation for .failed from closing(_:outcome:), or "
          + "catch the error in the handler."))
  }

  /// Tells of an incident once the lock is free.
  ///
  /// *With the lock.*
  func report(_ incident: Incident) {
    let report = configuration.report
    lock.afterUnlock { report(incident) }
  }

  // MARK: Late emits

  /// Counts a mutation that was emitted after the end of its run, and reports the first one.
  ///
  /// *With the lock.*
  @usableFromInline
  func noteLateEmit(of run: ActiveRun<I>) {
    let ledger = ownLedger
    ledger.tally.lateEmits += 1
    guard ledger.tally.lateEmits == 1 else { return }
    report(
      Incident(
        .lateEmit, of: I.Action.self, action: run.id,
        "The handler of \(String(reflecting: I.self)) emitted for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)) after the run had ended, which changed nothing. Return when emit answers false, and let the gateways "
          + "it waits for heed cancellation. Further ones are counted in the store's metrics."))
  }
}
