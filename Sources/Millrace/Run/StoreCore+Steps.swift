import Synchronization

/// Steps of handlers: their commits, and their waits for a state.
extension StoreCore {
  /// Commits the result of a step with its mutations, now or when the lock's holder comes to it; returns false once the run or its attempt
  /// has ended.
  @usableFromInline
  func commitStep(
    _ step: StepCommit, _ mutations: [I.Mutation], of run: ActiveRun<I>, _ attempt: Attempt<I>?,
    through child: RemovableChild?
  ) -> Bool {
    helpWithQueuedEmits(of: run)
    run.queuedEmits.add(1, ordering: .relaxed)
    lock.perform(for: self) {
      run.queuedEmits.subtract(1, ordering: .relaxed)
      self.owned.commitStep(step, mutations, of: run, attempt, through: child, at: self)
    }
    return !run.hasEnded && attempt?.isOver != true
  }

  /// The sinks for the steps of a run; nil if no interceptor wants to know of them.
  @usableFromInline
  func stepSinks(of run: ActiveRun<I>, attempt: Int = 1) -> StepSinks? {
    guard let sinks = shared?.chain.stepSinks, !sinks.isEmpty else { return nil }
    return StepSinks(sinks: sinks, origin: StepOrigin(run: run.runID, attempt: attempt))
  }

  /// Notes that a run begins to rest.
  func restBegins(of run: ActiveRun<I>, _ attempt: Attempt<I>?) {
    perform { $0.restsChanged(of: run, attempt, at: self) }
  }

  /// Returns when a run that has rested has its slot again, or needs none: another part of its handler rests, or it is over.
  func takeSlotAgain(for run: ActiveRun<I>, _ attempt: Attempt<I>?) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      perform { owned in
        guard !run.hasEnded, attempt?.isOver != true else { return self.lock.afterUnlock { continuation.resume() } }
        run.steps.waitForSlot(continuation)
        owned.restsChanged(of: run, attempt, at: self)
      }
    }
  }

  /// Ends a run as failed, and returns when it has its outcome.
  func endRun(_ run: ActiveRun<I>, failing error: any Error) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      perform { owned in
        owned.fail(run, error, at: self)
        self.lock.afterUnlock { continuation.resume() }
      }
    }
  }

  /// Returns when a condition holds of the state; it is judged at once, and then as the values of observers are.
  ///
  /// - Throws: `CancellationError` in a cancelled task, and once the store has closed.
  @usableFromInline
  func waitForState(_ condition: @escaping @Sendable (I.State) -> Bool) async throws {
    let observed = ObservedValue(get: condition)
    let observation = ValueObservation(self, join: { _ in observed }, forget: { _ in })
    while let holds = await observation.next() {
      if holds { return }
    }
    throw CancellationError()
  }
}

extension Owned {
  /// Notifies the scheduler of whether a run rests, and resumes the parts of its handler that need to wait for nothing.
  mutating func restsChanged(of run: ActiveRun<I>, _ attempt: Attempt<I>?, at core: StoreCore<I>) {
    guard !run.hasEnded, attempt?.isOver != true, let handle = run.record.handle else { return }
    // As it is now, because the calls of several threads may come in another order.
    let isResting = run.steps.isResting
    if isResting, run.takenUp?.recovery != nil { uncount(run, at: core) }
    raise(.resting(handle, isResting), at: core)
    continueParts(of: run, at: core)
    if let runs, !runs.idleWork.isEmpty, runs.scheduler.isQuiet { runs.performIdleWork() }
  }

  /// Commits the result of a step with its mutations, unless its run or its attempt has ended.
  mutating func commitStep(
    _ step: StepCommit, _ mutations: [I.Mutation], of run: ActiveRun<I>, _ attempt: Attempt<I>?,
    through child: RemovableChild?, at core: StoreCore<I>
  ) {
    guard !run.hasEnded, attempt?.isOver != true else {
      didEmitLate(of: run, at: core)
      return core.lock.afterUnlock { step.completion(false) }
    }
    var position = StoreJournal<I>.restoredPosition
    if let journal, step.stored != nil || !mutations.isEmpty {
      let room: JournalRoom = step.kind == .once ? .emits : .unlimited
      if let error = keep(.step(step.stored, mutations, by: run.id), in: room, at: core) {
        fail(run, error, at: core)
        return core.lock.afterUnlock { step.completion(false) }
      }
      position = journal.position
      if step.stored != nil, run.takenUp?.recovery != nil { didMakeProgress(run, at: core) }
    }
    let isFirst = run.record.lastRevision <= run.record.revisionBeforeAttempts
    for mutation in mutations { commit(mutation, of: run, from: child.map { .run(of: $0) } ?? .whole, at: core) }
    // Another attempt does not repeat them, so they do not keep it from being made.
    if isFirst { run.record.revisionBeforeAttempts = run.record.lastRevision }
    if attempt != nil { run.steps.keep(step.name, step.kind, end: step.end, result: step.result, at: position) }
    core.lock.afterUnlock { [position] in
      guard let gate = core.gate else { return step.completion(true) }
      gate.whenDurable(position: position) { step.completion($0 == nil) }
    }
  }
}
