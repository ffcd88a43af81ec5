import Synchronization

/// Handlers, from any thread: their mutations and their return.
extension StoreCore {
  // MARK: Emitting

  /// Commits a mutation of a run, now or when the lock's holder comes to it; returns false once the run has ended.
  @inlinable
  func emit(_ mutation: I.Mutation, of run: ActiveRun<I>, through child: RemovableChild?) -> Bool {
    guard lock.tryLock() else { return emitBehindOthers(mutation, of: run, nil, through: child) }
    let isLive = owned.commitEmitted(mutation, of: run, nil, through: child, at: self)
    unlock()
    return isLive
  }

  /// Commits a mutation of an attempt, now or when the lock's holder comes to it; returns false once the attempt is over or
  /// the run has ended.
  @inlinable
  func emit(_ mutation: I.Mutation, of attempt: Attempt<I>, through child: RemovableChild?) -> Bool {
    guard lock.tryLock() else { return emitBehindOthers(mutation, of: attempt.run, attempt, through: child) }
    let isLive = owned.commitEmitted(mutation, of: attempt.run, attempt, through: child, at: self)
    unlock()
    return isLive
  }

  /// Queues a mutation for the holder of the lock; helps with the queued work where a run has queued very much.
  @usableFromInline
  func emitBehindOthers(
    _ mutation: I.Mutation, of run: ActiveRun<I>, _ attempt: Attempt<I>?, through child: RemovableChild?
  ) -> Bool {
    // A mutation of a run that has ended is counted then, and bounded like the others.
    if !lock.isHeldHere, run.queuedEmits.load(ordering: .relaxed) >= StoreCore.mostQueuedEmits {
      lock.performUrgently(for: self) { self.lock.performQueuedWork(for: self) }
    }
    run.queuedEmits.add(1, ordering: .relaxed)
    lock.perform(for: self) {
      run.queuedEmits.subtract(1, ordering: .relaxed)
      _ = self.owned.commitEmitted(mutation, of: run, attempt, through: child, at: self)
    }
    return !run.hasEnded && attempt?.isOver != true
  }

  /// The number of mutations of one run that may be queued before it helps with them.
  private static var mostQueuedEmits: Int { 1_024 }

  // MARK: The end

  /// Gives a run whose handler has returned its outcome, behind the mutations that it has emitted.
  @inlinable
  func finish(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64) {
    guard lock.tryLock() else { return finishBehindOthers(run, outcome, after: time) }
    owned.didReturn(run, outcome, after: time, at: self)
    unlock()
  }

  @usableFromInline
  func finishBehindOthers(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64) {
    lock.perform(for: self) { self.owned.didReturn(run, outcome, after: time, at: self) }
  }

  @usableFromInline
  func finish(_ attempt: Attempt<I>, _ outcome: Outcome, after time: Int64) {
    lock.perform(for: self) { self.owned.didReturn(attempt, outcome, after: time, at: self) }
  }
}
