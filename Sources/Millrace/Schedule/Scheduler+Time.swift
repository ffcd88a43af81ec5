extension Scheduler {
  /// Schedules an action with a plan: its time, its pace, then those of its key.
  mutating func arrive(_ handle: Handle, isRestored: Bool, age: Instant) {
    guard let plan = entries[handle].plan, let terms = plans[plan].terms else { return }
    plans[plan].acceptedAt = now
    plans[plan].isRestored = isRestored
    if let timeout = terms.timeout?.nanoseconds {
      // It may have passed while no process had the store.
      if timeout <= age { return end(handle, .timedOut) }
      plans[plan].timeout = timers.add(.timeout(handle), at: now + timeout - age)
    }
    // A store that drains lets nothing wait for its pace.
    guard let pace = terms.pace, let name = terms.key, lifecycle == .open, !isRestored else { return meet(handle) }
    let key = use(name)
    defer { release(key) }
    switch pace {
    case .debounce(let interval):
      guard delay(handle, plan, at: key) else { return }
      let end = keys[key].debounce.arrive(interval: interval, at: now)
      keys[key].debounceEnd = timers.add(.debounceEnd(key), at: end)
    case .throttle(let interval, let leading, let trailing):
      if let end = keys[key].throttle.windowEnd, end <= now { endWindow(key) }
      switch keys[key].throttle.arrive(interval: interval, leading: leading, trailing: trailing, at: now) {
      case .drop:
        end(handle, .rejected(.throttled))
      case .pass:
        awaitWindowEnd(key)
        meet(handle)
      case .delay:
        awaitWindowEnd(key)
        _ = delay(handle, plan, at: key)
      }
    }
  }

  /// Handles the earliest timer if it is due, and tells the owner what it has to do; nil if none is.
  mutating func handleNextTimer(at now: Instant) -> DueStep? {
    self.now = now
    guard let timer = timers.popDue(at: now) else { return nil }
    switch timer {
    case .timeout(let handle):
      if let plan = entries[handle].plan { plans[plan].timeout = nil }
      end(handle, .timedOut)
    case .attemptTimeout(let handle): giveUpAttempt(of: handle)
    case .nextAttempt(let handle): launchNextAttempt(of: handle)
    case .debounceEnd(let key):
      keys[key].debounceEnd = nil
      letPass(key)
    case .spacingEnd(let key):
      keys[key].spacingEnd = nil
      takeUpWaitingLater(key)
    case .windowEnd(let key):
      keys[key].windowEnd = nil
      endWindow(key)
    case .forget(let key):
      keys[key].forgetting = nil
      forgetIfIdle(key)
    case .drainEnd:
      drainEnd = nil
      return .drainEnd
    }
    return .actions
  }

  // MARK: Pace

  /// Delays an action in place of the action that was delayed before; false when there is no room for it.
  private mutating func delay(_ handle: Handle, _ plan: Int32, at key: KeyIndex) -> Bool {
    if let earlier = keys[key].delayed { end(earlier, .superseded) }
    guard makeRoom(for: handle) else {
      end(handle, .rejected(.full(at: .room)))
      return false
    }
    plans[plan].delayingKey = key
    keys[key].delayed = handle
    enterRoom(handle, plan, .pace)
    return true
  }

  /// Passes the action that is delayed.
  mutating func letPass(_ key: KeyIndex) {
    guard let handle = keys[key].delayed, let plan = entries[handle].plan else { return }
    keys[key].users += 1
    leaveQueue(handle, plan)
    meet(handle)
    release(key)
  }

  /// Holds nothing any more.
  mutating func releaseDelayed(_ key: KeyIndex) {
    if let delayed = keys[key].delayed, let plan = entries[delayed].plan { plans[plan].delayingKey = nil }
    keys[key].delayed = nil
    keys[key].debounce.released()
    timers.cancel(&keys[key].debounceEnd)
    forgetIfIdle(key)
  }

  private mutating func awaitWindowEnd(_ key: KeyIndex) {
    guard keys[key].windowEnd == nil, let end = keys[key].throttle.windowEnd else { return }
    keys[key].windowEnd = timers.add(.windowEnd(key), at: end)
  }

  private mutating func endWindow(_ key: KeyIndex) {
    timers.cancel(&keys[key].windowEnd)
    var holdsThrottled = false
    if let delayed = keys[key].delayed, let plan = entries[delayed].plan, case .throttle = plans[plan].terms?.pace {
      holdsThrottled = true
    }
    let passes = keys[key].throttle.windowEnded(holdsOne: holdsThrottled, at: now)
    awaitWindowEnd(key)
    if passes { letPass(key) } else { forgetIfIdle(key) }
  }

  // MARK: Attempts

  /// The plan of an action that is started; nil for one that has none and has not waited.
  @usableFromInline
  func planned(_ handle: Handle) -> (terms: PlanTerms?, acceptedAt: Instant, deadline: Instant)? {
    guard let plan = entries[handle].plan else { return nil }
    // A shared run has no timeout but its attempt's.
    let ofAction = plans[plan].timeout.map { timers.instant(of: $0) } ?? .max
    let ofAttempt = plans[plan].attemptTimer.map { timers.instant(of: $0) } ?? .max
    return (plans[plan].terms, plans[plan].acceptedAt, min(ofAction, ofAttempt))
  }

  mutating func launchAttempt(_ handle: Handle, _ plan: Int32) {
    plans[plan].attempt += 1
    plans[plan].isAttemptOver = false
    plans[plan].isFailureCounted = false
    plans[plan].isErrorCounted = true
    if let timeout = plans[plan].terms?.attemptTimeout {
      plans[plan].attemptTimer = timers.add(.attemptTimeout(handle), at: now + timeout.nanoseconds)
    }
    actions.append(.start(handle, attempt: plans[plan].attempt))
  }

  private mutating func giveUpAttempt(of handle: Handle) {
    guard let plan = entries[handle].plan else { return }
    plans[plan].attemptTimer = nil
    if plans[plan].isAttemptOver { return }
    plans[plan].isAttemptOver = true
    actions.append(.giveUp(handle))
  }

  private mutating func launchNextAttempt(of handle: Handle) {
    guard let plan = entries[handle].plan else { return }
    plans[plan].attemptTimer = nil
    if plans[plan].hasSlot { startNextAttempt(handle, plan) } else { waitForSlotAgain(handle, plan) }
  }

  mutating func startNextAttempt(_ handle: Handle, _ plan: Int32) {
    // The breaker may have opened since the last attempt.
    guard breakerAllowsRetry(plan) else { return end(handle, outcomeOfLastAttempt(plan)) }
    _ = entries[handle].phase.advance(.launch)
    launchAttempt(handle, plan)
  }

  func outcomeOfLastAttempt(_ plan: Int32) -> Outcome { plans[plan].error.map { .failed($0) } ?? .timedOut }

  /// An attempt has failed: lets another one follow, or ends the run.
  mutating func failed(
    _ handle: Handle, _ outcome: Outcome, _ hasCommitted: Bool, _ advice: RetryAdvice = .byPlan
  ) {
    guard let plan = entries[handle].plan, let terms = plans[plan].terms else { return end(handle, outcome) }
    timers.cancel(&plans[plan].attemptTimer)
    endRest(of: handle, plan)
    if plans[plan].isErrorCounted, let key = plans[plan].breakerKey, let breaker = keys[key].breakerTerms {
      keys[key].breaker.failed(breaker, isProbe: plans[plan].isProbe, at: now)
      plans[plan].isFailureCounted = true
      countBreaker(key, plan)
    }
    guard let retry = terms.retry, advice.allowsRetry, mayRetry(plan, terms, retry, hasCommitted) else {
      return end(handle, outcome)
    }
    retries += 1
    if case .failed(let error) = outcome { plans[plan].error = error } else { plans[plan].error = nil }
    _ = entries[handle].phase.advance(.awaitNextAttempt)
    actions.append(.draw(handle, retry, after: plans[plan].attempt, advice.delay))
  }

  /// Whether there is another attempt; if so it has its token of the retry budget.
  private mutating func mayRetry(
    _ plan: Int32, _ terms: PlanTerms, _ retry: PlanTerms.Retry, _ hasCommitted: Bool
  ) -> Bool {
    guard plans[plan].attempt < retry.attempts else { return false }
    if hasCommitted, !retry.afterCommits { return false }
    guard breakerAllowsRetry(plan) else { return false }
    guard let budget = retry.budget, let name = terms.key else { return true }
    let key = use(name)
    defer { release(key) }
    keys[key].budgetTerms = budget
    return keys[key].budget.take(budget, at: now)
  }

  mutating func awaitNextAttempt(of handle: Handle, in duration: Duration) {
    guard let plan = entries[handle].plan else { return }
    plans[plan].attemptTimer = timers.add(.nextAttempt(handle), at: now + duration.nanoseconds)
  }

  // MARK: The breaker

  /// Whether the breaker of the action's plan, if it has one, lets the action be handled now.
  ///
  /// It is asked at the take-up, and again when the action has waited since; not again about a probe.
  mutating func passesBreaker(_ handle: Handle) -> Bool {
    guard let plan = entries[handle].plan, !plans[plan].isProbe, let breaker = plans[plan].terms?.breaker,
      let name = plans[plan].terms?.breakerKey
    else { return true }
    let known = plans[plan].breakerKey
    let key = known ?? use(name, likely: plans[plan].key)
    if known == nil {
      plans[plan].breakerKey = key
      keys[key].breakerTerms = breaker
    }
    let admission = keys[key].breaker.admit(keys[key].breakerTerms ?? breaker, at: now)
    countBreaker(key, plan)
    switch admission {
    case .pass: return true
    case .probe:
      plans[plan].isProbe = true
      return true
    case .reject:
      if plans[plan].isRestored { return true }
      if let name = plans[plan].name { namedPlans[name].breakerRejections += 1 }
      return false
    }
  }

  /// Counts a breaker for the name of the plan that has opened it, until it is closed.
  private mutating func countBreaker(_ key: KeyIndex, _ plan: Int32) {
    let isClosed = keys[key].breaker.allowsRetry
    if let name = keys[key].openedBy, isClosed {
      namedPlans[name].openBreakers -= 1
      keys[key].openedBy = nil
    } else if let name = plans[plan].name, !isClosed, keys[key].openedBy == nil {
      namedPlans[name].openBreakers += 1
      keys[key].openedBy = name
    }
  }

  /// Whether the breaker of the plan, if it has one, allows a further attempt, which is never a probe.
  func breakerAllowsRetry(_ plan: Int32) -> Bool {
    guard let key = plans[plan].breakerKey else { return true }
    return keys[key].breaker.allowsRetry
  }

  /// Reports the end of an action that the breaker has admitted.
  mutating func settleBreaker(_ plan: Int32, _ outcome: Outcome) {
    guard let key = plans[plan].breakerKey, let breaker = keys[key].breakerTerms else { return }
    plans[plan].breakerKey = nil
    let (isProbe, hasBegun) = (plans[plan].isProbe, plans[plan].attempt > 0)
    switch outcome {
    case .finished where hasBegun: keys[key].breaker.succeeded(isProbe: isProbe)
    case .failed, .timedOut:
      if plans[plan].isFailureCounted { break }
      if hasBegun, plans[plan].isErrorCounted {
        keys[key].breaker.failed(breaker, isProbe: isProbe, at: now)
      } else {
        keys[key].breaker.withdrew(isProbe: isProbe, at: now)
      }
    case .finished, .cancelled, .superseded, .rejected, .shutDown, .abandoned, .leftOpen:
      keys[key].breaker.withdrew(isProbe: isProbe, at: now)
    }
    countBreaker(key, plan)
    release(key)
  }
}
