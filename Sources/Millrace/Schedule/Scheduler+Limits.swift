/// Permits of limits and slots: what a handler needs besides the turn of its overlap's key.
///
/// An action that asks for `handle` needs a permit of each of its plan's limits and a slot of the store, all at once. While it
/// lacks any, it waits in one line: that of a key whose permit it lacks. If it lacks only a slot, that is the line of its
/// first limit, or the store's own line for a plan without limits. The lines in which something may begin stand in a ring, and
/// take turns at the slots.
///
/// A run rests when its handler sleeps or waits in a step that is stored, and no body of a step is out. It gives its slot and its permits
/// back then, and keeps the turn of its key. To continue it takes them again, behind the actions that wait for them.
extension Scheduler {
  /// Whether a slot is free that nothing waits for.
  @usableFromInline var hasFreeSlot: Bool { freeSlots > 0 && ring.isEmpty }

  /// Whether the handler of an action that was taken up may begin at once.
  func canLaunch(_ handle: Handle) -> Bool {
    guard hasFreeSlot, let plan = entries[handle].plan else { return hasFreeSlot }
    return exhaustedLimit(of: plan) == nil
  }

  /// Assigns a slot and its permits to a run, and starts its handler.
  mutating func launch(_ handle: Handle) {
    freeSlots -= 1
    if let plan = entries[handle].plan { takePermits(of: plan) }
    _ = entries[handle].phase.advance(.launch)
    standing.append(handle, to: &runs)
    if let plan = entries[handle].plan, plans[plan].terms?.mayRepeat == true {
      launchAttempt(handle, plan)
    } else {
      actions.append(.start(handle, attempt: nil))
    }
  }

  // MARK: Permits

  /// Notes the limits of a plan; their keys are remembered until the action is over.
  mutating func useLimits(of plan: Int32) {
    guard let limits = plans[plan].terms?.limits, !limits.isEmpty else { return }
    for limit in limits {
      let key = use(limit.key)
      plans[plan].limits.append(key)
      keys[key].permits.maximum = limit.maximum
      enterRing(key)
    }
    // A larger maximum may let others begin, which come first.
    if freeSlots > 0, !ring.isEmpty { steps.append(.giveSlots) }
  }

  /// Assigns an action a permit of each of its limits, as its handler begins.
  mutating func takePermits(of plan: Int32) {
    if let name = plans[plan].name { namedPlans[name].running += 1 }
    for key in plans[plan].limits { keys[key].permits.take() }
  }

  /// Takes the permits of an action back that is over.
  mutating func returnPermits(of plan: Int32) {
    if let name = plans[plan].name { namedPlans[name].running -= 1 }
    for key in plans[plan].limits {
      keys[key].permits.release()
      enterRing(key)
    }
  }

  /// Releases the keys of a plan's limits.
  mutating func releaseLimits(of plan: Int32) {
    for key in plans[plan].limits { release(key) }
  }

  /// The first of a plan's limits without a permit left; nil if each has one.
  private func exhaustedLimit(of plan: Int32) -> KeyIndex? {
    for key in plans[plan].limits where !keys[key].permits.hasPermit { return key }
    return nil
  }

  // MARK: Lines

  /// The line of a key, or the store's own.
  private subscript(line key: KeyIndex?) -> Line {
    get { if let key { keys[key].line } else { ownLine } }
    set { if let key { keys[key].line = newValue } else { ownLine = newValue } }
  }

  /// Queues an action that was taken up for permits and a slot; the room for it was checked before anything was committed.
  mutating func waitForLaunch(_ handle: Handle) {
    _ = makeRoom(for: handle)
    let plan: Int32
    if let known = entries[handle].plan {
      plan = known
    } else {
      plan = plans.insert(PlannedAction(acceptedAt: now))
      entries[handle].plan = plan
    }
    enterRoom(handle, plan, .line)
    enterLine(handle, plan)
  }

  /// Queues an action in the line of a limit that has no permit left, or of its first limit, or in the store's own.
  mutating func enterLine(_ handle: Handle, _ plan: Int32) {
    enterLine(handle, plan, exhaustedLimit(of: plan) ?? plans[plan].limits.first)
  }

  private mutating func enterLine(_ handle: Handle, _ plan: Int32, _ key: KeyIndex?) {
    plans[plan].line = key
    if let name = plans[plan].name { namedPlans[name].waiting += 1 }
    var line = self[line: key]
    queues.append(handle, to: &line.actions)
    self[line: key] = line
    enterRing(key)
  }

  mutating func leaveLine(_ handle: Handle, _ plan: Int32) {
    let key = plans[plan].line
    if let name = plans[plan].name { namedPlans[name].waiting -= 1 }
    var line = self[line: key]
    queues.remove(handle, from: &line.actions)
    self[line: key] = line
    if line.actions.isEmpty { leaveRing(key) }
  }

  // MARK: The ring

  /// The name of a line in the ring, and of a key among those that waiting actions are counted by.
  func number(of key: KeyIndex?) -> Int32 { key.map { $0 + 1 } ?? 0 }

  /// Puts a line behind the others of the ring, if an action waits in it and its key has a permit.
  mutating func enterRing(_ key: KeyIndex?) {
    var line = self[line: key]
    if line.isInRing || line.actions.isEmpty { return }
    if let key, !keys[key].permits.hasPermit { return }
    line.isInRing = true
    self[line: key] = line
    rings.append(number(of: key), to: &ring)
  }

  private mutating func leaveRing(_ key: KeyIndex?) {
    var line = self[line: key]
    guard line.isInRing else { return }
    line.isInRing = false
    self[line: key] = line
    rings.remove(number(of: key), from: &ring)
  }

  /// Assigns the free slots to the lines of the ring in turn, and in each line to the action that came first; ends those that a
  /// breaker does not let begin any more.
  ///
  /// Each of these is closed in a step of its own.
  mutating func giveSlots() {
    while freeSlots > 0, let first = ring.first {
      let key: KeyIndex? = first == 0 ? nil : first - 1
      leaveRing(key)
      guard let handle = nextToBegin(in: key), let plan = entries[handle].plan else { continue }
      let continues = plans[plan].wait == .slotAgain
      leaveQueue(handle, plan)
      let passes = continues ? continueRun(handle, plan) : passesBreaker(handle)
      if !continues { if passes { launch(handle) } else { end(handle, .rejected(.breakerOpen)) } }
      enterRing(key)
      if !passes { return steps.append(.giveSlots) }
    }
    if freeSlots > 0 { admitLater() }
  }

  /// The first action of a line that has permits; one that lacks that of another key moves to the line of that key.
  private mutating func nextToBegin(in key: KeyIndex?) -> Handle? {
    while let handle = self[line: key].actions.first, let plan = entries[handle].plan {
      guard let exhausted = exhaustedLimit(of: plan) else { return handle }
      if exhausted == key { return nil }
      leaveLine(handle, plan)
      enterLine(handle, plan, exhausted)
    }
    return nil
  }

  // MARK: Runs that rest

  /// Notes that a run begins to rest, or wants to continue; for a run without a slot `resume` is answered once it has one again.
  mutating func setResting(_ handle: Handle, _ isResting: Bool) {
    guard let plan = entries[handle].plan, entries[handle].phase.stage == .running, plans[plan].isResting != isResting
    else { return }
    plans[plan].isResting = isResting
    restingRuns += isResting ? 1 : -1
    if isResting {
      if plans[plan].wait == .slotAgain { leaveQueue(handle, plan) } else { giveBackSlot(of: plan) }
      if lifecycle == .draining { steps.append(.finishIfDrained) }
    } else if !plans[plan].hasSlot {
      waitForSlotAgain(handle, plan)
    }
  }

  /// Whether a run that was started has a slot and its permits.
  func hasSlot(_ handle: Handle) -> Bool { entries[handle].plan.map { plans[$0].hasSlot } ?? true }

  /// Notes that nothing of a run rests, because it or its attempt is over.
  mutating func endRest(of handle: Handle, _ plan: Int32) {
    if plans[plan].isResting { restingRuns -= 1 }
    plans[plan].isResting = false
    if plans[plan].wait == .slotAgain { leaveQueue(handle, plan) }
  }

  private mutating func giveBackSlot(of plan: Int32) {
    guard withoutSlot < limits.runsResting else { return }
    withoutSlot += 1
    plans[plan].hasSlot = false
    freeSlots += 1
    returnPermits(of: plan)
    giveSlots()
  }

  /// Assigns a run that gave its slot back another one now, or queues it.
  mutating func waitForSlotAgain(_ handle: Handle, _ plan: Int32) {
    if canLaunch(handle) { return takeSlotAgain(handle, plan) }
    plans[plan].wait = .slotAgain
    enterLine(handle, plan)
  }

  private mutating func takeSlotAgain(_ handle: Handle, _ plan: Int32) {
    withoutSlot -= 1
    plans[plan].hasSlot = true
    freeSlots -= 1
    takePermits(of: plan)
    if entries[handle].phase.stage == .running {
      actions.append(.resume(handle))
    } else {
      startNextAttempt(handle, plan)
    }
  }

  /// Assigns a run a slot that its line gives it, or ends it if its breaker has opened before its next attempt; returns whether it
  /// continues.
  private mutating func continueRun(_ handle: Handle, _ plan: Int32) -> Bool {
    guard entries[handle].phase.stage == .running || breakerAllowsRetry(plan) else {
      end(handle, outcomeOfLastAttempt(plan))
      return false
    }
    takeSlotAgain(handle, plan)
    return true
  }
}
