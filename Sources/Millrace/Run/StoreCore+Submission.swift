public import Synchronization

extension StoreCore {
  /// Accepts an action as soon as the limits allow it.
  @inlinable
  func submit(_ action: I.Action) async throws -> Receipt {
    isIntercepted.load(ordering: .relaxed) ? try await submitIntercepted(action) : try await submitAdmitted(action)
  }

  @inlinable
  func submitAdmitted(_ action: I.Action) async throws -> Receipt {
    try await acceptance(of: stand(submitter(of: action, Lineage.ofSender())))
  }

  @inlinable
  func submitter(of action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>? = nil) -> Submitter<I> {
    Submitter(sender: sender?.run ?? Ticket.current.get()) { id, core in
      let run = ActiveRun(id: id, action: action, core: core, lineage: lineage)
      run.sender = sender
      return run
    }
  }

  /// Takes the action up as soon as there is room, unless the submit is cancelled.
  @usableFromInline
  func stand(_ submitter: Submitter<I>) -> Submitter<I> {
    if Task.isCancelled { submitter.promise.fulfil(.failure(CancellationError())) }
    perform { self.place(submitter) }
    return submitter
  }

  @usableFromInline
  func acceptance(of submitter: Submitter<I>) async throws -> Receipt {
    try await withTaskCancellationHandler {
      try await submitter.promise.value.get()
    } onCancel: {
      if submitter.promise.fulfil(.failure(CancellationError())) {
        perform { self.leaveLine(submitter) }
      }
    }
  }

  /// Takes the action up, or lets it stand in line.
  private func place(_ submitter: Submitter<I>) {
    // A run that waited here would wait for itself.
    if let sender = submitter.sender, sender.store == ledger?.store { return accept(submitter) }
    guard !isClosing else { return refuse(submitter) }
    if hasPlaceForSubmit, ledger?.submitters.isEmpty != false { return accept(submitter) }
    if submitter.promise.isFulfilled { return }
    let ledger = ownLedger
    submitter.isInLine = true
    ledger.submitters.append(submitter)
    ledger.scheduler.submitting += 1
  }

  /// Whether an action may be taken up that has to wait then.
  private var hasPlaceForSubmit: Bool {
    if isBackpressured { return false }
    guard let ledger else { return true }
    return ledger.scheduler.hasRoomForSubmit
  }

  /// Takes the action up, unless its submit was cancelled.
  private func accept(_ submitter: Submitter<I>) {
    let run = submitter.makeRun(nextID(), self)
    if submitter.promise.fulfil(.success(Receipt(run))) {
      takeUp(run)
    } else {
      takenAtOnce -= 1
    }
  }

  private func refuse(_ submitter: Submitter<I>) {
    lock.afterUnlock { submitter.promise.fulfil(.failure(SubmitError(.shuttingDown))) }
  }

  private func leaveLine(_ submitter: Submitter<I>) {
    guard submitter.isInLine, let ledger else { return }
    submitter.isInLine = false
    ledger.submitters.remove(submitter)
    ledger.scheduler.submitting -= 1
  }

  /// Takes up the action of the first who stands in line, if there is room, and has the next one looked at.
  ///
  /// *With the lock.*
  func admitSubmitter() {
    guard !isClosing, isAdmitting, hasPlaceForSubmit, let ledger, let submitter = ledger.submitters.first else {
      return
    }
    leaveLine(submitter)
    accept(submitter)
    ledger.scheduler.admitLater()
  }

  /// Ends the waits of all who stand in line.
  ///
  /// *With the lock.*
  func refuseSubmitters() {
    while let submitter = ledger?.submitters.first {
      leaveLine(submitter)
      refuse(submitter)
    }
  }
}
