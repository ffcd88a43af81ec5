public import Synchronization

/// Sending and submitting: from the caller to the lock.
extension StoreCore {
  /// Accepts one action: takes it up at once if the lock is free, and queues it for the holder otherwise.
  @inlinable
  @inline(__always)
  func send(_ action: I.Action) -> Receipt {
    if isIntercepted.load(ordering: .relaxed) { return sendIntercepted(action) }
    guard lock.tryLock() else { return sendBehindOthers(action) }
    let receipt = owned.takeUp(action, at: self)
    unlock()
    return receipt
  }

  @inlinable
  @inline(never)
  func sendBehindOthers(_ action: I.Action) -> Receipt {
    // A step with a journal encodes what it keeps, which takes longer than looking for the lock is worth.
    if !isJournaled && lock.tryLockSpinning() || tryLockPatiently() {
      let receipt = owned.takeUp(action, at: self)
      unlock()
      return receipt
    }
    guard mayQueueAction() else { return refuseToQueue() }
    let run = queuedRun(of: Submission(action, lineageOfSender()))
    takeUpOrQueue(run)
    return Receipt(run)
  }

  /// Accepts an action with the trace it belongs to, in a tree, or with demands on the journal.
  @inlinable
  func send(
    _ action: I.Action, context: TraceContext?, in tree: RunTree?, _ demands: JournaledSend?,
    answer: AnswerReader<I.State>? = nil
  ) -> Receipt {
    send(Submission(action, lineageOfSender(trace: context, in: tree), demands, answer: answer))
  }

  /// Accepts an action with the terms of its sender.
  @inlinable
  func send(_ submission: Submission<I>) -> Receipt {
    isIntercepted.load(ordering: .relaxed) ? sendIntercepted(submission) : accept(submission)
  }

  /// Accepts an action that no interceptor has to pass.
  @inlinable
  func accept(_ submission: Submission<I>) -> Receipt {
    if lock.tryLock() || lock.tryLockSpinning() || tryLockPatiently() {
      let run = ActiveRun(id: owned.nextID(), submission, core: self)
      owned.takeUp(run, at: self)
      unlock()
      return Receipt(run)
    }
    guard mayQueueAction() else { return refuseToQueue() }
    let run = queuedRun(of: submission)
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
        batch.add(sendIntercepted(Submission(actions[index], lineageOfSender())))
        index += 1
      } else if lock.tryLock() || lock.tryLockSpinning() || tryLockPatiently() {
        owned.takeUpSome(of: actions, from: &index, into: &batch, at: self)
        unlock()
      } else {
        if mayQueueAction() {
          let run = queuedRun(of: Submission(actions[index], lineageOfSender()))
          takeUpOrQueue(run)
          batch.add(Receipt(run))
        } else {
          batch.add(refuseToQueue())
        }
        index += 1
      }
    }
    return batch
  }

  /// Rejects, counts and reports an action that a run cannot send.
  @usableFromInline
  func refuse(_ reason: String, from sender: ActiveRun<I>) -> Receipt {
    guard mayQueueAction() else { return refuseToQueue() }
    let ticket = Ticket(id: nextQueuedID(), at: self, lineage: Lineage.of(sender))
    perform { owned in
      self.didTakeQueued()
      let outcome = Outcome.rejected(.notSent(reason))
      owned.count(outcome, of: ticket.id, at: self)
      owned.report(Incident(.missingAction, of: I.Action.self, action: ticket.id, reason), at: self)
      ticket.willEnd()
      if ticket.end(outcome, lastRevision: 0, cancelsTask: false) { self.answerAfterUnlock(ticket) }
    }
    return Receipt(ticket)
  }

  /// The lineage of an action that is sent now.
  ///
  /// Inside a step the thread may do others' work, and its task says nothing of where the action comes from.
  @inlinable
  func lineageOfSender(trace: TraceContext? = nil, in tree: RunTree? = nil) -> Lineage? {
    lock.isHeldHere ? Lineage.without(sender: trace, in: tree) : Lineage.ofSender(trace: trace, in: tree)
  }

  // MARK: Queued actions

  /// A run for an action that is queued for the holder of the lock.
  @inlinable
  func queuedRun(of submission: Submission<I>) -> ActiveRun<I> {
    ActiveRun(id: nextQueuedID(), submission, core: self)
  }

  @usableFromInline
  func nextQueuedID() -> ActionID {
    .queued(queued.add(1, ordering: .relaxed).newValue)
  }

  /// Takes an action up if the lock is free, and queues it for the holder otherwise.
  @inlinable
  func takeUpOrQueue(_ run: ActiveRun<I>) {
    guard lock.tryLock() else {
      return lock.enqueue(for: self) {
        self.didTakeQueued()
        self.owned.takeUp(run, at: self)
      }
    }
    didTakeQueued()
    owned.takeUp(run, at: self)
    unlock()
  }

  /// Counts a queued action as taken; for the lock's holder.
  @inlinable
  func didTakeQueued() {
    queuedAndTaken.store(queuedAndTaken.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// The number of actions that are queued for the holder and not taken up.
  var queuedNow: Int {
    StoreCore.difference(
      queued: UInt32(truncatingIfNeeded: queued.load(ordering: .relaxed)),
      taken: queuedAndTaken.load(ordering: .relaxed))
  }

  /// The number of actions that are queued and not taken up, of two counts that wrap around.
  ///
  /// The holder may take up more between the two reads than were queued at the first; then none of those is left.
  static func difference(queued: UInt32, taken: UInt32) -> Int {
    max(Int(Int32(bitPattern: queued &- taken)), 0)
  }

  /// Looks longer for the lock than usual where many actions are queued; waits for no particular thread, and for a bounded time.
  @usableFromInline
  func tryLockPatiently() -> Bool {
    guard queuedNow > StoreCore.crowd, !lock.isHeldHere else { return false }
    for _ in 0..<StoreCore.patientLooks {
      yieldProcessor()
      if lock.tryLockSpinning() { return true }
      if queuedNow <= StoreCore.crowd { return false }
    }
    return false
  }

  private static var crowd: Int { 1_024 }
  private static var patientLooks: Int { 64 }

  /// Whether another action may be queued.
  @usableFromInline
  func mayQueueAction() -> Bool {
    queuedNow < configuration.limits.queuedActions
  }

  /// Rejects an action because too many are queued.
  @usableFromInline
  func refuseToQueue() -> Receipt {
    Receipt(id: .refused(overflowed.add(1, ordering: .relaxed).newValue), .full(.queue))
  }

  // MARK: Submitting

  /// Accepts an action as soon as the limits allow it.
  @inlinable
  func submit(
    _ action: I.Action, context: TraceContext?, in tree: RunTree?, _ demands: JournaledSend?,
    answer: AnswerReader<I.State>? = nil
  ) async throws -> Receipt {
    try await submit(Submission(action, Lineage.ofSender(trace: context, in: tree), demands, answer: answer))
  }

  /// Accepts an action with the terms of its sender as soon as the limits allow it.
  @inlinable
  func submit(_ submission: Submission<I>) async throws -> Receipt {
    isIntercepted.load(ordering: .relaxed)
      ? try await submitIntercepted(submission) : try await acceptance(of: queue(submitter(of: submission)))
  }

  @inlinable
  func submitter(of submission: Submission<I>) -> Submitter<I> {
    Submitter(sender: submission.sender?.run ?? Ticket.current.get()) { id, core in
      ActiveRun(id: id, submission, core: core)
    }
  }

  /// Queues the action, which is taken up as soon as there is room, unless the submit is cancelled.
  @usableFromInline
  func queue(_ submitter: Submitter<I>) -> Submitter<I> {
    if Task.isCancelled { submitter.promise.fulfil(.failure(CancellationError())) }
    perform { $0.admit(submitter, at: self) }
    return submitter
  }

  @usableFromInline
  func acceptance(of submitter: Submitter<I>) async throws -> Receipt {
    try await withTaskCancellationHandler {
      try await submitter.promise.value.get()
    } onCancel: {
      if submitter.promise.fulfil(.failure(CancellationError())) {
        perform { $0.remove(submitter) }
      }
    }
  }
}

extension Owned {
  /// Takes up actions while no urgent step waits and nothing is to be done after the unlock, for a bounded number of them.
  @inlinable
  mutating func takeUpSome(
    of actions: [I.Action], from index: inout Int, into batch: inout BatchReceipt, at core: StoreCore<I>
  ) {
    let end = Swift.min(index + 256, actions.count)
    var finished = 0
    repeat {
      let receipt = takeUp(actions[index], at: core)
      index += 1
      if receipt.hasFinishedAtOnce {
        finished += 1
      } else {
        batch.add(finished: finished)
        finished = 0
        batch.add(receipt)
      }
    } while index < end && !core.lock.hasUrgentSteps && !core.lock.hasDuties
    batch.add(finished: finished)
  }
}
