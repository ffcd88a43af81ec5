extension StoreCore {
  /// Decides an action and commits what is known of it, as one step.
  ///
  /// *With the lock.*
  @inlinable
  @inline(__always)
  func takeUp(_ action: I.Action) -> Receipt {
    let id = nextID()
    let plan = interactor.plan(for: action)
    guard isFastPath, plan.isConcurrent else { return takeUp(action, plan, id) }
    // Not kept, so that its mutation is not copied out of it: of a deep child that costs as much as the rest.
    switch interactor.decide(action, state: state).step {
    case .one(let mutation):
      let revision = commit(mutation)
      return Receipt(id: id, first: revision, last: revision)
    case .ignore:
      return Receipt(id: id, first: 0, last: 0)
    case .many(let mutations):
      let first = revision &+ 1
      for mutation in mutations { commit(mutation) }
      return mutations.isEmpty
        ? Receipt(id: id, first: 0, last: 0) : Receipt(id: id, first: first, last: revision)
    case .handle:
      return follow(.handle, action, id)
    case .oneThenHandle(let mutation):
      return follow(.mutate(mutation, thenHandle: true), action, id)
    case .manyThenHandle(let mutations):
      return follow(.mutate(mutations, thenHandle: true), action, id)
    case .reject(let error):
      return follow(.reject(error), action, id)
    }
  }

  /// Takes up an action that has a plan, or meets a store that does not take every action the short way.
  @inlinable
  @inline(never)
  func takeUp(_ action: I.Action, _ plan: Plan, _ id: ActionID) -> Receipt {
    let run = ActiveRun(id: id, action: action, core: self, lineage: Lineage.ofSender())
    takeUp(run, plan)
    return Receipt(run)
  }

  /// Does what was decided of an action that does not settle at once.
  ///
  /// Never inlined: with it, a settled action would pay for a reference to this that only a run needs.
  @inlinable
  @inline(never)
  func follow(_ decision: Decision<I.Mutation>, _ action: I.Action, _ id: ActionID) -> Receipt {
    if decision.handles, isFull { return refuse(id) }
    let run = ActiveRun(id: id, action: action, core: self, lineage: Lineage.ofSender())
    follow(decision, run)
    // It has its core until it is begun, and none while it waits for a slot.
    if run.core != nil, !lock.hasQueuedWork { run.snapshot = Snapshot(revision: revision, state: state) }
    return Receipt(run)
  }

  /// Takes up an action that has a run already, unless that has ended meanwhile.
  ///
  /// *With the lock.*
  @inlinable
  func takeUp(_ run: ActiveRun<I>) {
    takeUp(run, interactor.plan(for: run.action))
  }

  @inlinable
  func takeUp(_ run: ActiveRun<I>, _ plan: Plan) {
    guard admits(run, plan.terms) else { return }
    run.wasAccepted = true
    if !isFastPath { noteAccepted(run) }
    if let terms = plan.terms {
      schedule(run, terms)
    } else {
      decideAndFollow(run)
    }
    if !isFastPath { noteStepEnded(of: run) }
  }

  /// Takes up an action that waits for nothing more.
  ///
  /// *With the lock.*
  @inlinable
  func decideAndFollow(_ run: ActiveRun<I>) {
    let decision = interactor.decide(run.action, state: state)
    if decision.handles, isFull { refuse(run) } else { follow(decision, run) }
  }

  /// Whether there is neither a slot nor room to wait for one more action that asks for `handle`.
  ///
  /// *With the lock.*
  @inlinable
  var isFull: Bool { ledger?.scheduler.isFull == true }

  @usableFromInline
  func refuse(_ run: ActiveRun<I>) {
    if let handle = run.handle {
      raise(.decided(handle, .isFull))
    } else {
      end(run, .rejected(.full))
    }
  }

  /// Lets the scheduler see to an action with a plan.
  ///
  /// *With the lock.*
  @usableFromInline
  func schedule(_ run: ActiveRun<I>, _ terms: PlanTerms) {
    if let problem = terms.problem { return reject(run, problem) }
    let ledger = ownLedger
    let handle = ledger.scheduler.add(terms)
    ledger.keep(run, handle)
    raise(.arrived(handle))
  }

  private func reject(_ run: ActiveRun<I>, _ problem: PlanProblem) {
    if ownLedger.reportedProblems.insert(problem).inserted {
      report(
        Incident(
          .invalidPlan, of: I.Action.self, action: run.id,
          "\(String(reflecting: I.self)) rejected an action of type \(String(reflecting: I.Action.self)) because its plan "
            + "contradicts itself. \(problem.description)"))
    }
    end(run, .rejected(.invalidPlan(problem.description)))
  }

  /// Does what was decided.
  ///
  /// *With the lock.*
  @inlinable
  func follow(_ decision: Decision<I.Mutation>, _ run: ActiveRun<I>) {
    switch decision.step {
    case .handle:
      start(run)
    case .one(let mutation):
      commit(mutation, of: run)
      endDecided(run, .finished)
    case .many(let mutations):
      for mutation in mutations { commit(mutation, of: run) }
      endDecided(run, .finished)
    case .oneThenHandle(let mutation):
      commit(mutation, of: run)
      start(run)
    case .manyThenHandle(let mutations):
      for mutation in mutations { commit(mutation, of: run) }
      start(run)
    case .ignore:
      endDecided(run, .finished)
    case .reject(let error):
      reject(run, error)
    }
  }
}
