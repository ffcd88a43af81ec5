extension Runner {
  /// Begins the handler of a run that has a plan, or has waited.
  ///
  /// *Owner's.*
  @usableFromInline
  func launchPlanned(_ run: ActiveRun<I>) {
    guard let course = run.course else { return }
    let ledger = ownLedger
    ledger.waitTime.record(nanoseconds: ledger.time.now() - course.acceptedAt)
    if course.terms?.mayRepeat == true {
      course.revisionAtTakeUp = run.lastRevision
      beginAttempt(course)
    } else {
      begin(run)
    }
  }

  private func beginAttempt(_ course: Course<I>) {
    let attempt = Attempt((course.attempt?.number ?? 0) + 1, of: course.run, at: self)
    course.attempt = attempt
    course.isFailureCounted = false
    if let timeout = course.terms?.attemptTimeout {
      course.pause = after(timeout) { runner in
        course.pause = nil
        runner.giveUp(attempt)
      }
    }
    attempt.begin = course.beginAttempt
    startAfterLeaving(attempt)
  }

  /// An attempt's handler has returned with this outcome.
  ///
  /// *Owner's.*
  func conclude(_ attempt: Attempt<I>, _ outcome: Outcome, after time: Int64) {
    ledger?.handleTime.record(nanoseconds: time)
    let run = attempt.run
    let consequences = advance(run, .handlerReturned)
    if run.hasEnded { return noteReturn(of: run, consequences) }
    if attempt.isOver { return }
    attempt.willEnd()
    if case .failed = outcome { failed(run, outcome) } else { end(run, outcome) }
  }

  /// The time of an attempt is over.
  private func giveUp(_ attempt: Attempt<I>) {
    if attempt.isOver { return }
    attempt.willEnd()
    if let cancelling = attempt.run.cancelTask() { afterLeaving(cancelling) }
    failed(attempt.run, .timedOut)
  }

  /// An attempt has failed: lets another one follow, or ends the run.
  private func failed(_ run: ActiveRun<I>, _ outcome: Outcome) {
    guard let course = run.course, let terms = course.terms else { return end(run, outcome) }
    cancel(&course.pause)
    if let record = course.breaker, let breaker = record.breakerTerms {
      record.breaker.failed(breaker, isProbe: course.isProbe, at: ownLedger.time.now())
      course.isFailureCounted = true
    }
    guard let rest = restBeforeNextAttempt(course, terms) else { return end(run, outcome) }
    ownLedger.tally.retries += 1
    _ = advance(run, .rest)
    course.pause = after(rest) { runner in
      course.pause = nil
      _ = runner.advance(run, .begin)
      runner.beginAttempt(course)
    }
  }

  /// How long a run rests before its next attempt; nil when there is none.
  private func restBeforeNextAttempt(_ course: Course<I>, _ terms: PlanTerms) -> Duration? {
    let ledger = ownLedger
    guard let retry = terms.retry, let made = course.attempt?.number, made < retry.attempts else { return nil }
    if course.run.lastRevision > course.revisionAtTakeUp, !retry.afterCommits { return nil }
    if let record = course.breaker, !record.breaker.allowsRetry { return nil }
    if let budget = retry.budget, let key = terms.key {
      let record = record(of: key)
      record.budgetTerms = budget
      guard record.budget.take(budget, at: ledger.time.now()) else { return nil }
    }
    let drawn = retry.backoff.rest(after: made, jitter: retry.jitter, random: &ledger.random)
    return noteRest(drawn, after: made, of: course.run)
  }

  // MARK: The breaker

  /// Whether the breaker of the action's plan, if it has one, lets it pass.
  ///
  /// *Owner's.*
  func passesBreaker(_ run: ActiveRun<I>) -> Bool {
    guard let course = run.course, course.breaker == nil, let breaker = course.terms?.breaker,
      let key = course.terms?.breakerKey
    else { return true }
    let record = record(of: key)
    record.breakerTerms = breaker
    switch record.breaker.admit(breaker, at: ownLedger.time.now()) {
    case .pass: break
    case .probe: course.isProbe = true
    case .reject:
      forgetIfIdle(record)
      return false
    }
    course.breaker = record
    record.users += 1
    return true
  }

  /// Tells the breaker how an action ended that it let pass.
  ///
  /// *Owner's.*
  func settleBreaker(of course: Course<I>, _ outcome: Outcome) {
    guard let record = course.breaker, let breaker = record.breakerTerms else { return }
    course.breaker = nil
    let now = ownLedger.time.now()
    switch outcome {
    case .finished where course.attempt != nil: record.breaker.succeeded(isProbe: course.isProbe)
    case .failed, .timedOut:
      if course.isFailureCounted { break }
      if course.attempt == nil {
        record.breaker.withdrew(isProbe: course.isProbe, at: now)
      } else {
        record.breaker.failed(breaker, isProbe: course.isProbe, at: now)
      }
    case .finished, .cancelled, .superseded, .rejected, .shutDown, .abandoned:
      record.breaker.withdrew(isProbe: course.isProbe, at: now)
    }
    record.users -= 1
    forgetIfIdle(record)
  }
}
