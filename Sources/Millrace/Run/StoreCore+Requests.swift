public import Synchronization

/// Requests: actions whose callers wait for an answer, which is read from the state in the step in which the action ends.
extension StoreCore {
  /// Sends an action, at once or as soon as there is room, and waits for its answer.
  @inlinable
  func request<Answer: Sendable>(
    _ action: I.Action, context: TraceContext?, in tree: RunTree?, _ demands: JournaledSend?, waitingForRoom: Bool,
    cancelsAction: Bool, returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    // A run that requests is the parent of the action, and may have to be refused. With a journal the caller may have to wait.
    if !waitingForRoom, context == nil, tree == nil, demands == nil, !isIntercepted.load(ordering: .relaxed),
      !isJournaled,
      Ticket.current.get() == nil, lock.tryLock()
    {
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
    let receipt =
      waitingForRoom
      ? try await submit(action, context: context, in: tree, demands, answer: reader)
      : send(action, context: context, in: tree, demands, answer: reader)
    try await waitForEnd(of: receipt, cancelsAction: cancelsAction)
    return finished(value.withLock { $0 })
  }

  /// Releases what reads an answer that its caller does not wait for any more.
  @usableFromInline
  func forgetAnswer(to run: ActiveRun<I>) {
    perform { _ in run.record.answer = nil }
  }

  /// Notes that a run waits for a requested action until `didWait`, and throws if the action can never end, which is cancelled then.
  @usableFromInline
  func willWait(for run: ActiveRun<I>, requestedBy sender: Ticket) async throws {
    RequestWaits.add(run, requestedBy: sender)
    // An action that was queued for another thread is known to the scheduler after that.
    let wait = Promise<RunWait<Ticket>>()
    perform { owned in
      let now = owned.event(awaitedBy: run)
      self.lock.afterUnlock { wait.fulfil(now) }
    }
    // Its handler may wait for this run already: it may have begun, and have requested, before the wait was noted.
    if case .other = await wait.value { return }
    guard let circle = RequestWaits.removeFromCircle(run, requestedBy: sender) else { return }
    cancel(run, waits: true)
    throw StoreError(.deadlock(circle))
  }

  /// The event that an action waits for now; `other` inside a step.
  func wait(of run: ActiveRun<I>) -> RunWait<Ticket> {
    performNow { owned in owned.event(awaitedBy: run) } ?? .other
  }

  /// Forgets that a run waits for a requested action.
  @usableFromInline
  func didWait(for run: ActiveRun<I>, requestedBy sender: Ticket) {
    RequestWaits.remove(run, requestedBy: sender)
  }

  /// Returns when the requested action has finished, and throws if it ends otherwise or the calling task is cancelled.
  @inlinable
  func waitForEnd(of receipt: Receipt, cancelsAction: Bool) async throws {
    let run = receipt.ticket.map { unsafeDowncast($0, to: ActiveRun<I>.self) }
    let sender = run == nil ? nil : Ticket.current.get()
    if let run, let sender { try await willWait(for: run, requestedBy: sender) }
    defer { if let run, let sender { didWait(for: run, requestedBy: sender) } }
    try await receipt.waitForFinish(cancelsAction: cancelsAction) { ticket in
      forgetAnswer(to: unsafeDowncast(ticket, to: ActiveRun<I>.self))
    }
  }

  /// The answer to a request whose action has finished.
  @inlinable
  func finished<Answer>(_ answer: Answer?) -> Answer {
    guard let answer else { preconditionFailure("An action finishes after its answer was read.") }
    return answer
  }
}

extension Receipt {
  /// Returns when the requested action has finished, and throws if it ends otherwise or the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - cancelsAction: whether cancelling the calling task cancels the action.
  ///   - didGiveUp: called if the calling task is cancelled before the outcome can be seen.
  @usableFromInline
  func waitForFinish(cancelsAction: Bool, didGiveUp: @Sendable (Ticket) -> Void = { _ in }) async throws {
    // An action without a run was refused because too many are queued, or was not sent.
    guard let ticket else { throw StoreError(.ended(await outcome)) }
    let ended = await withTaskCancellationHandler {
      await ticket.outcomeOfRequest
    } onCancel: {
      if cancelsAction { ticket.cancel(waits: true) }
      if ticket.endRequest() { didGiveUp(ticket) }
    }
    switch ended {
    case .finished: return
    case nil: throw CancellationError()
    case .cancelled where cancelsAction && Task.isCancelled: throw CancellationError()
    case .some(let outcome): throw StoreError(.ended(outcome))
    }
  }
}
