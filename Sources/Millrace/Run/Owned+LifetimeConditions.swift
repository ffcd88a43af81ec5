/// Runs that live only as long as the state lets them: those of children that may go.
extension Owned {
  /// Binds a run to a condition; returns false if the condition does not hold, or the run has ended.
  mutating func bind(
    _ run: ActiveRun<I>, _ attempt: Attempt<I>?, _ condition: @escaping Bond<I>.Condition, at core: StoreCore<I>
  ) -> Bool {
    guard !run.hasEnded, attempt?.isOver != true else { return false }
    guard condition(state) else {
      end(run, .cancelled, at: core)
      return false
    }
    let bond = run.record.bond ?? Bond(run)
    if run.record.bond == nil {
      run.record.bond = bond
      madeRuns(at: core).bonds.append(bond)
      madeRegistry(at: core).needs.insert(.conditions)
    }
    bond.add(condition, attempt: attempt?.number ?? 0)
    return true
  }

  /// Lets a run go on whatever the state is.
  @usableFromInline
  func unbind(_ run: ActiveRun<I>) {
    guard let bond = run.record.bond, let runs else { return }
    run.record.bond = nil
    runs.bonds.remove(bond)
    if runs.bonds.isEmpty { registry?.needs.remove(.conditions) }
  }

  /// Finds the runs that the commit just made leaves without what they are bound to; they end with the step.
  @usableFromInline
  func findOrphans(at core: StoreCore<I>) {
    guard let runs else { return }
    var next = runs.bonds.first
    while let bond = next {
      next = bond.following
      if bond.holds(in: state) { continue }
      if runs.orphans.isEmpty { core.lock.afterStep { [unowned core] in core.owned.endOrphans(at: core) } }
      runs.orphans.append(bond.run)
      unbind(bond.run)
    }
  }

  /// Ends the runs that the last commits left without what they are bound to.
  mutating func endOrphans(at core: StoreCore<I>) {
    guard let runs, !runs.orphans.isEmpty else { return }
    let now = runs.now
    for run in runs.orphans {
      if let handle = run.record.handle { runs.scheduler.handle(.end(handle, .cancelled), at: now) }
    }
    runs.orphans = []
    performActions(of: runs, at: core)
  }
}

extension StoreCore {
  /// Binds a run to a condition; see ``Run/bind(_:)``.
  nonisolated(nonsending) func bind(
    _ run: ActiveRun<I>, _ attempt: Attempt<I>?, _ condition: @escaping Bond<I>.Condition
  ) async -> I.State? {
    if lock.tryLock() {
      let state = owned.bind(run, attempt, condition, at: self) ? owned.state : nil
      unlock()
      return state
    }
    return await withUnsafeContinuation { (continuation: UnsafeContinuation<I.State?, Never>) in
      perform { owned in
        let state = owned.bind(run, attempt, condition, at: self) ? owned.state : nil
        self.lock.afterUnlock { continuation.resume(returning: state) }
      }
    }
  }
}
