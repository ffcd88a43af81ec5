import Synchronization

/// Notifications: observers, interceptors, reports and metrics.
extension Owned {
  /// The registry of observers, made if there is none.
  mutating func madeRegistry(at core: StoreCore<I>) -> ObserverRegistry<I> {
    if let registry { return registry }
    let made = ObserverRegistry<I>(published: core.revision)
    registry = made
    return made
  }

  /// Drops the registry if no observer needs it, so that commits cost nothing more.
  mutating func dropRegistryIfUnused() {
    if registry?.isUnused == true { registry = nil }
  }

  // MARK: Commits

  /// Notifies the observers that wait for the state that was just committed.
  @inlinable
  @inline(never)
  mutating func didCommit(_ mutation: I.Mutation, from origin: CommitOrigin, at core: StoreCore<I>) {
    // Without a name for the registry, which would be retained.
    guard let needs = registry?.needs else { return }
    if needs.contains(.notification) { core.lock.planNotification() }
    if !needs.isDisjoint(with: .each) { show(mutation, from: origin, at: core) }
  }

  /// Shows the mutation that was just committed to the observers of each commit.
  @inlinable
  mutating func show(_ mutation: I.Mutation, from origin: CommitOrigin, at core: StoreCore<I>) {
    guard let registry else { return }
    if registry.keep(mutation, at: core.revision) { updateBackpressure(at: core) }
    if registry.needs.contains(.commits) { notifyOfCommit(mutation, at: core) }
    if registry.needs.contains(.watchers) { judge(at: core) }
    if registry.needs.contains(.conditions) { findRunsOfRemovedChildren(mutation, from: origin, at: core) }
    if registry.needs.contains(.wake) { noteWake(at: core) }
  }

  /// Notes the time at which the state that was just committed needs the store.
  @usableFromInline
  func noteWake(at core: StoreCore<I>) {
    guard let registry, let wake = registry.wake else { return }
    journal?.sink.note(wake: wake(state))
    registry.wakeMayChange()
  }

  /// Notifies the interceptors and the witness of a commit.
  @usableFromInline
  func notifyOfCommit(_ mutation: I.Mutation, at core: StoreCore<I>) {
    if let chain = runs?.chain, let cause = registry?.cause {
      chain.committed(mutation, revision: core.revision, cause: cause, state: state)
    }
    core.configuration.witness?.committed(
      mutation, revision: core.revision, state: state, identity: core, of: I.self)
  }

  /// Evaluates the predicates on the state that was just committed.
  @usableFromInline
  func judge(at core: StoreCore<I>) {
    guard let satisfied = registry?.takeWatchers(satisfiedBy: state), !satisfied.isEmpty else { return }
    let state = state
    core.lock.afterUnlock { satisfied.forEach { $0.end(.success(state)) } }
  }

  /// Notifies observers of the commits since the lock was free.
  func publish(at core: StoreCore<I>) {
    guard let registry else { return }
    let told = registry.publish(core.revision)
    if !told.isEmpty {
      core.lock.afterUnlock { told.forEach { $0.signal() } }
    }
    if registry.beginsPass(at: core.revision) {
      core.lock.afterUnlock { Task.detached { await core.passOverValues() } }
    }
  }

  /// Ends the waits of all observers: no more mutations will come.
  mutating func close(at core: StoreCore<I>) {
    isOpen = false
    guard let registry else { return }
    let told = registry.end()
    let watchers = registry.takeWatchers()
    let error = endError(.shutDownBeforeState)
    core.lock.afterUnlock {
      told.forEach { $0.signal() }
      watchers.forEach { $0.end(.failure(error)) }
    }
  }

  /// The error of a call that waits for the store when that ends: the journal's, if the journal has failed.
  func endError(_ reason: StoreError.Reason) -> StoreError {
    StoreError(journalFailure.map { .journalFailed($0) } ?? reason)
  }

  // MARK: Observers

  /// Records the revision that an observer got, for the store's metrics.
  @inlinable
  mutating func record(_ position: ObserverPosition, at revision: Int, _ core: StoreCore<I>) {
    if position.index == nil { insert(position, at: core) }
    position.seen = revision
  }

  @usableFromInline
  mutating func insert(_ position: ObserverPosition, at core: StoreCore<I>) {
    madeRegistry(at: core).positions.insert(position)
  }

  /// Registers the waiter for the next commit, or signals it at once if there is a newer state than `seen` or the store is closed.
  mutating func park(_ waiter: Waiter, after seen: Int, at core: StoreCore<I>) {
    if core.revision > seen || !isOpen {
      waiter.signal()
    } else {
      madeRegistry(at: core).park(waiter)
    }
  }

  /// Evaluates the watcher on this state and, if that does not satisfy it, registers the watcher for the next ones.
  mutating func add(_ watcher: Watcher<I.State>, at core: StoreCore<I>) {
    if watcher.hasEnded { return }
    if watcher.predicate(state) {
      let state = state
      core.lock.afterUnlock { watcher.end(.success(state)) }
    } else if isOpen {
      madeRegistry(at: core).add(watcher)
    } else {
      let error = endError(.shutDownBeforeState)
      core.lock.afterUnlock { watcher.end(.failure(error)) }
    }
  }

  /// Moves the cursor to the newest state, and returns that state.
  @usableFromInline
  mutating func begin(_ cursor: LogCursor<I>, at core: StoreCore<I>) -> Snapshot<I.State> {
    madeRegistry(at: core).join(cursor, at: core.revision)
    cursor.delivered = core.revision
    cursorsChanged(at: core)
    return snapshot(at: core)
  }

  /// Looks whether the cursor, which held the store up, still does.
  mutating func didProgress(_ cursor: LogCursor<I>, at core: StoreCore<I>) {
    registry?.log?.releaseIfNear(cursor, revision: core.revision)
    cursorsChanged(at: core)
  }

  /// Keeps nothing for the cursor any more.
  mutating func end(_ cursor: LogCursor<I>, at core: StoreCore<I>) {
    registry?.leave(cursor)
    cursorsChanged(at: core)
  }

  private mutating func cursorsChanged(at core: StoreCore<I>) {
    guard let registry else { return }
    updateBackpressure(at: core)
    setShowsCauses(registry.causeSeekers > 0)
    dropRegistryIfUnused()
  }

  /// Takes up less while an observer is too far behind, and looks for what waited when none is any more.
  @usableFromInline
  mutating func updateBackpressure(at core: StoreCore<I>) {
    let isBehind = registry?.isBackpressured == true || journal?.gate.isCrowded == true
    guard setBackpressured(isBehind), !isBackpressured, let runs else { return }
    runs.scheduler.admitLater()
    performActions(of: runs, at: core)
  }

  // MARK: Interceptors

  /// Sets the chain of interceptors, from the next action and the next commit on.
  mutating func setInterceptors(_ chain: InterceptorChain<I>?, at core: StoreCore<I>) {
    let runs = madeRuns(at: core)
    runs.chain = chain
    runs.services.chain.withLock { $0 = chain }
    madeRegistry(at: core).needs.set(.commits, chain != nil || core.configuration.witness != nil)
    core.isIntercepted.store(chain != nil, ordering: .releasing)
    updateFastPath()
    dropRegistryIfUnused()
  }

  /// Notifies the interceptors that an action was accepted.
  @inlinable
  mutating func didAccept(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let chain = runs?.chain else { return }
    chain.accepted(cause(of: run, at: core))
  }

  /// Notifies the interceptors that the step is over in which an action was accepted.
  @inlinable
  func didEndStep(of run: ActiveRun<I>) {
    guard let chain = runs?.chain else { return }
    chain.stepEnded(of: run.id)
  }

  /// The rest before the next attempt of a run: the drawn rest, unless an interceptor replaces it.
  @usableFromInline
  mutating func rest(_ drawn: Duration, after attempt: Int, of run: ActiveRun<I>, at core: StoreCore<I>) -> Duration {
    guard let chain = runs?.chain else { return drawn }
    return chain.rest(drawn, after: attempt, of: cause(of: run, at: core))
  }

  /// Notifies the interceptors of the end of an action.
  @inlinable
  mutating func didEnd(_ run: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>) {
    guard let chain = runs?.chain else { return }
    let cause = cause(of: run, at: core)
    if !run.record.wasAccepted, outcome.isRefusal { chain.refused(cause) }
    chain.ended(cause, outcome)
  }

  /// Makes this run the cause of the next commits, if observers or interceptors ask for causes.
  @usableFromInline
  mutating func nameCause(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    if namesCauses { _ = cause(of: run, at: core) }
  }

  /// The cause of the commits of this run; the same value as long as it is asked for one run.
  @inlinable
  mutating func cause(of run: ActiveRun<I>, at core: StoreCore<I>) -> Cause<I.Action> {
    if let cause = registry?.cause, cause.id == run.id { return cause }
    if run.store == 0 { run.setStore(madeRuns(at: core).services.store) }
    let cause = Cause(action: run.action, context: run.context)
    registry?.cause = cause
    return cause
  }

  // MARK: Reports

  /// Reports an incident once the lock is free.
  func report(_ incident: Incident, at core: StoreCore<I>) {
    let report = core.configuration.report
    core.lock.afterUnlock { report(incident) }
  }

  @usableFromInline
  func reportUnhandled(_ error: any Error, of run: ActiveRun<I>, at core: StoreCore<I>) {
    let reason = "\(error)"
    report(
      Incident(
        .unhandledFailure, of: I.Action.self, action: run.id, error: error,
        "The handler of \(String(reflecting: I.self)) threw for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)), and nothing was made of it: \(reason)\(reason.hasSuffix(".") ? "" : ".") Return a mutation for .failed from closing(_:outcome:), or "
          + "catch the error in the handler."), at: core)
  }

  /// Counts the stored steps that the handler of a run which has finished did not ask for.
  ///
  /// They are no incident, because a handler that branches on the state leaves steps out which it has done.
  @usableFromInline
  func countUnusedSteps(of run: ActiveRun<I>) {
    runs?.tally.unusedSteps += (run.madeSteps?.unused ?? RunSteps(run.takenUp?.steps ?? []).unused).count
  }

  /// Counts a mutation that was emitted after the end of its run, and reports the first one.
  @usableFromInline
  mutating func didEmitLate(of run: ActiveRun<I>, at core: StoreCore<I>) {
    let runs = madeRuns(at: core)
    runs.tally.lateEmits += 1
    guard runs.tally.lateEmits == 1 else { return }
    report(
      Incident(
        .lateEmit, of: I.Action.self, action: run.id,
        "The handler of \(String(reflecting: I.self)) emitted for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)) after the run had ended, which changed nothing. Return when emit answers false, and let the gateways "
          + "it waits for heed cancellation. Further ones are counted in the store's metrics."), at: core)
  }
}

extension Outcome {
  /// Whether it may be that of an action that was never accepted.
  @inlinable var isRefusal: Bool {
    guard case .rejected(let reason) = self else { return false }
    return switch reason {
    case .full, .shuttingDown, .intercepted, .notSent, .erased, .notOwner: true
    case .exclusive, .throttled, .breakerOpen, .notHandled, .invalidPlan, .journal, .decided, .missingChild: false
    }
  }
}
