/// Runs that rest: their handlers sleep or wait in steps that are stored, and no body of a step is out.
///
/// Such a run gives its slot and its permits back, and keeps the turn of its key. To go on it takes them again, behind the actions that
/// wait for them.
extension Scheduler {
  /// Notes that a run begins to rest, or is to go on; in a run without a slot `goOn` is answered once it has one again.
  mutating func setResting(_ handle: Handle, _ isResting: Bool) {
    guard let plan = entries[handle].plan, entries[handle].phase.stage == .running, plans[plan].isResting != isResting
    else { return }
    plans[plan].isResting = isResting
    if isResting {
      if plans[plan].wait == .slotAgain { leaveQueue(handle, plan) } else { giveBackSlot(of: plan) }
      if lifecycle == .draining { steps.append(.finishIfDrained) }
    } else if !plans[plan].hasSlot {
      waitForSlotAgain(handle, plan)
    }
  }

  /// Whether a run that was started has a slot and its permits.
  func hasSlot(_ handle: Handle) -> Bool { entries[handle].plan.map { plans[$0].hasSlot } ?? true }

  /// Notes that nothing of a run rests, because its attempt is over.
  mutating func endRest(of handle: Handle, _ plan: Int32) {
    plans[plan].isResting = false
    if plans[plan].wait == .slotAgain { leaveQueue(handle, plan) }
  }

  private mutating func giveBackSlot(of plan: Int32) {
    guard resting < limits.runsResting else { return }
    resting += 1
    plans[plan].hasSlot = false
    freeSlots += 1
    returnPermits(of: plan)
    giveSlots()
  }

  /// Has a run that gave its slot back take one again now, or queues it.
  mutating func waitForSlotAgain(_ handle: Handle, _ plan: Int32) {
    if canLaunch(handle) { return takeSlotAgain(handle, plan) }
    plans[plan].wait = .slotAgain
    enterLine(handle, plan)
  }

  private mutating func takeSlotAgain(_ handle: Handle, _ plan: Int32) {
    resting -= 1
    plans[plan].hasSlot = true
    freeSlots -= 1
    takePermits(of: plan)
    if entries[handle].phase.stage == .running { actions.append(.goOn(handle)) } else { startNextAttempt(handle, plan) }
  }

  /// Has a run take a slot that its line gives it, unless its breaker has opened before its next attempt; returns whether it did.
  mutating func goOn(_ handle: Handle, _ plan: Int32) -> Bool {
    guard entries[handle].phase.stage == .running || breakerAllowsRetry(plan) else {
      end(handle, outcomeOfLastAttempt(plan))
      return false
    }
    takeSlotAgain(handle, plan)
    return true
  }
}
