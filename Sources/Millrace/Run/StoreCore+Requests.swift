public import Synchronization

/// Requests: actions whose callers wait for an answer, which is read from the state in the step in which the action ends.
extension StoreCore {
  /// Sends an action, and waits for its answer.
  @inlinable
  func request<Answer: Sendable>(
    _ action: I.Action, cancelsAction: Bool, returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    // A run that requests is the parent of the action, and may have to be refused. With a journal the caller may have to wait.
    if !isIntercepted.load(ordering: .relaxed), !isJournaled, Ticket.current.get() == nil, lock.tryLock() {
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
      if ticket.hasEnded, let outcome = ticket.decidedOutcome, !outcome.isFinished {
        unlock()
        throw StoreError(.ended(outcome))
      }
      let value = Lock<Answer?>(nil)
      owned.expectAnswer(of: receipt) { state in
        let read = answer(state)
        value.withLock { $0 = read }
      }
      unlock()
      try await waitForEnd(of: receipt, cancelsAction: cancelsAction)
      return finished(value.withLock { $0 })
    }
    let value = Lock<Answer?>(nil)
    let reader: AnswerReader<I.State> = { state in
      let read = answer(state)
      value.withLock { $0 = read }
    }
    let lineage = lineageOfSender()
    let receipt =
      isIntercepted.load(ordering: .relaxed)
      ? sendIntercepted(action, lineage, from: nil, answer: reader)
      : accept(action, lineage, from: nil, answer: reader)
    try await waitForEnd(of: receipt, cancelsAction: cancelsAction)
    return finished(value.withLock { $0 })
  }

  /// Submits an action, and waits for its answer.
  @inlinable
  func submit<Answer: Sendable>(
    _ action: I.Action, cancelsAction: Bool, returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    let value = Lock<Answer?>(nil)
    let reader: AnswerReader<I.State> = { state in
      let read = answer(state)
      value.withLock { $0 = read }
    }
    let lineage = Lineage.ofSender()
    let receipt =
      isIntercepted.load(ordering: .relaxed)
      ? try await submitIntercepted(action, lineage, from: nil, answer: reader)
      : try await acceptance(of: queue(submitter(of: action, lineage, answer: reader)))
    try await waitForEnd(of: receipt, cancelsAction: cancelsAction)
    return finished(value.withLock { $0 })
  }

  /// Releases what reads an answer that its caller does not wait for any more.
  @usableFromInline
  func forgetAnswer(to run: ActiveRun<I>) {
    perform { _ in run.record.answer = nil }
  }

  /// Returns when the requested action has finished, and throws if it ends otherwise or the calling task is cancelled.
  @inlinable
  func waitForEnd(of receipt: Receipt, cancelsAction: Bool) async throws {
    // An action without a run was refused because too many are queued.
    guard let ticket = receipt.ticket else { throw StoreError(.ended(await receipt.outcome)) }
    let run = unsafeDowncast(ticket, to: ActiveRun<I>.self)
    let outcome = await withTaskCancellationHandler {
      await run.outcomeOfRequest
    } onCancel: {
      if cancelsAction { cancel(run, waits: true) }
      if run.endRequest() { forgetAnswer(to: run) }
    }
    switch outcome {
    case .finished: return
    case nil: throw CancellationError()
    case .cancelled where cancelsAction && Task.isCancelled: throw CancellationError()
    case .some(let outcome): throw StoreError(.ended(outcome))
    }
  }

  /// The answer to a request whose action has finished.
  @inlinable
  func finished<Answer>(_ answer: Answer?) -> Answer {
    guard let answer else { preconditionFailure("An action finishes after its answer was read.") }
    return answer
  }
}
