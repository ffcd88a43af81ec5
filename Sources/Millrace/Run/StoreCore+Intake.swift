public import Synchronization

/// Actions that find the lock taken, and those that are not accepted.
extension StoreCore {
  /// A run for an action that is left for the holder of the lock.
  @inlinable
  func ticket(for action: I.Action) -> ActiveRun<I> {
    ticket(for: action, lineageOfSender())
  }

  /// Where an action comes from that is sent now.
  ///
  /// Inside a step the thread may do others' work, and its task says nothing of where the action comes from.
  @inlinable
  func lineageOfSender(trace: TraceContext? = nil) -> Lineage? {
    lock.isHeldHere ? Lineage.without(sender: trace) : Lineage.ofSender(trace: trace)
  }

  @inlinable
  func ticket(for action: I.Action, _ lineage: Lineage?) -> ActiveRun<I> {
    ActiveRun(id: nextLeftID(), action: action, core: self, lineage: lineage)
  }

  @usableFromInline
  func nextLeftID() -> ActionID {
    .left(left.add(1, ordering: .relaxed).newValue)
  }

  /// Takes an action up if the lock is free, and queues it for the holder otherwise.
  @inlinable
  func takeUpOrQueue(_ run: ActiveRun<I>) {
    guard lock.tryLock() else { return queue(run) }
    countTaken()
    takeUp(run)
    unlock()
  }

  @inlinable
  func queue(_ run: ActiveRun<I>) {
    enqueue {
      self.countTaken()
      self.takeUp(run)
    }
  }

  /// *With the lock.*
  @inlinable
  func countTaken() {
    leftAndTaken.store(leftAndTaken.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// How many actions are queued for the holder and not taken up.
  var leftNow: Int {
    Int(UInt32(truncatingIfNeeded: left.load(ordering: .relaxed)) &- leftAndTaken.load(ordering: .relaxed))
  }

  /// Where many actions are left already, looks longer for the lock than usual; it waits for nobody in particular, and for a
  /// bounded time.
  @usableFromInline
  func enterPatiently() -> Bool {
    guard leftNow > StoreCore.crowd, !lock.isHeldHere else { return false }
    for _ in 0..<StoreCore.patientLooks {
      yieldProcessor()
      if lock.tryLockSpinning() { return true }
      if leftNow <= StoreCore.crowd { return false }
    }
    return false
  }

  private static var crowd: Int { 1_024 }
  private static var patientLooks: Int { 64 }

  /// Whether one more action may be left.
  @usableFromInline
  func mayLeaveAction() -> Bool {
    leftNow < configuration.limits.queuedActions
  }

  /// Rejects an action because too many are left.
  @usableFromInline
  func refuseToLeave() -> Receipt {
    Receipt(full: .refused(overflowed.add(1, ordering: .relaxed).newValue))
  }

  /// Rejects an action for which there is neither a slot nor room to wait; it has changed nothing, and needs no run.
  ///
  /// *With the lock.*
  @inlinable
  func refuse(_ id: ActionID) -> Receipt {
    ledger?.tally.refused &+= 1
    return Receipt(full: id)
  }
}
