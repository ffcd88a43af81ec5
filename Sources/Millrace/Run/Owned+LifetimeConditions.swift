/// Runs that end when a child is removed.
extension Owned {
  /// Adds a condition of a run, and returns the child that it asks for; nil if that does not exist, or the run has ended.
  mutating func add(
    _ condition: LifetimeCondition<I.State, I.Mutation>, of run: ActiveRun<I>, _ attempt: Attempt<I>?,
    at core: StoreCore<I>
  ) -> ExistingChild<I.State>? {
    guard !run.hasEnded, attempt?.isOver != true else { return nil }
    guard condition.holds(state) else {
      end(run, .cancelled, at: core)
      return nil
    }
    let child = madeRuns(at: core).lifetimeConditions.add(
      condition, of: run, attempt: attempt?.number ?? 0, to: &run.record.lifetimeConditions)
    madeRegistry(at: core).needs.insert(.conditions)
    return ExistingChild(state: state, child: child)
  }

  /// Removes the conditions of a run.
  @usableFromInline
  func removeLifetimeConditions(of run: ActiveRun<I>) {
    guard let runs else { return }
    runs.lifetimeConditions.remove(&run.record.lifetimeConditions)
    if runs.lifetimeConditions.isEmpty { registry?.needs.remove(.conditions) }
  }

  /// Finds the runs whose child the commit of this mutation has removed; they end with the step.
  ///
  /// - Parameters:
  ///   - mutation: the mutation that was committed.
  ///   - child: the child whose run emitted the mutation; nil for any other commit.
  ///   - core: the store's core.
  @inlinable
  func findRunsOfRemovedChildren(_ mutation: I.Mutation, through child: RemovableChild?, at core: StoreCore<I>) {
    guard let runs else { return }
    let found =
      if let child {
        runs.lifetimeConditions.runs(endedThrough: child, in: state)
      } else {
        runs.lifetimeConditions.runs(endedBy: mutation, in: state)
      }
    if !found.isEmpty { endAfterStep(found, at: core) }
  }

  /// Ends runs whose child the commit has removed, when the step is done.
  @usableFromInline
  func endAfterStep(_ found: [ActiveRun<I>], at core: StoreCore<I>) {
    guard let runs else { return }
    if runs.runsOfRemovedChildren.isEmpty {
      core.afterStep { [unowned core] in core.owned.endRunsOfRemovedChildren(at: core) }
    }
    runs.runsOfRemovedChildren += found
    for run in found { removeLifetimeConditions(of: run) }
  }

  /// Ends the runs whose child the last commits have removed.
  @usableFromInline
  mutating func endRunsOfRemovedChildren(at core: StoreCore<I>) {
    guard let runs, !runs.runsOfRemovedChildren.isEmpty else { return }
    let now = runs.now
    for run in runs.runsOfRemovedChildren {
      if let handle = run.record.handle { runs.scheduler.handle(.end(handle, .cancelled), at: now) }
    }
    runs.runsOfRemovedChildren = []
    performActions(of: runs, at: core)
  }
}

extension StoreCore {
  /// Ends a run when a condition stops holding; see ``Run/endWhen(notHolding:)``.
  nonisolated(nonsending) func end(
    _ run: ActiveRun<I>, _ attempt: Attempt<I>?, whenNotHolding condition: LifetimeCondition<I.State, I.Mutation>
  ) async -> ExistingChild<I.State>? {
    if lock.tryLock() {
      let child = owned.add(condition, of: run, attempt, at: self)
      unlock()
      return child
    }
    return await withUnsafeContinuation { (continuation: UnsafeContinuation<ExistingChild<I.State>?, Never>) in
      perform { owned in
        let child = owned.add(condition, of: run, attempt, at: self)
        self.lock.afterUnlock { continuation.resume(returning: child) }
      }
    }
  }
}
