public import Synchronization

/// Actions of a store that has interceptors.
extension StoreCore {
  /// Sets the chain of interceptors, from the next action and the next commit on.
  func setInterceptors(_ interceptors: [InterceptorChain<I>.Element]) {
    let chain = interceptors.isEmpty ? nil : InterceptorChain<I>(interceptors)
    performUrgently {
      let ledger = self.ownLedger
      _ = ledger.interceptions  // Senders find it made.
      ledger.chain = chain
      ledger.sharedChain.withLock { $0 = chain }
      self.ownRegistry.tellsCommits = chain != nil || self.configuration.witness != nil
      self.isIntercepted.store(chain != nil, ordering: .releasing)
      self.updateFastPath()
      self.dropRegistryIfUnused()
    }
  }

  /// The chain, and the list of interceptions in progress; from any thread.
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
    sendIntercepted(action, lineageOfSender(trace: trace), from: nil)
  }

  /// Sends an action of this lineage through the interceptors, in the name of the run that sends it if one does.
  @inlinable
  @inline(never)
  func sendIntercepted(_ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>?) -> Receipt {
    guard mayLeaveAction() else { return refuseIntercepted(action, lineage) }
    let run = ticket(for: action, lineage)
    run.sender = sender
    if shared?.interceptions.postpone(run) != true { pass(run) }
    return Receipt(run)
  }

  /// Lets an action pass the chain, and behind it, in order, the actions that interceptors send meanwhile.
  @inlinable
  func pass(_ run: ActiveRun<I>) {
    var sent = passAlone(run)
    while !sent.isEmpty {
      let round = sent
      sent = []
      for run in round { sent += passAlone(run) }
    }
  }

  /// Lets an action pass the chain and be accepted, and returns the actions that interceptors have sent meanwhile.
  ///
  /// It is accepted, and its handler begun, after the interception, so that nothing the handler sends is postponed.
  @inlinable
  func passAlone(_ run: ActiveRun<I>) -> [ActiveRun<I>] {
    guard let shared else {
      takeUpOrQueue(run)
      return []
    }
    let (interception, sent) = shared.interceptions.intercept {
      shared.chain.intercept(run.action, context(of: run.lineage))
    }
    switch interception {
    case .pass: takeUpOrQueue(run)
    case .replace(let action):
      run.action = action
      takeUpOrQueue(run)
    case .reject(let reason): reject(run, reason)
    }
    return sent.map { unsafeDowncast($0, to: ActiveRun<I>.self) }
  }

  /// Rejects an action because too many are queued, and notifies the interceptors on the sender's thread.
  @usableFromInline
  func refuseIntercepted(_ action: I.Action, _ lineage: Lineage?) -> Receipt {
    let receipt = refuseToLeave()
    guard let shared, let ledger else { return receipt }
    let run = ActiveRun(id: receipt.id, action: action, core: self, lineage: lineage)
    run.store = ledger.store
    let cause = Cause(action: action, context: run.context)
    shared.chain.refused(cause)
    shared.chain.ended(cause, .rejected(.full))
    return receipt
  }

  @usableFromInline
  func reject(_ run: ActiveRun<I>, _ reason: String) {
    perform {
      self.countTaken()
      run.sender = nil
      self.end(run, .rejected(.intercepted(reason)))
    }
  }

  @inlinable
  func context(of lineage: Lineage?) -> InterceptionContext<I.Action> {
    // Weak, because an interceptor may keep its context, and this keeps the interceptor.
    InterceptionContext(parent: lineage?.parent, root: lineage?.root, trace: lineage?.trace) { [weak self] in
      _ = self?.sendIntercepted($0, lineage?.trace)
    }
  }

  // MARK: Submitting

  /// Submits an action that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(_ action: I.Action) async throws -> Receipt {
    try await submitIntercepted(action, Lineage.ofSender(), from: nil)
  }

  /// Submits an action of this lineage that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(
    _ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>?
  ) async throws -> Receipt {
    guard let shared else { return try await acceptance(of: stand(submitter(of: action, lineage, from: sender))) }
    let (interception, sent) = shared.interceptions.intercept {
      shared.chain.intercept(action, context(of: lineage))
    }
    // It takes its place before the actions that the interceptors have sent meanwhile.
    let submitted: Submitted
    switch interception {
    case .pass: submitted = .waiting(stand(submitter(of: action, lineage, from: sender)))
    case .replace(let other): submitted = .waiting(stand(submitter(of: other, lineage, from: sender)))
    case .reject(let reason): submitted = .ended(rejectSubmitted(action, lineage, reason))
    }
    for run in sent { pass(unsafeDowncast(run, to: ActiveRun<I>.self)) }
    switch submitted {
    case .waiting(let submitter): return try await acceptance(of: submitter)
    case .ended(let receipt): return receipt
    }
  }

  private func rejectSubmitted(_ action: I.Action, _ lineage: Lineage?, _ reason: String) -> Receipt {
    guard mayLeaveAction() else { return refuseIntercepted(action, lineage) }
    let run = ticket(for: action, lineage)
    reject(run, reason)
    return Receipt(run)
  }

  /// A submitted action after its interception.
  private enum Submitted {
    case waiting(Submitter<I>)
    case ended(Receipt)
  }

  // MARK: Telling

  /// *With the lock.*
  @inlinable
  func noteAccepted(_ run: ActiveRun<I>) {
    guard let chain = ledger?.chain else { return }
    chain.accepted(cause(of: run))
  }

  /// *With the lock.*
  @inlinable
  func noteStepEnded(of run: ActiveRun<I>) {
    guard let chain = ledger?.chain else { return }
    chain.stepEnded(of: run.id)
  }

  /// Returns the rest before the next attempt of a run: the drawn rest, unless an interceptor replaces it.
  ///
  /// *With the lock.*
  func noteRest(_ drawn: Duration, after attempt: Int, of run: ActiveRun<I>) -> Duration {
    guard let chain = ledger?.chain else { return drawn }
    return chain.rest(drawn, after: attempt, of: cause(of: run))
  }

  /// *With the lock.*
  @inlinable
  func noteEnd(of run: ActiveRun<I>, _ outcome: Outcome) {
    guard let chain = ledger?.chain else { return }
    let cause = cause(of: run)
    if !run.wasAccepted, outcome.isRefusal { chain.refused(cause) }
    chain.ended(cause, outcome)
  }

  /// *With the lock.*
  @inlinable
  func noteCommitted(_ mutation: I.Mutation) {
    guard let chain = ledger?.chain, let cause = registry?.cause else { return }
    chain.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// What a commit of this run is brought about by; the same value as long as it is asked for one run.
  ///
  /// *With the lock.*
  @inlinable
  func cause(of run: ActiveRun<I>) -> Cause<I.Action> {
    if let cause = registry?.cause, cause.id == run.id { return cause }
    if run.store == 0 { run.store = ownLedger.store }
    let cause = Cause(action: run.action, context: run.context)
    registry?.cause = cause
    return cause
  }
}

extension Outcome {
  /// Whether it may be that of an action that was never accepted.
  @inlinable var isRefusal: Bool {
    guard case .rejected(let reason) = self else { return false }
    return switch reason {
    case .full, .shuttingDown, .intercepted, .notSent: true
    case .exclusive, .throttled, .breakerOpen, .notHandled, .invalidPlan, .journal, .decided: false
    }
  }
}
