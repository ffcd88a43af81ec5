/// The children that may be removed, and the actions that end with them.
extension Owned {
  /// Adds a condition of a run, and returns the child that it asks for; nil if that does not exist, or the run has ended.
  @inlinable
  mutating func add(
    _ path: ChildPath, _ condition: () -> LifetimeCondition, of run: ActiveRun<I>, _ attempt: Attempt<I>?,
    at core: StoreCore<I>
  ) -> ExistingChild? {
    guard !run.hasEnded, attempt?.isOver != true else { return nil }
    if let child = runs?.lifetimeConditions.child(
      of: &run.record.lifetimeConditions, at: path, attempt: attempt?.number ?? 0)
    {
      return ExistingChild(child)
    }
    let condition = condition()
    guard condition.exists.holds(of: state) else {
      end(run, .cancelled, at: core)
      return nil
    }
    let child = madeRuns(at: core).lifetimeConditions.add(
      condition, of: run, attempt: attempt?.number ?? 0, to: &run.record.lifetimeConditions)
    lookForRemovedChildren(at: core)
    return ExistingChild(child)
  }

  /// Binds an action to the children that its plan or its decision is for, so that it ends when one of them is removed.
  @inlinable
  mutating func bind(_ run: ActiveRun<I>, to children: [LifetimeCondition], at core: StoreCore<I>) {
    for child in children {
      guard let child = child.checked(state, I.Mutation.self) else { continue }
      madeRuns(at: core).lifetimeConditions.add(child, of: run, attempt: 0, to: &run.record.lifetimeConditions)
      lookForRemovedChildren(at: core)
    }
  }

  /// Binds an action to the children that its decision is for, unless its plan has bound it to those.
  @usableFromInline
  mutating func bind(
    _ run: ActiveRun<I>, to children: DecisionNext.Children, of mark: ChildMark, at core: StoreCore<I>
  ) {
    if mark != .none, run.record.lifetimeConditions?.child.outermostMark == mark { return }
    bind(run, to: children(), at: core)
  }

  /// Enables the search for removed children after each commit.
  @usableFromInline
  mutating func lookForRemovedChildren(at core: StoreCore<I>) {
    madeRegistry(at: core).needs.insert(.conditions)
  }

  /// Removes the conditions of a run.
  @usableFromInline
  func removeLifetimeConditions(of run: ActiveRun<I>) {
    guard let runs, run.record.lifetimeConditions != nil else { return }
    runs.lifetimeConditions.remove(&run.record.lifetimeConditions)
    if runs.lifetimeConditions.isEmpty { registry?.needs.remove(.conditions) }
  }

  /// Finds the runs whose child the commit of this mutation has removed; they end with the step.
  ///
  /// - Parameters:
  ///   - mutation: the mutation that was committed.
  ///   - origin: the origin of the mutation.
  ///   - core: the store's core.
  @inlinable
  func findRunsOfRemovedChildren(_ mutation: I.Mutation, from origin: CommitOrigin, at core: StoreCore<I>) {
    guard let runs else { return }
    let found =
      switch origin {
      case .whole: runs.lifetimeConditions.runs(endedBy: mutation, in: state)
      case .run(let child): runs.lifetimeConditions.runs(endedThrough: child, in: state)
      case .decision(let mark): runs.lifetimeConditions.runs(endedByDecisionOf: mark, in: state)
      }
    if !found.isEmpty { endAfterStep(found, at: core) }
  }

  /// Ends runs whose child the commit has removed, when the step is done.
  @usableFromInline
  func endAfterStep(_ found: [LifetimeConditions.Entry], at core: StoreCore<I>) {
    guard let runs else { return }
    if runs.runsOfRemovedChildren.isEmpty {
      core.lock.planSteps()
    }
    for entry in found {
      let run = unsafeDowncast(entry.run, to: ActiveRun<I>.self)
      run.record.removedChild = entry.child
      runs.runsOfRemovedChildren.append(run)
      removeLifetimeConditions(of: run)
    }
  }

  /// Ends the runs whose child the last commits have removed.
  @usableFromInline
  mutating func endRunsOfRemovedChildren(at core: StoreCore<I>) {
    guard let runs, !runs.runsOfRemovedChildren.isEmpty else { return }
    let now = runs.now
    for run in runs.runsOfRemovedChildren {
      guard let handle = run.record.handle else { continue }
      runs.scheduler.handle(.end(handle, outcomeOfRemoval(run, handle, runs)), at: now)
    }
    runs.runsOfRemovedChildren = []
    performActions(of: runs, at: core)
  }

  /// The outcome of an action whose child was removed.
  private func outcomeOfRemoval(_ run: ActiveRun<I>, _ handle: Scheduler.Handle, _ runs: RunRegistry<I>) -> Outcome {
    guard run.takenUp == nil, runs.scheduler.isUndecided(handle), let removal = run.record.removedChild?.removal else {
      return .cancelled
    }
    return .rejected(.missingChild(removal.of.missing))
  }

  /// The closing mutation of an action.
  ///
  /// Where its child was removed and another one is in the same place, the scope of that child closes nothing.
  @usableFromInline
  func closing(of run: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>) -> I.Mutation? {
    guard let child = run.record.removedChild, let removal = child.removal, let exists = child.exists,
      exists.holds(of: state) || exists.missingStep(in: state) < removal.depth
    else {
      return core.interactor.closing(run.action, outcome: outcome)
    }
    return ReplacedChild.current.withValue(removal.of.own) {
      core.interactor.closing(run.action, outcome: outcome)
    }
  }
}
