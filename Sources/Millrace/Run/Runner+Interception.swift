import Synchronization

/// Actions of a store that has interceptors.
extension Runner {
  /// Sets the chain of interceptors, from the next action and the next commit on.
  func setInterceptors(_ interceptors: [InterceptorChain<I>.Element]) {
    let chain = interceptors.isEmpty ? nil : InterceptorChain<I>(interceptors)
    performUrgently {
      let ledger = self.ownLedger
      ledger.chain = chain
      ledger.sharedChain.withLock { $0 = chain }
      self.ownBoard.tellsCommits = chain != nil
      self.isIntercepted.store(chain != nil, ordering: .releasing)
      self.noteWay()
    }
  }

  /// The chain, from any thread.
  private var sharedChain: InterceptorChain<I>? {
    guard isIntercepted.load(ordering: .acquiring) else { return nil }
    return ledger?.sharedChain.withLock { $0 }
  }

  // MARK: Sending

  /// Sends an action through the interceptors.
  @usableFromInline
  func sendIntercepted(_ action: I.Action, _ trace: TraceContext?) -> Receipt {
    let lineage = lineageOfSender(trace: trace)
    guard mayLeaveAction() else { return refuseToLeave() }
    let run = ticket(for: action, lineage)
    pass(run)
    return Receipt(run)
  }

  /// Lets an action pass the chain and go on to be accepted; behind the one that this thread intercepts, if it does.
  private func pass(_ run: ActiveRun<I>) {
    guard let chain = sharedChain else { return leave(run) }
    if chain.putOff({ self.passNow(run, chain) }) { return }
    chain.withoutNesting { passNow(run, chain) }
  }

  private func passNow(_ run: ActiveRun<I>, _ chain: InterceptorChain<I>) {
    switch chain.intercept(run.action, context(of: run.lineage)) {
    case .pass: break
    case .replace(let action): run.action = action
    case .reject(let reason): return reject(run, reason)
    }
    leave(run)
  }

  private func reject(_ run: ActiveRun<I>, _ reason: String) {
    perform {
      self.countTaken()
      self.end(run, .rejected(.intercepted(reason)))
    }
  }

  private func context(of lineage: Lineage?) -> InterceptionContext<I.Action> {
    InterceptionContext(parent: lineage?.parent, root: lineage?.root, trace: lineage?.trace) {
      _ = self.sendIntercepted($0, lineage?.trace)
    }
  }

  // MARK: Submitting

  /// Submits an action that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(_ action: I.Action) async throws -> Receipt {
    guard let chain = sharedChain else { return try await submitAdmitted(action) }
    let lineage = Lineage.ofSender()
    switch chain.withoutNesting({ chain.intercept(action, context(of: lineage)) }) {
    case .pass: return try await submitAdmitted(action)
    case .replace(let other): return try await submitAdmitted(other)
    case .reject(let reason):
      guard mayLeaveAction() else { return refuseToLeave() }
      let run = ticket(for: action, lineage)
      reject(run, reason)
      return Receipt(run)
    }
  }

  // MARK: Telling

  /// *Owner's.*
  @usableFromInline
  func noteAccepted(_ run: ActiveRun<I>) {
    guard let chain = ledger?.chain else { return }
    chain.accepted(cause(of: run))
  }

  /// *Owner's.*
  func noteEnd(of run: ActiveRun<I>, _ outcome: Outcome) {
    guard let chain = ledger?.chain else { return }
    chain.ended(cause(of: run), outcome)
  }

  /// *Owner's.*
  func noteCommitted(_ mutation: I.Mutation) {
    guard let chain = ledger?.chain, let cause = board?.cause else { return }
    chain.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// What a commit of this run is brought about by; the same value as long as it is asked for one run.
  ///
  /// *Owner's.*
  func cause(of run: ActiveRun<I>) -> Cause<I.Action> {
    if let cause = board?.cause, cause.id == run.id { return cause }
    if run.store == 0 { run.store = ownLedger.store }
    let cause = Cause(action: run.action, context: run.context)
    board?.cause = cause
    return cause
  }
}
