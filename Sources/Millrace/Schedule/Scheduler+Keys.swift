extension Scheduler {
  /// Applies the overlap of an action's plan: it is taken up, waits, shares a run, or ends.
  mutating func meet(_ handle: Handle) {
    guard let plan = entries[handle].plan, let terms = plans[plan].terms, let overlap = terms.overlap,
      let name = terms.key
    else { return takeUp(handle) }
    let key = use(name)
    defer { release(key) }
    let isRestored = plans[plan].isRestored
    let sharedRun = overlap == .shared && !isRestored ? joinableRun(of: key) : nil
    let arrival =
      isRestored
      ? keys[key].overlap.arriveAgain(overlap)
      : keys[key].overlap.arrive(overlap, live: keys[key].earlier, sharedRun: sharedRun)
    switch arrival {
    case .takeUp: enter(handle, key)
    case .reject: end(handle, .rejected(.exclusive))
    case .join(let run): join(handle, run, key)
    case .replace(let count):
      replace(key, leaving: count)
      enter(handle, key)
    case .wait:
      if overlap != .shared, !isRestored { keys[key].spacing = terms.spacing?.nanoseconds ?? 0 }
      if keys[key].waiting.isEmpty, hasTurn(plan, of: key) { enter(handle, key) } else { waitForTurn(handle, key) }
    }
  }

  /// Takes up an action at once, or the run that it begins to share.
  private mutating func enter(_ handle: Handle, _ key: KeyIndex) {
    takeUp(beLive(handle, key))
  }

  private mutating func waitForTurn(_ handle: Handle, _ key: KeyIndex) {
    let hadRoom = hasSpareRoom(for: handle)
    guard makeRoom(for: handle) else { return end(handle, .rejected(.full(at: .room))) }
    // The action that was dropped may be the one before it.
    if !hadRoom { return meet(handle) }
    let waiting = beLive(handle, key)
    guard let plan = entries[waiting].plan else { return }
    queues.append(waiting, to: &keys[key].waiting)
    enterRoom(waiting, plan, .turn)
    takeUpWaitingLater(key)
  }

  /// Counts an action among those of its key that have not ended; returns the action, or the run that it begins to share.
  private mutating func beLive(_ handle: Handle, _ key: KeyIndex) -> Handle {
    guard let plan = entries[handle].plan, let overlap = plans[plan].terms?.overlap else { return handle }
    let (live, livePlan) = overlap == .shared ? share(handle, plan) : (handle, plan)
    plans[livePlan].key = key
    liveActions.append(live, to: &keys[key].live)
    if overlap.waitsForTurn { keys[key].overlap.inOrder += 1 }
    return live
  }

  /// Takes an action up under its key, and requests its decision.
  private mutating func takeUp(_ handle: Handle) {
    if let plan = entries[handle].plan, let key = plans[plan].key {
      keys[key].overlap.turns.take()
      plans[plan].hasTurn = true
      keys[key].lastTurn = now
    }
    actions.append(.decide(handle))
  }

  // MARK: Turns

  /// Ends the turn of an action that is over.
  mutating func releaseTurn(of plan: Int32) {
    guard plans[plan].hasTurn, let key = plans[plan].key else { return }
    plans[plan].hasTurn = false
    leaveOrder(plan, key)
    keys[key].overlap.turns.release()
    if keys[key].waiting.isEmpty { forgetIfIdle(key) } else { takeUpWaitingLater(key) }
  }

  /// Counts an action no longer among those of its key that wait for a turn or have one.
  mutating func leaveOrder(_ plan: Int32, _ key: KeyIndex) {
    if plans[plan].terms?.overlap?.waitsForTurn == true { keys[key].overlap.inOrder -= 1 }
  }

  /// Whether an action that waits for its turn may be taken up now; no spacing applies to one that is handled again.
  private func hasTurn(_ plan: Int32, of key: KeyIndex) -> Bool {
    keys[key].overlap.turns.hasPermit && (plans[plan].isRestored || keys[key].isSpaced(at: now))
  }

  /// Whether the first action that waits for its turn may be taken up now.
  func hasTurnForFirst(of key: KeyIndex) -> Bool {
    guard let handle = keys[key].waiting.first, let plan = entries[handle].plan else { return false }
    return hasTurn(plan, of: key)
  }

  /// Takes up the actions of the key whose order has come, each in a step of its own.
  mutating func takeUpWaitingLater(_ key: KeyIndex) {
    guard !keys[key].isTakeUpDue, keys[key].overlap.turns.hasPermit, !keys[key].waiting.isEmpty else { return }
    guard hasTurnForFirst(of: key) else { return awaitSpacing(key) }
    keys[key].isTakeUpDue = true
    keys[key].users += 1
    steps.append(.takeUpWaiting(key))
  }

  /// Takes up the first of those that wait for their turn; false if there is none, or no turn.
  mutating func takeUpWaiting(_ key: KeyIndex) -> Bool {
    guard let handle = keys[key].waiting.first, let plan = entries[handle].plan, hasTurn(plan, of: key) else {
      keys[key].isTakeUpDue = false
      takeUpWaitingLater(key)
      return false
    }
    leaveQueue(handle, plan)
    takeUp(handle)
    return true
  }

  /// Wakes those that wait for a turn when the spacing is over.
  private mutating func awaitSpacing(_ key: KeyIndex) {
    guard let end = keys[key].spacedUntil else { return }
    if let timer = keys[key].spacingEnd, timers.instant(of: timer) == end { return }
    timers.cancel(&keys[key].spacingEnd)
    keys[key].spacingEnd = timers.add(.spacingEnd(key), at: end)
  }

  mutating func setLimit(_ limit: Int?, key name: PlanKey) {
    let key = use(name)
    let limit = limit.map { max($0, 0) }
    keys[key].overlap.turns.limit = limit
    keys[key].permits.limit = limit
    enterRing(key)
    if !ring.isEmpty { giveSlots() }
    takeUpWaitingLater(key)
    release(key)
  }

  // MARK: Shared runs

  /// The newest shared run of a key, unless an action that waits for turns arrived after it.
  ///
  /// Looks at the actions that arrived after the run: those of `.latest` and `.exclusive`, which their maxima bound.
  private func joinableRun(of key: KeyIndex) -> Handle? {
    var next = keys[key].live.last
    while let live = next, let plan = entries[live].plan {
      if plans[plan].isShared { return live }
      if plans[plan].terms?.overlap?.waitsForTurn == true { return nil }
      next = liveActions.handle(before: live)
    }
    return nil
  }

  /// Creates the run that an action shares with those that will join it; no receipt refers to that run itself.
  private mutating func share(_ handle: Handle, _ plan: Int32) -> (run: Handle, plan: Int32) {
    var shared = PlannedAction(
      terms: plans[plan].terms, name: plans[plan].name, order: plans[plan].order, acceptedAt: plans[plan].acceptedAt)
    shared.isShared = true
    shared.isRestored = plans[plan].isRestored
    queues.append(handle, to: &shared.members)
    let sharedPlan = plans.insert(shared)
    let run = entries.insert(Entry(plan: sharedPlan))
    plans[plan].sharedRun = run
    plans[plan].isFirstMember = true
    sharedRuns += 1
    firstMembers += 1
    actions.append(.share(handle, run: run))
    return (run, sharedPlan)
  }

  private mutating func join(_ handle: Handle, _ run: Handle, _ key: KeyIndex) {
    guard let plan = entries[handle].plan, makeRoom(for: handle) else {
      return end(handle, .rejected(.full(at: .room)))
    }
    // The run may have been dropped to make room.
    guard let shared = entries[run].plan, entries[run].phase.stage != .ended else { return meet(handle) }
    enterRoom(handle, plan, .sharedRun)
    plans[plan].sharedRun = run
    queues.append(handle, to: &plans[shared].members)
    actions.append(.join(handle, run: run))
  }

  /// Removes an action that has ended from the run that it shared; the run ends with the last of them.
  mutating func leaveSharedRun(_ handle: Handle, _ plan: Int32, _ outcome: Outcome, asksClosing: Bool) {
    guard let run = plans[plan].sharedRun, let shared = entries[run].plan else { return }
    if plans[plan].isFirstMember { firstMembers -= 1 }
    queues.remove(handle, from: &plans[shared].members)
    guard plans[shared].members.isEmpty, entries[run].phase.stage != .ended else { return }
    end(run, outcome, asksClosing: asksClosing)
  }

  /// Ends the actions that share a run with its outcome: all at once, or in several steps if many have finished.
  mutating func endMembers(of run: Handle, _ shared: Int32, _ outcome: Outcome) {
    sharedRuns -= 1
    endMembers(of: shared, outcome, atMost: outcome.isFinished ? membersAStep : .max)
    guard !plans[shared].members.isEmpty, let key = plans[shared].key else { return }
    plans[shared].endsMembers = true
    keys[key].users += 1
    steps.append(.endMembers(run))
  }

  /// Ends the next actions that share a run that has finished, and releases the run with the last of them.
  mutating func endNextMembers(of run: Handle) {
    guard let shared = entries[run].plan, let key = plans[shared].key else { return }
    endMembers(of: shared, .finished, atMost: membersAStep)
    guard plans[shared].members.isEmpty else { return steps.append(.endMembers(run)) }
    plans[shared].endsMembers = false
    release(key)
    if entries[run].phase.handlersOut == 0 { actions.append(.forget(run)) }
  }

  private mutating func endMembers(of shared: Int32, _ outcome: Outcome, atMost count: Int) {
    var ended = 0
    while ended < count, let member = plans[shared].members.first {
      end(member, outcome)
      ended += 1
    }
  }

  /// The first of the actions that share a run, in the order in which they joined it.
  @usableFromInline
  func firstMember(of run: Handle) -> Handle? {
    guard let shared = entries[run].plan else { return nil }
    return plans[shared].members.first
  }

  /// The next of the actions that share a run.
  @usableFromInline
  func member(after member: Handle) -> Handle? { queues.handle(after: member) }

  // MARK: The end of a key

  /// Ends the earliest actions of a key until `count` are left.
  private mutating func replace(_ key: KeyIndex, leaving count: Int) {
    if count == 0 { return endAll(key, .superseded) }
    while keys[key].earlier > count, let first = keys[key].live.first ?? keys[key].delayed { end(first, .superseded) }
  }

  mutating func endAll(of name: PlanKey, _ outcome: Outcome) {
    guard let key = keys.existingIndex(of: name) else { return }
    keys[key].users += 1
    for case .endMembers(let run) in steps[nextStep...] {
      guard let shared = entries[run].plan, plans[shared].key == key else { continue }
      endMembers(of: shared, outcome, atMost: .max)
    }
    endAll(key, outcome)
    release(key)
  }

  /// Ends all of a key that have not ended, in accepted order, those that wait first.
  private mutating func endAll(_ key: KeyIndex, _ outcome: Outcome) {
    if let delayed = keys[key].delayed { end(delayed, outcome) }
    while let handle = keys[key].waiting.first { end(handle, outcome) }
    if keys[key].live.count == 1, let handle = keys[key].live.first { return end(handle, outcome) }
    let live = liveActions.handles(of: keys[key].live)
    leaveLines(live)
    for handle in live.sorted(by: { order(of: $0) < order(of: $1) }) { end(handle, outcome) }
  }

  func order(of handle: Handle) -> Int {
    entries[handle].plan.map { plans[$0].order } ?? 0
  }

  // MARK: What is remembered

  /// The index of a key, which is remembered until it is released.
  ///
  /// - Parameter likely: a key that probably has this name, which is compared before the name is hashed.
  mutating func use(_ name: PlanKey, likely: KeyIndex? = nil) -> KeyIndex {
    if let likely, keys.isIndex(likely, of: name) {
      keys[likely].users += 1
      return likely
    }
    let key = keys.index(of: name)
    keys[key].users += 1
    return key
  }

  mutating func release(_ key: KeyIndex) {
    keys[key].users -= 1
    forgetIfIdle(key)
  }

  /// Forgets a key that nothing needs, now or when its breaker and its budget have returned to their initial state.
  mutating func forgetIfIdle(_ key: KeyIndex) {
    guard keys[key].isIdle else { return }
    if lifecycle != .closed {
      if keys[key].windowEnd != nil || keys[key].overlap.turns.limit != nil { return }
      if let instant = keys[key].forgottenAt(), instant > now {
        if let timer = keys[key].forgetting, timers.instant(of: timer) == instant { return }
        timers.cancel(&keys[key].forgetting)
        keys[key].forgetting = timers.add(.forget(key), at: instant)
        return
      }
    }
    timers.cancel(&keys[key].forgetting)
    timers.cancel(&keys[key].spacingEnd)
    if let name = keys[key].openedBy { namedPlans[name].openBreakers -= 1 }
    keys.forget(key)
  }
}
