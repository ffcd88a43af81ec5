/// The state of one key.
struct KeyState {
  typealias Handle = ActionHandle

  /// The overlap of the key's actions, and who has its turn.
  var overlap = OverlapState()

  /// The permits of the limits with this key, and the line of the actions that wait for one, or only for a slot.
  var permits = PermitPool()
  var line = WaitingLine()

  /// The accepted actions of the key that have not ended, except the action that is delayed.
  var live = HandleLists.List()

  /// The actions that wait for their turn, in accepted order.
  var waiting = HandleLists.List()

  /// The least time between the begins of two turns, by the newest plan that waits for turns; 0 sets none.
  var spacing: Int64 = 0

  /// The instant at which the last turn began, for the spacing.
  var lastTurn: Instant?

  /// Wakes those that wait for the spacing to be over.
  var spacingEnd: Int32?

  /// Whether those that wait are to be looked at when the step is done.
  var isTakeUpDue = false

  /// The one that is debounced or throttled.
  var delayed: Handle?

  var debounce = DebounceState()
  var debounceEnd: Int32?
  var throttle = ThrottleState()
  var windowEnd: Int32?

  /// The breaker and the retry budget, each of the newest plan that has one.
  var breaker = BreakerState()
  var breakerTerms: Plan.Breaker.Figures?

  /// The name of the plan that opened the breaker; nil while the breaker is closed, and without a name.
  var openedBy: NamedPlans.Index?
  var budget = RetryBudgetState()
  var budgetTerms: Plan.RetryBudget?

  /// The number of steps and runs that need the key to be remembered.
  var users = 0

  /// The timer at which breaker and budget can be forgotten.
  var forgetting: Int32?

  /// The number of accepted actions that have not ended, with the action that is delayed.
  var earlier: Int { live.count + (delayed == nil ? 0 : 1) }

  /// Whether no action needs it.
  var isIdle: Bool { users == 0 && overlap.turns.taken == 0 && live.isEmpty && delayed == nil }

  /// The earliest instant at which the next turn may begin; nil without spacing, and before the first turn.
  var spacedUntil: Instant? { spacing > 0 ? lastTurn.map { $0 + spacing } : nil }

  /// Whether the last turn began long enough ago for the spacing.
  func isSpaced(at now: Instant) -> Bool {
    spacing == 0 || spacedUntil ?? now <= now
  }

  /// The instant, past or to come, at which breaker, budget and spacing have returned to their initial state; nil if none of
  /// them was used since.
  func forgottenAt() -> Instant? {
    guard breakerTerms != nil || budgetTerms != nil || spacing > 0 else { return nil }
    var last = spacedUntil
    if let breakerTerms, let time = breaker.forgottenAt(breakerTerms) { last = max(last ?? time, time) }
    if let budgetTerms, let time = budget.fullAt(budgetTerms) { last = max(last ?? time, time) }
    return last
  }
}

/// The number of actions that have a permit of a key, and the largest number that may.
struct PermitPool {
  /// The number of permits that are taken.
  private(set) var taken = 0

  /// The number of permits, by the newest plan that says it.
  var maximum = Int.max

  /// The number of permits that ``Store/setLimit(_:key:)`` set, in place of that of the plans; nil if it set none.
  var limit: Int?

  /// Whether another one may be taken.
  var hasPermit: Bool { taken < (limit ?? maximum) }

  mutating func take() {
    taken += 1
  }

  mutating func release() {
    taken -= 1
  }
}

/// Actions that were taken up and wait for permits or a slot, first come first.
struct WaitingLine {
  var actions = HandleLists.List()

  /// Whether the line is in the ring of those that get slots.
  var isInRing = false
}

/// The overlap of the actions of one key: the turns, and the answer to an action that arrives.
///
/// Each action of the key takes a turn at its take-up and keeps it until it has ended and its handlers have returned. Only
/// actions of `.serial` and `.concurrent(max:)`, and shared runs behind these, wait for a turn.
struct OverlapState {
  /// The answer to an action that arrives.
  enum Arrival: Hashable {
    /// The action is taken up at once.
    case takeUp
    /// The action is taken up at once if no other action waits and a turn is free; otherwise it waits for its turn.
    case wait
    /// The action is rejected.
    case reject
    /// The action joins a shared run that has not ended.
    case join(Handle)
    /// The earliest actions are ended until `leaving` are left, then it is taken up at once.
    case replace(leaving: Int)
  }

  typealias Handle = ActionHandle

  /// The permits of the actions that have a turn.
  var turns = PermitPool()

  /// The number of actions of `.serial` and `.concurrent(max:)` that wait for a turn or have one.
  var inOrder = 0

  /// The answer to an action of the key that arrives.
  ///
  /// - Parameters:
  ///   - live: The number of actions of the key that have not ended.
  ///   - sharedRun: The shared run that it may join.
  mutating func arrive(_ overlap: Overlap, live: Int, sharedRun: Handle?) -> Arrival {
    switch overlap {
    case .concurrent(let max):
      turns.maximum = max
      return .wait
    case .latest(let max): return live >= max ? .replace(leaving: max - 1) : .takeUp
    case .exclusive(let max): return live >= max ? .reject : .takeUp
    case .shared:
      if let sharedRun { return .join(sharedRun) }
      return inOrder > 0 ? .wait : .takeUp
    }
  }

  /// The answer to an action that is handled again: it waits behind the others of its key, and neither ends nor joins one of them.
  mutating func arriveAgain(_ overlap: Overlap) -> Arrival {
    switch overlap {
    case .concurrent(let max), .latest(let max), .exclusive(let max): turns.maximum = max
    case .shared: turns.maximum = 1
    }
    return .wait
  }
}

/// The end of one debounce of a key, as a value without tasks and locks.
///
/// The scheduler has the action that is delayed; each action that arrives replaces the one before.
struct DebounceState: Equatable {
  enum Phase: Equatable {
    /// No action is delayed. Becomes: quiet (one comes).
    case idle

    /// An action is delayed, and passes at `until` unless another action arrives.
    ///
    /// Becomes: quiet again (another one comes), or idle (it passes, or ends).
    case quiet(until: Instant)
  }

  private(set) var phase = Phase.idle

  /// An action arrives, and is delayed; returns when it passes.
  mutating func arrive(interval: Duration, at now: Instant) -> Instant {
    let until = now + interval.nanoseconds
    phase = .quiet(until: until)
    return until
  }

  /// The action is delayed no longer.
  mutating func released() {
    phase = .idle
  }
}

/// The throttle of one key, as a value without tasks and locks.
///
/// Each event is given the terms of the newest plan, which decides where plans differ. The scheduler has the
/// action, and tells here whether there still is one.
struct ThrottleState: Equatable {
  enum Phase: Equatable {
    /// The initial state: no action has passed within the interval.
    ///
    /// Becomes: a window (one passes, or the first one is delayed).
    case idle

    /// An action has passed, or is delayed, and no other passes before `end`; `interval` is the length of the next window.
    ///
    /// Becomes: the next window (it ended, and the delayed action passes), or idle (it ended without one).
    case window(end: Instant, interval: Int64)
  }

  /// The answer to an action that arrives.
  enum Verdict: Equatable {
    /// The action passes now.
    case pass
    /// The action is delayed until the window ends, in place of the action that was delayed before.
    case delay
    /// The action is rejected.
    case drop
  }

  private(set) var phase = Phase.idle

  /// The end of the window, or nil.
  var windowEnd: Instant? {
    if case .window(let end, _) = phase { end } else { nil }
  }

  /// An action comes.
  ///
  /// A window that is over has ended, whether that was told or not; while an action is delayed, it has to be told before.
  mutating func arrive(interval: Duration, leading: Bool, trailing: Bool, at now: Instant) -> Verdict {
    let interval = interval.nanoseconds
    if case .window(let end, _) = phase, now < end {
      guard trailing else { return .drop }
      phase = .window(end: end, interval: interval)
      return .delay
    }
    guard leading || trailing else { return .drop }
    phase = .window(end: now + interval, interval: interval)
    return leading ? .pass : .delay
  }

  /// The window ended: whether the delayed action passes now.
  ///
  /// Told too early, or without a window, it changes nothing.
  mutating func windowEnded(holdsOne: Bool, at now: Instant) -> Bool {
    guard case .window(let end, let interval) = phase, end <= now else { return false }
    phase = holdsOne ? .window(end: now + interval, interval: interval) : .idle
    return holdsOne
  }
}

/// The state of the gateway behind one ``Plan/Breaker``, as a value without tasks and locks.
///
/// Each event is given the breaker of the newest plan, which decides where plans differ. A run is a probe if it was admitted
/// as one; all others that end while the breaker is open or half-open started before it opened, and say nothing new.
struct BreakerState: Equatable {
  enum Phase: Equatable {
    /// All actions pass. `failures` consecutive attempts have failed, the last at `last`; 0 is the initial state.
    ///
    /// Becomes: closed with none (a success, or a failure that comes too late to be in a row begins at 1), or open (one
    /// failure too many).
    case closed(failures: Int, last: Instant)

    /// None passes before `until`.
    ///
    /// Becomes: half-open with its probe out (the first action at `until` or later), or the initial state (no action for long).
    case open(until: Instant)

    /// One action may pass, the probe; while `isProbing` it is out, and none passes. The phase began at `since`.
    ///
    /// Becomes: closed with no failures (the probe succeeded), open (it failed), half-open without a probe (it was
    /// withdrawn), half-open with one (the next action), or the initial state (no action for long).
    case halfOpen(isProbing: Bool, since: Instant)
  }

  /// The answer to an action that arrives.
  enum Admission: Equatable {
    case pass
    /// The action passes, and its end decides: that event has `isProbe`.
    case probe
    case reject
  }

  private(set) var phase = Phase.closed(failures: 0, last: 0)

  /// An action comes.
  mutating func admit(_ breaker: Plan.Breaker.Figures, at now: Instant) -> Admission {
    if isForgotten(breaker, at: now) { self = BreakerState() }
    switch phase {
    case .closed:
      return .pass
    case .open(let until) where now < until:
      return .reject
    case .halfOpen(isProbing: true, _):
      return .reject
    case .open, .halfOpen(isProbing: false, _):
      phase = .halfOpen(isProbing: true, since: now)
      return .probe
    }
  }

  /// Whether a run that failed may make another attempt: only past a closed breaker, for a half-open one lets its probe
  /// through and nothing else.
  var allowsRetry: Bool {
    if case .closed = phase { true } else { false }
  }

  /// A run succeeded.
  mutating func succeeded(isProbe: Bool) {
    switch phase {
    case .closed: self = BreakerState()
    case .halfOpen(isProbing: true, _) where isProbe: self = BreakerState()
    case .open, .halfOpen: break
    }
  }

  /// An attempt failed.
  mutating func failed(_ breaker: Plan.Breaker.Figures, isProbe: Bool, at now: Instant) {
    switch phase {
    case .closed(let failures, _):
      let inARow = isForgotten(breaker, at: now) ? 1 : failures + 1
      if inARow < breaker.failures {
        phase = .closed(failures: inARow, last: now)
      } else {
        phase = .open(until: now + breaker.openFor.nanoseconds)
      }
    case .halfOpen(isProbing: true, _) where isProbe:
      phase = .open(until: now + breaker.openFor.nanoseconds)
    case .open, .halfOpen:
      break
    }
  }

  /// A run ended as neither success nor failure; if it was the probe, the next one that comes is.
  mutating func withdrew(isProbe: Bool, at now: Instant) {
    if isProbe, case .halfOpen(isProbing: true, _) = phase { phase = .halfOpen(isProbing: false, since: now) }
  }

  /// The first instant at which nothing needs to be remembered; nil in the initial state, and never while the probe is out.
  func forgottenAt(_ breaker: Plan.Breaker.Figures) -> Instant? {
    switch phase {
    case .closed(failures: 0, _): nil
    // At exactly `within` after the last one a failure would still be in a row.
    case .closed(_, let last): last + breaker.within.nanoseconds + 1
    case .open(let until): until + breaker.within.nanoseconds
    case .halfOpen(isProbing: false, let since): since + breaker.within.nanoseconds
    case .halfOpen(isProbing: true, _): .max
    }
  }

  /// Whether the breaker has returned to its initial state.
  func isForgotten(_ breaker: Plan.Breaker.Figures, at now: Instant) -> Bool {
    forgottenAt(breaker).map { $0 <= now } ?? true
  }
}

/// The tokens that one ``Plan/RetryBudget`` has left, as a value without tasks and locks.
///
/// Each event is given the budget of the newest plan, which decides where plans differ. Tokens come back one at a time, at
/// whole multiples of the refill from when the first was taken, so that nothing drifts.
struct RetryBudgetState: Equatable {
  /// The number of missing tokens; 0 initially.
  private var missing = 0

  /// The instant at which the last token came back, or at which the first was taken since the bucket was full.
  private var since: Instant = 0

  /// A run wants to make another attempt: takes a token, if there is one.
  mutating func take(_ budget: Plan.RetryBudget, at now: Instant) -> Bool {
    refill(budget, at: now)
    guard missing < budget.capacity else { return false }
    if missing == 0 { since = now }
    missing += 1
    return true
  }

  /// The instant at which all tokens have come back, or nil when none is missing.
  func fullAt(_ budget: Plan.RetryBudget) -> Instant? {
    guard missing > 0 else { return nil }
    let (wait, isTooLong) = Int64(missing).multipliedReportingOverflow(by: budget.refill.nanoseconds)
    let (instant, isTooFar) = since.addingReportingOverflow(wait)
    return isTooLong || isTooFar ? .max : instant
  }

  /// Brings back what has come back.
  private mutating func refill(_ budget: Plan.RetryBudget, at now: Instant) {
    // Rounded up, a refill is at least one nanosecond.
    let refill = budget.refill.nanoseconds
    let returned = max(now - since, 0) / refill
    since += returned * refill
    missing -= min(missing, Int(clamping: returned))
  }
}
