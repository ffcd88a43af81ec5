public import Synchronization

/// Requests: actions whose callers wait for an answer, which is read from the state in the step in which the action ends.
extension StoreCore {
  /// Sends an action, and waits for its answer.
  @inlinable
  func request<Answer: Sendable>(
    _ action: I.Action, cancelsAction: Bool, returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    // A run that requests is the parent of the action, and may have to be refused.
    if !isIntercepted.load(ordering: .relaxed), Ticket.current.get() == nil, lock.tryLock() {
      let receipt = owned.takeUp(action, at: self)
      if receipt.hasFinishedAtOnce {
        let value = answer(owned.state)
        unlock()
        return value
      }
      guard let ticket = receipt.ticket else {
        unlock()
        throw StoreError(.ended(await receipt.outcome))
      }
      // A refused action, for example: no answer has to be waited for.
      if ticket.hasEnded, let outcome = ticket.outcomeNow, !outcome.isFinished {
        unlock()
        throw StoreError(.ended(outcome))
      }
      let pending = PendingAnswer<Answer>()
      owned.expectAnswer(of: receipt, answerReader(for: pending, answer), at: self)
      unlock()
      return try await waitForAnswer(pending, to: receipt, cancelsAction: cancelsAction)
    }
    let pending = PendingAnswer<Answer>()
    let (lineage, reader) = (lineageOfSender(), answerReader(for: pending, answer))
    let receipt =
      isIntercepted.load(ordering: .relaxed)
      ? sendIntercepted(action, lineage, from: nil, answer: reader)
      : accept(action, lineage, from: nil, answer: reader)
    return try await waitForAnswer(pending, to: receipt, cancelsAction: cancelsAction)
  }

  /// Submits an action, and waits for its answer.
  @inlinable
  func submit<Answer: Sendable>(
    _ action: I.Action, cancelsAction: Bool, returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    let pending = PendingAnswer<Answer>()
    let (lineage, reader) = (Lineage.ofSender(), answerReader(for: pending, answer))
    let receipt =
      isIntercepted.load(ordering: .relaxed)
      ? try await submitIntercepted(action, lineage, from: nil, answer: reader)
      : try await acceptance(of: queue(submitter(of: action, lineage, answer: reader)))
    return try await waitForAnswer(pending, to: receipt, cancelsAction: cancelsAction)
  }

  /// Releases what reads an answer that its caller does not wait for any more.
  @usableFromInline
  func forgetAnswer(to run: ActiveRun<I>) {
    perform { _ in run.record.answer = nil }
  }

  /// Waits for the answer to an action that was accepted or refused.
  @inlinable
  func waitForAnswer<Answer: Sendable>(
    _ promise: PendingAnswer<Answer>, to receipt: Receipt, cancelsAction: Bool
  ) async throws -> Answer {
    if let answer = promise.valueNow { return try answer.get() }
    // An action without a run was refused because too many are queued.
    guard let ticket = receipt.ticket else { throw StoreError(.ended(await receipt.outcome)) }
    let run = unsafeDowncast(ticket, to: ActiveRun<I>.self)
    do {
      return try await withTaskCancellationHandler {
        try await promise.value.get()
      } onCancel: {
        if cancelsAction { cancel(run, waits: true) }
        if promise.fulfil(.failure(CancellationError())) { forgetAnswer(to: run) }
      }
    } catch let error as StoreError where cancelsAction && Task.isCancelled && error.outcome?.kind == .cancelled {
      throw CancellationError()
    }
  }
}
