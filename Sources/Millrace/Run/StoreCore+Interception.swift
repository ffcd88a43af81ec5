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

  /// Sends an action through the interceptors.
  @inlinable
  @inline(never)
  func sendIntercepted(_ action: I.Action, _ trace: TraceContext?) -> Receipt {
    sendIntercepted(action, lineageOfSender(trace: trace), from: nil)
  }

  /// Sends an action of this lineage through the interceptors, in the name of the run that sends it if one does.
  @inlinable
  @inline(never)
  func sendIntercepted(
    _ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>?, answer: AnswerReader<I.State>? = nil,
    _ demands: JournaledSend? = nil
  ) -> Receipt {
    guard mayQueueAction() else { return refuseIntercepted(action, lineage) }
    let run = queuedRun(of: action, lineage)
    run.record.sender = sender
    run.record.answer = answer
    run.record.journaled = demands
    if shared?.interceptions.postpone(run) != true { pass(run) }
    return Receipt(run)
  }

  /// Lets an action pass the chain and, behind it in order, the actions that interceptors send meanwhile.
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
    let receipt = refuseToQueue()
    guard let shared, let services else { return receipt }
    let run = ActiveRun(id: receipt.id, action: action, core: self, lineage: lineage?.withoutTree)
    run.setStore(services.store)
    let cause = Cause(action: action, context: run.context)
    shared.chain.refused(cause)
    shared.chain.ended(cause, .rejected(.full))
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
      _ = self?.sendIntercepted($0, lineage?.trace)
    }
  }

  // MARK: Submitting

  /// Submits an action of this lineage that has passed the interceptors, or ends it.
  @usableFromInline
  func submitIntercepted(
    _ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>?, answer: AnswerReader<I.State>? = nil,
    _ demands: JournaledSend? = nil
  ) async throws -> Receipt {
    func waiting(_ action: I.Action) -> Submitter<I> {
      queue(submitter(of: action, lineage, from: sender, answer: answer, demands))
    }
    guard let shared else { return try await acceptance(of: waiting(action)) }
    let (interception, sent) = shared.interceptions.intercept {
      shared.chain.intercept(action, context(of: lineage))
    }
    // It takes its place before the actions that the interceptors have sent meanwhile.
    let submitted: Submitted
    switch interception {
    case .pass: submitted = .waiting(waiting(action))
    case .replace(let other): submitted = .waiting(waiting(other))
    case .reject(let reason): submitted = .ended(rejectSubmitted(action, lineage, reason, answer))
    }
    for run in sent { pass(unsafeDowncast(run, to: ActiveRun<I>.self)) }
    switch submitted {
    case .waiting(let submitter): return try await acceptance(of: submitter)
    case .ended(let receipt): return receipt
    }
  }

  private func rejectSubmitted(
    _ action: I.Action, _ lineage: Lineage?, _ reason: String, _ answer: AnswerReader<I.State>?
  ) -> Receipt {
    guard mayQueueAction() else { return refuseIntercepted(action, lineage) }
    let run = queuedRun(of: action, lineage)
    run.record.answer = answer
    reject(run, reason)
    return Receipt(run)
  }

  /// A submitted action after its interception.
  private enum Submitted {
    case waiting(Submitter<I>)
    case ended(Receipt)
  }
}
