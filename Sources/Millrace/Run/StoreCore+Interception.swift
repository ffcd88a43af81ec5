public import Synchronization

/// Sending and submitting through interceptors, on the caller's thread.
extension StoreCore {
  /// Sets the chain of interceptors, from the next action and the next commit on.
  func setInterceptors(_ interceptors: [InterceptorChain<I>.Element]) {
    let all = interceptors + ownInterceptors
    let chain = all.isEmpty ? nil : InterceptorChain<I>(all)
    performUrgently { $0.setInterceptors(chain, at: self) }
  }

  /// The interceptor of the witness, if that has one.
  var ownInterceptors: [InterceptorChain<I>.Element] {
    guard let witness = configuration.witness as? any InterceptingWitness, let state = readAtOnce()?.state else {
      return []
    }
    return witness.interceptor(from: state, of: I.self).map { [$0] } ?? []
  }

  /// The chain, and the list of interceptions in progress.
  @inlinable
  var shared: (chain: InterceptorChain<I>, interceptions: Interceptions)? {
    guard isIntercepted.load(ordering: .acquiring), let services, let chain = services.chain.withLock({ $0 }) else {
      return nil
    }
    return (chain, services.interceptions)
  }

  // MARK: Sending

  /// Sends an action through the interceptors; out of line, for the path of a store without any.
  @inlinable
  @inline(never)
  func sendIntercepted(_ action: I.Action) -> Receipt {
    sendIntercepted(Submission(action, lineageOfSender()))
  }

  /// Sends an action with the terms of its sender through the interceptors.
  @inlinable
  @inline(never)
  func sendIntercepted(_ submission: Submission<I>) -> Receipt {
    guard mayQueueAction() else { return refuseIntercepted(submission) }
    let run = queuedRun(of: submission)
    if shared?.interceptions.postpone(run) != true { pass(run) }
    return Receipt(run)
  }

  /// Sends an action through the chain and, behind it in order, the actions that interceptors send meanwhile.
  @inlinable
  func pass(_ run: ActiveRun<I>) {
    var sent = passAlone(run)
    while !sent.isEmpty {
      let round = sent
      sent = []
      for run in round { sent += passAlone(run) }
    }
  }

  /// Sends an action through the chain, accepts it, and returns the actions that interceptors have sent meanwhile.
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
  func refuseIntercepted(_ submission: Submission<I>) -> Receipt {
    let receipt = refuseToQueue()
    guard let shared, let services else { return receipt }
    let run = ActiveRun(
      id: receipt.id, action: submission.action, core: self, lineage: submission.lineage?.withoutTree)
    run.setStore(services.store)
    let cause = Cause(action: submission.action, context: run.context)
    shared.chain.refused(cause)
    shared.chain.ended(cause, .rejected(.full(at: .queue)))
    return receipt
  }

  @usableFromInline
  func reject(_ run: ActiveRun<I>, _ reason: String) {
    perform { owned in
      self.didTakeQueued()
      run.record.sender = nil
      owned.end(run, .rejected(.intercepted(reason)), at: self)
    }
  }

  @inlinable
  func context(of lineage: Lineage?) -> InterceptionContext<I.Action> {
    // Weak, because an interceptor may keep its context, and this keeps the interceptor.
    InterceptionContext(parent: lineage?.parent, root: lineage?.root, trace: lineage?.trace) { [weak self] in
      guard let self else { return }
      _ = sendIntercepted(Submission($0, lineageOfSender(trace: lineage?.trace)))
    }
  }

  // MARK: Submitting

  /// Submits an action that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(_ submission: Submission<I>) async throws -> Receipt {
    var submission = submission
    guard let shared else { return try await acceptance(of: queue(submitter(of: submission))) }
    let (interception, sent) = shared.interceptions.intercept {
      shared.chain.intercept(submission.action, context(of: submission.lineage))
    }
    // It takes its place before the actions that the interceptors have sent meanwhile.
    let submitted: Submitted
    switch interception {
    case .pass: submitted = .waiting(queue(submitter(of: submission)))
    case .replace(let other):
      submission.action = other
      submitted = .waiting(queue(submitter(of: submission)))
    case .reject(let reason): submitted = .ended(rejectSubmitted(submission, reason))
    }
    for run in sent { pass(unsafeDowncast(run, to: ActiveRun<I>.self)) }
    switch submitted {
    case .waiting(let submitter): return try await acceptance(of: submitter)
    case .ended(let receipt): return receipt
    }
  }

  private func rejectSubmitted(_ submission: Submission<I>, _ reason: String) -> Receipt {
    guard mayQueueAction() else { return refuseIntercepted(submission) }
    let run = queuedRun(of: submission)
    reject(run, reason)
    return Receipt(run)
  }

  /// A submitted action after its interception.
  private enum Submitted {
    case waiting(Submitter<I>)
    case ended(Receipt)
  }
}
