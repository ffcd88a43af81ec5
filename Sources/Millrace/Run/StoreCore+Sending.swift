public import Synchronization

extension StoreCore {
  /// Accepts one action: takes it up at once if the lock is free, otherwise leaves it for the holder.
  @inlinable
  @inline(__always)
  func send(_ action: I.Action) -> Receipt {
    if isIntercepted.load(ordering: .relaxed) { return sendIntercepted(action, nil) }
    guard lock.tryLock() else { return sendBehindOthers(action) }
    let receipt = takeUp(action)
    unlock()
    return receipt
  }

  @inlinable
  @inline(never)
  func sendBehindOthers(_ action: I.Action) -> Receipt {
    if lock.tryLockSpinning() || enterPatiently() {
      let receipt = takeUp(action)
      unlock()
      return receipt
    }
    guard mayLeaveAction() else { return refuseToLeave() }
    let run = ticket(for: action)
    takeUpOrQueue(run)
    return Receipt(run)
  }

  /// Accepts an action with the trace it belongs to.
  @inlinable
  func send(_ action: I.Action, context: TraceContext) -> Receipt {
    if isIntercepted.load(ordering: .relaxed) { return sendIntercepted(action, context) }
    return accept(action, lineageOfSender(trace: context), from: nil)
  }

  /// Accepts an action of this lineage, in the name of the run that sends it if one does.
  @inlinable
  func accept(_ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>?) -> Receipt {
    if lock.tryLock() || lock.tryLockSpinning() || enterPatiently() {
      let run = ActiveRun(id: nextID(), action: action, core: self, lineage: lineage)
      run.sender = sender
      takeUp(run)
      unlock()
      return Receipt(run)
    }
    guard mayLeaveAction() else { return refuseToLeave() }
    let run = ticket(for: action, lineage)
    run.sender = sender
    takeUpOrQueue(run)
    return Receipt(run)
  }

  /// Accepts actions in order, many while it holds the lock.
  @inlinable
  func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt {
    var batch = BatchReceipt()
    let actions = Array(actions)
    var index = 0
    while index < actions.count {
      if isIntercepted.load(ordering: .relaxed) {
        batch.add(sendIntercepted(actions[index], nil))
        index += 1
      } else if lock.tryLock() || lock.tryLockSpinning() || enterPatiently() {
        sendSome(actions, from: &index, into: &batch)
        unlock()
      } else {
        if mayLeaveAction() {
          let run = ticket(for: actions[index])
          takeUpOrQueue(run)
          batch.add(Receipt(run))
        } else {
          batch.add(refuseToLeave())
        }
        index += 1
      }
    }
    return batch
  }

  /// Takes up actions while nobody else has asked for the lock, for a bounded number of them.
  ///
  /// *With the lock.*
  @inlinable
  func sendSome(_ actions: [I.Action], from index: inout Int, into batch: inout BatchReceipt) {
    let end = Swift.min(index + 256, actions.count)
    var finished = 0
    repeat {
      let receipt = takeUp(actions[index])
      index += 1
      if receipt.hasFinishedAtOnce {
        finished += 1
      } else {
        batch.add(finished: finished)
        finished = 0
        batch.add(receipt)
      }
    } while index < end && !lock.hasUrgentSteps && !lock.hasDuties.load(ordering: .relaxed)
    batch.add(finished: finished)
  }
}
