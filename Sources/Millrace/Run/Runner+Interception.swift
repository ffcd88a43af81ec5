public import Synchronization

/// Actions of a store that has interceptors.
extension Runner {
  /// Sets the chain of interceptors, from the next action and the next commit on.
  func setInterceptors(_ interceptors: [InterceptorChain<I>.Element]) {
    let chain = interceptors.isEmpty ? nil : InterceptorChain<I>(interceptors)
    performUrgently {
      let ledger = self.ownLedger
      _ = ledger.interceptions  // Senders find it made.
      ledger.chain = chain
      ledger.sharedChain.withLock { $0 = chain }
      self.ownBoard.tellsCommits = chain != nil || self.configuration.witness != nil
      self.isIntercepted.store(chain != nil, ordering: .releasing)
      self.noteWay()
      self.dropBoardIfUnused()
    }
  }

  /// The chain, and where its sends are put off; from any thread.
  @inlinable
  var shared: (chain: InterceptorChain<I>, interceptions: Interceptions)? {
    guard isIntercepted.load(ordering: .acquiring), let ledger, let chain = ledger.sharedChain.withLock({ $0 }) else {
      return nil
    }
    return (chain, ledger.interceptions)
  }

  // MARK: Sending

  /// Sends an action through the interceptors.
  @inlinable
  @inline(never)
  func sendIntercepted(_ action: I.Action, _ trace: TraceContext?) -> Receipt {
    let lineage = lineageOfSender(trace: trace)
    guard mayLeaveAction() else { return refuseToLeave() }
    let run = ticket(for: action, lineage)
    pass(run)
    return Receipt(run)
  }

  /// Lets an action pass the chain and go on to be accepted; behind the one that this thread intercepts, if it does.
  @inlinable
  func pass(_ run: ActiveRun<I>) {
    guard let shared else { return leave(run) }
    if shared.interceptions.putOff({ self.passNow(run) }) { return }
    shared.interceptions.withoutNesting { passNow(run) }
  }

  @inlinable
  func passNow(_ run: ActiveRun<I>) {
    switch shared?.chain.intercept(run.action, context(of: run.lineage)) ?? .pass {
    case .pass: break
    case .replace(let action): run.action = action
    case .reject(let reason): return reject(run, reason)
    }
    leave(run)
  }

  @usableFromInline
  func reject(_ run: ActiveRun<I>, _ reason: String) {
    perform {
      self.countTaken()
      self.end(run, .rejected(.intercepted(reason)))
    }
  }

  @inlinable
  func context(of lineage: Lineage?) -> InterceptionContext<I.Action> {
    InterceptionContext(parent: lineage?.parent, root: lineage?.root, trace: lineage?.trace) {
      _ = self.sendIntercepted($0, lineage?.trace)
    }
  }

  // MARK: Submitting

  /// Submits an action that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(_ action: I.Action) async throws -> Receipt {
    guard let shared else { return try await submitAdmitted(action) }
    let lineage = Lineage.ofSender()
    // It stands in line before what the interceptors have sent meanwhile.
    let passed = shared.interceptions.withoutNesting { () -> Passed in
      switch shared.chain.intercept(action, context(of: lineage)) {
      case .pass: return .on(stand(submitter(of: action, lineage)))
      case .replace(let other): return .on(stand(submitter(of: other, lineage)))
      case .reject(let reason):
        guard mayLeaveAction() else { return .ended(refuseToLeave()) }
        let run = ticket(for: action, lineage)
        reject(run, reason)
        return .ended(Receipt(run))
      }
    }
    switch passed {
    case .on(let submitter): return try await acceptance(of: submitter)
    case .ended(let receipt): return receipt
    }
  }

  /// What became of an action that was to be submitted.
  private enum Passed {
    case on(Submitter<I>)
    case ended(Receipt)
  }

  // MARK: Telling

  /// *Owner's.*
  @inlinable
  func noteAccepted(_ run: ActiveRun<I>) {
    guard let chain = ledger?.chain else { return }
    chain.accepted(cause(of: run))
  }

  /// *Owner's.*
  @inlinable
  func noteStepEnded(of run: ActiveRun<I>) {
    guard let chain = ledger?.chain else { return }
    chain.stepEnded(of: run.id)
  }

  /// *Owner's.*
  @inlinable
  func noteEnd(of run: ActiveRun<I>, _ outcome: Outcome) {
    guard let chain = ledger?.chain else { return }
    let cause = cause(of: run)
    if !run.wasAccepted, outcome.isRefusal { chain.refused(cause) }
    chain.ended(cause, outcome)
  }

  /// *Owner's.*
  @inlinable
  func noteCommitted(_ mutation: I.Mutation) {
    guard let chain = ledger?.chain, let cause = board?.cause else { return }
    chain.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// What a commit of this run is brought about by; the same value as long as it is asked for one run.
  ///
  /// *Owner's.*
  @inlinable
  func cause(of run: ActiveRun<I>) -> Cause<I.Action> {
    if let cause = board?.cause, cause.id == run.id { return cause }
    if run.store == 0 { run.store = ownLedger.store }
    let cause = Cause(action: run.action, context: run.context)
    board?.cause = cause
    return cause
  }
}

extension Outcome {
  /// Whether it may be that of an action that was never accepted.
  @inlinable var isRefusal: Bool {
    guard case .rejected(let reason) = self else { return false }
    return switch reason {
    case .full, .shuttingDown, .intercepted: true
    case .exclusive, .throttled, .breakerOpen, .notHandled, .invalidPlan, .journal, .decided: false
    }
  }
}
