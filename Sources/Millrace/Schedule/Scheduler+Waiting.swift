extension Scheduler {
  // MARK: The waiting room

  /// Whether one more action that asks for `handle` finds neither a slot nor room to wait.
  @usableFromInline var isFull: Bool { !hasFreeSlot && !hasRoom(for: nil) }

  /// The number of actions that wait, with those that are handled again.
  var waitingCount: Int { room.count + restored.count }

  /// Whether another action can wait without dropping one.
  var hasSpareRoom: Bool { room.count < limits.actionsWaiting }

  /// Whether an action can wait without dropping one; an action that is handled again always can.
  func hasSpareRoom(for handle: Handle) -> Bool {
    hasSpareRoom || isRestored(handle)
  }

  private func isRestored(_ handle: Handle) -> Bool {
    entries[handle].plan.map { plans[$0].isRestored } == true
  }

  /// Whether another action can wait, possibly by dropping one; without a plan it has no limit.
  private func hasRoom(for plan: Int32?) -> Bool {
    hasSpareRoom || toDrop(for: plan) != nil
  }

  /// The waiting action to drop so that another one can wait; nil if the policy rejects the other one.
  private func toDrop(for plan: Int32?) -> Handle? {
    switch limits.onOverflow {
    case .reject: return nil
    case .dropOldest: return room.first
    case .dropNewest: return room.last
    case .dropNewestOfFullestKey:
      // With the new action its key would have the most actions, so that the new action is the newest of the fullest key.
      let limit = plan.flatMap { plans[$0].terms?.limits.first }
      let key = limit.map { keys.existingIndex(of: $0.key) } ?? nil
      let count = limit != nil && key == nil ? 0 : waitingCounts.count(of: number(of: key))
      return count + 1 < waitingCounts.most ? waitingCounts.newestOfFullestKey : nil
    }
  }

  /// The reason why an action with a plan that asks for `handle` is not taken up; nil if it is.
  ///
  /// The owner asks between the decision and its commits, once. The breaker that lets the action pass expects its end.
  @usableFromInline
  mutating func refusal(of handle: Handle) -> Rejection? {
    if let plan = entries[handle].plan { useLimits(of: plan) }
    if !canLaunch(handle), !hasRoom(for: entries[handle].plan), !isRestored(handle) { return .full(at: .room) }
    return passesBreaker(handle) ? nil : .breakerOpen
  }

  /// Whether a submitted action may be taken up that has to wait then.
  var hasRoomForSubmit: Bool {
    hasSpareRoom || limits.actionsWaiting == 0 && freeSlots > 0
  }

  /// Makes room for another waiting action, possibly by dropping one; returns whether there is room.
  mutating func makeRoom(for handle: Handle) -> Bool {
    if hasSpareRoom(for: handle) { return true }
    guard let dropped = toDrop(for: entries[handle].plan) else { return false }
    end(dropped, .rejected(.full(at: .room)))
    return true
  }

  /// Adds an action to the waiting room, for which room was made.
  mutating func enterRoom(_ handle: Handle, _ plan: Int32, _ wait: PlannedAction.Wait) {
    plans[plan].wait = wait
    waits.add(wait, 1)
    if plans[plan].isRestored { return standing.append(handle, to: &restored) }
    standing.append(handle, to: &room)
    guard limits.onOverflow == .dropNewestOfFullestKey else { return }
    let key = plans[plan].terms?.limits.first.map { use($0.key) }
    plans[plan].countedKey = key
    waitingCounts.add(handle, of: number(of: key))
  }

  /// Takes an action out of the waiting room, wherever it waits.
  mutating func leaveQueue(_ handle: Handle, _ plan: Int32) {
    switch plans[plan].wait {
    case .nowhere: return
    case .pace: if let key = plans[plan].delayingKey { releaseDelayed(key) }
    case .turn: if let key = plans[plan].key { queues.remove(handle, from: &keys[key].waiting) }
    case .line: leaveLine(handle, plan)
    case .sharedRun, .recovery: break
    case .slotAgain:
      plans[plan].wait = .nowhere
      return leaveLine(handle, plan)
    }
    waits.add(plans[plan].wait, -1)
    plans[plan].wait = .nowhere
    if plans[plan].isRestored { return standing.remove(handle, from: &restored) }
    standing.remove(handle, from: &room)
    if limits.onOverflow == .dropNewestOfFullestKey {
      waitingCounts.remove(handle, of: number(of: plans[plan].countedKey))
      if let key = plans[plan].countedKey { release(key) }
    }
    admitLater()
  }

  // MARK: Submits

  /// Schedules a step that admits suspended submits, if there are any.
  mutating func admitLater() {
    guard submitting > 0, !isAdmitDue else { return }
    isAdmitDue = true
    steps.append(.admit)
  }

  // MARK: The end

  /// Schedules a step for suspended submits, and one for the end of a drain.
  mutating func lookAgain() {
    admitLater()
    if lifecycle == .draining { steps.append(.finishIfDrained) }
  }

  /// Ends everything, what waits first, so that it is not taken up by what that frees.
  mutating func endAll(_ outcome: Outcome, asksClosing: Bool) {
    while let handle = restored.first ?? room.first { end(handle, outcome, asksClosing: asksClosing) }
    leaveLines(standing.handles(of: runs))
    while let handle = runs.first { end(handle, outcome, asksClosing: asksClosing) }
  }

  /// Takes runs that are to end out of the lines in which they wait for a slot again, so that none gets one from another's end.
  mutating func leaveLines(_ runs: [Handle]) {
    for run in runs {
      if let plan = entries[run].plan, plans[plan].wait == .slotAgain { leaveQueue(run, plan) }
    }
  }

  /// Begins a drain, or shortens it; passes debounced and throttled actions at once.
  mutating func drain(until instant: Instant, _ caller: Handle?) {
    if let caller { callers.append(caller) }
    if drainEnd.map({ timers.instant(of: $0) <= instant }) != true {
      timers.cancel(&drainEnd)
      drainEnd = timers.add(.drainEnd, at: instant)
    }
    if lifecycle == .open {
      lifecycle = .draining
      let delayed = keys.all.compactMap { key in keys[key].delayed.map { (key, order(of: $0)) } }
      for (key, _) in delayed.sorted(by: { $0.1 < $1.1 }) {
        keys[key].users += 1
        steps.append(.letPass(key))
      }
    }
    steps.append(.finishIfDrained)
  }

  /// Whether a drain waits for a run: it neither asked for the shutdown, nor rests.
  private func isAwaited(_ run: Handle) -> Bool { !callers.contains(run) && !rests(run) }

  private func rests(_ run: Handle) -> Bool { entries[run].plan.map { plans[$0].isResting } == true }

  /// Whether a drain waits for nothing more.
  var isDrained: Bool {
    let called = callers.isEmpty ? 0 : standing.handles(of: runs).count { callers.contains($0) && !rests($0) }
    guard runs.count == restingRuns + called, restored.isEmpty else { return false }
    var next = room.first
    while let handle = next {
      guard let plan = entries[handle].plan, let run = plans[plan].sharedRun, !isAwaited(run),
        entries[run].phase.stage != .ended
      else { return false }
      next = standing.handle(after: handle)
    }
    return true
  }

  /// Forgets all keys but those whose turns or permits belong to handlers that have not returned, and all timers.
  mutating func close() {
    lifecycle = .closed
    timers.cancel(&drainEnd)
    for key in keys.all {
      timers.cancel(&keys[key].windowEnd)
      timers.cancel(&keys[key].spacingEnd)
      timers.cancel(&keys[key].forgetting)
      forgetIfIdle(key)
    }
    keys.forgetNames()
  }
}
