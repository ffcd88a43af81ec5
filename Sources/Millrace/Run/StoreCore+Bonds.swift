/// Runs that live only as long as the state lets them: those of children that may go.
extension StoreCore {
  /// Binds a run to a condition; see ``Run/bind(_:)``.
  nonisolated(nonsending) func bind(
    _ run: ActiveRun<I>, _ attempt: Attempt<I>?, _ condition: @escaping Bond<I>.Condition
  ) async -> I.State? {
    if lock.tryLock() {
      let state = bindNow(run, attempt, condition) ? state : nil
      unlock()
      return state
    }
    return await withUnsafeContinuation { (continuation: UnsafeContinuation<I.State?, Never>) in
      perform {
        let state = self.bindNow(run, attempt, condition) ? self.state : nil
        self.lock.afterUnlock { continuation.resume(returning: state) }
      }
    }
  }

  private func bindNow(_ run: ActiveRun<I>, _ attempt: Attempt<I>?, _ condition: @escaping Bond<I>.Condition) -> Bool {
    guard !run.hasEnded, attempt?.isOver != true else { return false }
    guard condition(state) else {
      end(run, .cancelled)
      return false
    }
    let bond = run.bond ?? Bond(run)
    if run.bond == nil {
      run.bond = bond
      ownLedger.bonds.append(bond)
      ownRegistry.hasBonds = true
    }
    bond.add(condition, attempt: attempt?.number ?? 0)
    return true
  }

  /// Lets a run go on whatever the state is.
  ///
  /// *With the lock.*
  @usableFromInline
  func unbind(_ run: ActiveRun<I>) {
    guard let bond = run.bond, let ledger else { return }
    run.bond = nil
    ledger.bonds.remove(bond)
    if ledger.bonds.isEmpty { registry?.hasBonds = false }
  }

  /// Finds the runs that the commit just made leaves without what they are bound to; they end with the step.
  ///
  /// *With the lock.*
  @usableFromInline
  func findOrphans() {
    guard let ledger else { return }
    var next = ledger.bonds.first
    while let bond = next {
      next = bond.following
      if bond.holds(in: state) { continue }
      if ledger.orphans.isEmpty { afterStep { $0.endOrphans() } }
      ledger.orphans.append(bond.run)
      unbind(bond.run)
    }
  }

  /// Ends the runs that the last commits left without what they are bound to.
  ///
  /// *With the lock.*
  func endOrphans() {
    guard let ledger, !ledger.orphans.isEmpty else { return }
    let now = ledger.now
    for run in ledger.orphans {
      if let handle = run.handle { ledger.scheduler.handle(.end(handle, .cancelled), at: now) }
    }
    ledger.orphans = []
    performActions(ledger)
  }

  /// Ends the runs whose condition the step broke, then does urgent steps; called between two steps.
  ///
  /// *With the lock.*
  func finishStep() {
    endOrphans()
    lock.performUrgentSteps(for: self)
  }

  /// Ends an action that was decided against, and tells of a child that its parent does not have.
  ///
  /// *With the lock.*
  @usableFromInline
  func reject(_ run: ActiveRun<I>, _ error: any Error) {
    if let missing = error as? MissingChild, ownLedger.reportedPlaces.insert(missing.scope).inserted {
      report(
        Incident(
          .missingChild, of: I.Action.self, action: run.id, error: missing,
          "An action of type \(String(reflecting: I.Action.self)) was rejected. \(missing.description)"))
    }
    endDecided(run, .rejected(.decided(error)))
  }
}
