extension Runner {
  /// Ends an action otherwise than by finishing without a plan: closes it, tidies up after it, counts and reports.
  ///
  /// *Owner's.*
  @usableFromInline
  func settle(
    _ run: ActiveRun<I>, _ outcome: Outcome, _ consequences: RunPhase.Consequences, asksClosing: Bool
  ) {
    let ledger = ownLedger
    if asksClosing, consequences.contains(.askClosing), !outcome.isFinished {
      if let mutation = interactor.closing(run.action, outcome: outcome) {
        commit(mutation, of: run)
      } else if case .failed(let error) = outcome {
        reportUnhandled(error, of: run)
      }
    }
    if run.phase.handlersOut > 0 {
      ledger.notReturned.append(run)
      ledger.notReturnedCount += 1
    }
    let course = run.course
    if let course {
      settleBreaker(of: course, outcome)
      tidyUp(after: course, outcome, asksClosing: asksClosing)
    }
    if course?.isFlight != true {
      count(outcome)
      noteEndWhileClosing(run, outcome)
      noteEnd(of: run, outcome)
    }
    if let answer = run.end(outcome, cancelsTask: outcome.isCut) { afterLeaving(answer) }
    if let course, course.isFlight { endMembers(of: course, outcome) }
  }

  /// Counts an outcome other than `finished`, which is what all others are.
  ///
  /// *Owner's.*
  func count(_ outcome: Outcome) {
    if !outcome.isFinished { ownLedger.tally.count(outcome) }
  }

  /// Takes an action that has ended out of everything it stands in.
  private func tidyUp(after course: Course<I>, _ outcome: Outcome, asksClosing: Bool) {
    leaveQueue(course)
    cancel(&course.timeout)
    cancel(&course.pause)
    course.attempt?.willEnd()
    course.attempt = nil
    if let record = course.record {
      record.live.remove(course)
      if record.flight === course.run { record.flight = nil }
      forgetIfIdle(record)
    }
    if let flight = course.flight { leaveFlight(course, flight, outcome, asksClosing: asksClosing) }
  }

  private func reportUnhandled(_ error: any Error, of run: ActiveRun<I>) {
    report(
      Incident(
        .unhandledFailure, of: I.Action.self, action: run.id, error: error,
        "The handler of \(String(reflecting: I.self)) threw for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)), and nothing was made of it: \(error). Return a mutation for .failed from closing(_:outcome:), or "
          + "catch the error in the handler."))
  }

  /// Tells of an incident once the turn is given up.
  ///
  /// *Owner's.*
  func report(_ incident: Incident) {
    let report = configuration.report
    afterLeaving { report(incident) }
  }

  // MARK: Late emits

  /// Counts a mutation that was emitted after the end of its run, and reports the first one.
  ///
  /// *Owner's.*
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
