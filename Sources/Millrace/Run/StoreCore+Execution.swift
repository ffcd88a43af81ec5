import Synchronization

extension StoreCore {
  /// Runs the one handler of a run and gives it its outcome.
  @inlinable
  func execute(_ run: ActiveRun<I>) async {
    let start = now()
    let outcome: Outcome
    do {
      try await handle(run, Run(of: run, at: self))
      outcome = .finished
    } catch {
      outcome = Outcome(of: error)
    }
    finish(run, outcome, after: now() &- start)
  }

  /// Runs the handler of one attempt.
  @inlinable
  func execute(_ attempt: Attempt<I>) async {
    let start = now()
    let outcome: Outcome
    do {
      if !attempt.isOver { try await handle(attempt.run, Run(of: attempt)) }
      outcome = .finished
    } catch {
      outcome = Outcome(of: error)
    }
    finish(attempt, outcome, after: now() &- start)
  }

  @inlinable
  @inline(__always)
  func handle(_ run: ActiveRun<I>, _ access: Run<I>) async throws {
    if let witness = configuration.witness {
      try await handle(run, access, before: witness)
    } else {
      try await runHandler(run, access)
    }
  }

  @inlinable
  @inline(__always)
  func runHandler(_ run: ActiveRun<I>, _ access: Run<I>) async throws {
    let mutations: I.Mutations
    do {
      // A scope of its own, so that the state is held no longer than the call.
      let state = await stateToHandle(run)
      guard !run.hasEnded else { return }
      mutations = await interactor.handle(run.action, state: state)
    }
    if let effect = mutations as? Effect<I> {
      // As `effect.perform(in:)`, without a call between the run and the closure.
      if case .body(let body) = effect.content {
        try await body(access)
      } else {
        try await effect.perform(in: access)
      }
    } else {
      try await commitAll(mutations, in: access)
    }
  }

  /// The newest state: that of the take-up, if nothing was committed since, which saves a step.
  @inlinable
  func stateToHandle(_ run: ActiveRun<I>) async -> I.State {
    if let snapshot = run.takeSnapshot(), snapshot.revision == revision {
      return snapshot.state
    }
    return await read().state
  }

  @inlinable
  func commitAll(_ mutations: I.Mutations, in access: Run<I>) async throws {
    var iterator = mutations.makeAsyncIterator()
    while let mutation = try await iterator.next(isolation: nil) {
      guard access.emit(mutation) else { return }
    }
  }

  // MARK: Emitting

  /// Commits a mutation of a run, now or when the lock's holder comes to it; false once the run has ended.
  @inlinable
  func emit(_ mutation: I.Mutation, of run: ActiveRun<I>) -> Bool {
    guard lock.tryLock() else { return emitBehindOthers(mutation, of: run, nil) }
    let isLive = !run.hasEnded
    if isLive { commit(mutation, of: run) } else { noteLateEmit(of: run) }
    unlock()
    return isLive
  }

  /// Commits a mutation of an attempt, now or when the lock's holder comes to it; false once the attempt is over or the run has ended.
  @inlinable
  func emit(_ mutation: I.Mutation, of attempt: Attempt<I>) -> Bool {
    guard lock.tryLock() else { return emitBehindOthers(mutation, of: attempt.run, attempt) }
    let isLive = !attempt.run.hasEnded && !attempt.isOver
    if isLive { commit(mutation, of: attempt.run) } else { noteLateEmit(of: attempt.run) }
    unlock()
    return isLive
  }

  /// Leaves a mutation for the holder of the lock; helps with what was left where a run has left very much.
  @usableFromInline
  func emitBehindOthers(_ mutation: I.Mutation, of run: ActiveRun<I>, _ attempt: Attempt<I>?) -> Bool {
    // One whose run has ended is counted then, and bounded like the others.
    if !lock.isHeldHere, run.leftEmits.load(ordering: .relaxed) >= StoreCore.mostLeftEmits {
      performUrgently { self.lock.performQueuedWork(for: self) }
    }
    run.leftEmits.add(1, ordering: .relaxed)
    perform {
      run.leftEmits.subtract(1, ordering: .relaxed)
      if !run.hasEnded, attempt?.isOver != true { self.commit(mutation, of: run) } else { self.noteLateEmit(of: run) }
    }
    return !run.hasEnded && attempt?.isOver != true
  }

  /// How many mutations of one run may be left before it helps with them.
  private static var mostLeftEmits: Int { 1_024 }

  // MARK: The end

  /// Gives a run whose handler has returned its outcome, behind what it has emitted.
  @inlinable
  func finish(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64) {
    guard lock.tryLock() else { return finishBehindOthers(run, outcome, after: time) }
    conclude(run, outcome, after: time)
    unlock()
  }

  @usableFromInline
  func finishBehindOthers(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64) {
    perform { self.conclude(run, outcome, after: time) }
  }

  @usableFromInline
  func finish(_ attempt: Attempt<I>, _ outcome: Outcome, after time: Int64) {
    perform { self.conclude(attempt, outcome, after: time) }
  }

  /// The handler of a run has returned with this outcome.
  ///
  /// *With the lock.*
  @inlinable
  func conclude(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64) {
    guard let ledger, let handle = run.handle else { return }
    ledger.handleTime.record(nanoseconds: time)
    if outcome.isFinished, isFastPath, ledger.scheduler.finishAtOnce(handle) {
      ledger.release(handle)
      finish(run)
    } else {
      raise(.returned(handle, attempt: nil, outcome, hasCommitted: false))
    }
  }

  /// The handler of an attempt has returned with this outcome.
  ///
  /// *With the lock.*
  func conclude(_ attempt: Attempt<I>, _ outcome: Outcome, after time: Int64) {
    let run = attempt.run
    guard let handle = run.handle else { return }
    ledger?.handleTime.record(nanoseconds: time)
    attempt.willEnd()
    let hasCommitted = run.lastRevision > run.revisionAtTakeUp
    raise(.returned(handle, attempt: attempt.number, outcome, hasCommitted: hasCommitted))
  }
}

extension Outcome {
  /// How a run ends whose handler threw this error.
  @inlinable
  init(of error: any Error) {
    self = error is NotHandled ? .rejected(.notHandled) : .failed(error)
  }
}
