import Synchronization

/// Handlers: each is a task that calls `handle`, commits what that gives, and ends the run.
extension HandlerCall {
  /// Creates the task, on this thread up to the first suspension if `immediately`.
  @inlinable
  func makeHandlerTask(at core: StoreCore<I>, immediately: Bool) -> Task<Void, any Error> {
    switch (self, immediately) {
    case (.run(let run), true):
      makeDetachedTask { await Ticket.current.withValue(run) { await core.runHandler(of: run) } }
    case (.run(let run), false):
      Task<Void, any Error>.detached { await Ticket.current.withValue(run) { await core.runHandler(of: run) } }
    case (.attempt(let attempt), true):
      makeDetachedTask { await Ticket.current.withValue(attempt.run) { await core.runHandler(of: attempt) } }
    case (.attempt(let attempt), false):
      Task<Void, any Error>.detached {
        await Ticket.current.withValue(attempt.run) { await core.runHandler(of: attempt) }
      }
    }
  }
}

extension InteractorCode {
  /// The code for this type of interactor, compiled by the module that calls this.
  @inlinable
  init() {
    self.init(
      makeTask: { call, core, immediately in call.makeHandlerTask(at: core, immediately: immediately) },
      performActions: { owned, runs, core in owned.performActionsHere(of: runs, at: core) })
  }
}

extension StoreCore {
  /// Runs the one handler of a run and gives it its outcome.
  @inlinable
  func runHandler(of run: ActiveRun<I>) async {
    let start = now()
    run.noteHandlerStart(start)
    let outcome: Outcome
    do {
      try await callHandler(run, Run(of: run, at: self))
      outcome = .finished
    } catch {
      outcome = Outcome(of: error)
    }
    finish(run, outcome, after: now() &- start)
  }

  /// Runs the handler of one attempt.
  @inlinable
  func runHandler(of attempt: Attempt<I>) async {
    let start = now()
    let outcome: Outcome
    do {
      if !attempt.isOver { try await callHandler(attempt.run, Run(of: attempt)) }
      outcome = .finished
    } catch {
      outcome = Outcome(of: error)
    }
    finish(attempt, outcome, after: now() &- start)
  }

  @inlinable
  @inline(__always)
  func callHandler(_ run: ActiveRun<I>, _ access: Run<I>) async throws {
    if let witness = configuration.witness {
      try await callHandler(run, access, before: witness)
    } else {
      try await commitEffect(of: run, in: access)
    }
  }

  /// The same in front of a witness, in a function of its own: in one with the rest it made a handler with one suspension 5 to 14 % slower.
  @usableFromInline
  func callHandler(_ run: ActiveRun<I>, _ access: Run<I>, before witness: any StoreWitness) async throws {
    let number = witness.handlerBegins(run.action, of: I.self)
    defer { witness.handlerReturned(number) }
    try await commitEffect(of: run, in: access)
  }

  /// Calls `handle`, and commits the mutations of what that returns.
  @inlinable
  @inline(__always)
  func commitEffect(of run: ActiveRun<I>, in access: Run<I>) async throws {
    let mutations: I.Mutations
    do {
      // A scope of its own, so that the state is held no longer than the call.
      let state = await read().state
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
      try await commitAll(mutations, of: run, in: access)
    }
  }

  /// Commits the mutations of the sequence that a handler has returned.
  ///
  /// With a journal it is asked for the next one only while fewer bytes than half of the buffer wait to be stored.
  @inlinable
  func commitAll(_ mutations: I.Mutations, of run: ActiveRun<I>, in access: Run<I>) async throws {
    run.takenUp?.willBeAsked()
    var iterator = mutations.makeAsyncIterator()
    await gate?.waitForRoom()
    while let mutation = try await iterator.next(isolation: nil) {
      guard access.emit(mutation) else { return }
      await gate?.waitForRoom()
    }
  }
}

/// Handlers, from any thread: their mutations, their children and their return.
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
    helpWithQueuedEmits(of: run)
    run.queuedEmits.add(1, ordering: .relaxed)
    lock.perform(for: self) {
      run.queuedEmits.subtract(1, ordering: .relaxed)
      _ = self.owned.commitEmitted(mutation, of: run, attempt, through: child, at: self)
    }
    return !run.hasEnded && attempt?.isOver != true
  }

  /// Does the queued work if a run has queued very many mutations.
  func helpWithQueuedEmits(of run: ActiveRun<I>) {
    // A mutation of a run that has ended is counted then, and bounded like the others.
    if !lock.isHeldHere, run.queuedEmits.load(ordering: .relaxed) >= StoreCore.mostQueuedEmits {
      lock.performUrgently(for: self) { self.lock.performQueuedWork(for: self) }
    }
  }

  /// The number of mutations of one run that may be queued before it helps with them.
  private static var mostQueuedEmits: Int { 1_024 }

  // MARK: The end

  /// Ends a run whose handler has returned with its outcome, behind the mutations that it has emitted.
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

  /// Passes on the outcome of an attempt whose handler has returned, with the advice of its error and whether the breaker counts it, which are
  /// asked for without the lock.
  @inlinable
  func finish(_ attempt: Attempt<I>, _ outcome: Outcome, after time: Int64) {
    let advice = attempt.advice(after: outcome)
    let counts = attempt.countsForBreaker(outcome)
    lock.perform(for: self) {
      self.owned.didReturn(attempt, outcome, advice, countsForBreaker: counts, after: time, at: self)
    }
  }

  // MARK: Children

  /// Ends a run when a condition stops holding; see ``Run/endWhen(_:notHolding:)``.
  @inlinable
  nonisolated(nonsending) func endRun(
    _ run: ActiveRun<I>, _ attempt: Attempt<I>?, _ path: ChildPath,
    whenNotHolding condition: @escaping @Sendable () -> LifetimeCondition
  ) async -> ExistingChild? {
    if lock.tryLock() {
      let child = owned.add(path, condition, of: run, attempt, at: self)
      unlock()
      return child
    }
    return await withUnsafeContinuation { (continuation: UnsafeContinuation<ExistingChild?, Never>) in
      perform { owned in
        let child = owned.add(path, condition, of: run, attempt, at: self)
        self.lock.afterUnlock { continuation.resume(returning: child) }
      }
    }
  }
}

extension Outcome {
  /// The outcome of a run whose handler threw this error.
  @inlinable
  init(of error: any Error) {
    self = error is NotHandled ? .rejected(.notHandled) : .failed(error)
  }
}
