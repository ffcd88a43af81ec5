extension StoreCore {
  /// Ends one action as cancelled before this returns.
  func cancel(_ run: ActiveRun<I>) {
    performUrgently { self.end(run, .cancelled) }
  }

  /// Ends everything accepted so far as cancelled before this returns.
  @usableFromInline
  func cancelAll() {
    performUrgently { self.cutAll(.cancelled) }
  }

  /// Ends everything accepted so far with this outcome, what waits first, so that it is not taken up by what that frees.
  ///
  /// *With the lock.*
  func cutAll(_ outcome: Outcome, asksClosing: Bool = true) {
    if ledger != nil { raise(.endAll(outcome, asksClosing: asksClosing)) }
    cutLeftWork(outcome, of: nil)
  }

  /// Ends the actions that were queued for the holder: all of them, or those of a key; the others are taken up.
  ///
  /// *With the lock.*
  func cutLeftWork(_ outcome: Outcome, of key: PlanKey?) {
    guard isOpen else { return lock.performQueuedWork(for: self) }  // It is all rejected.
    let ledger = ownLedger
    ledger.cuts.append(Cut(outcome: outcome, key: key))
    isAdmitting = false
    lock.performQueuedWork(for: self)  // An urgent step in between may cut on top of this.
    ledger.cuts.removeLast()
    isAdmitting = ledger.cuts.isEmpty && ledger.scheduler.lifecycle == .open
    // That does nothing while there is a cut.
    ledger.scheduler.lookAgain()
    performActions(ledger)
  }

  /// Ends everything of a key as cancelled before this returns.
  func cancel(_ key: PlanKey) {
    performUrgently {
      self.cutLeftWork(.cancelled, of: key)
      self.raise(.endKey(key, .cancelled))
    }
  }

  /// Sets how many of a key may be in flight, whatever the plans say; nil leaves it to them.
  func setLimit(_ limit: Int?, for key: PlanKey) {
    guard key == key else { return }  // No plan has it.
    perform { self.raise(.limit(limit, key)) }
  }

  /// Whether the store is being shut down, or has been.
  ///
  /// *With the lock.*
  var isClosing: Bool { ledger?.closing != nil }

  /// Whether an action that was accepted may be taken up; if not, it has its outcome.
  ///
  /// *With the lock.*
  @usableFromInline
  func admits(_ run: ActiveRun<I>, _ terms: PlanTerms?) -> Bool {
    if run.hasEnded { return false }
    let ending = run.sender?.ending
    run.sender = nil
    if let refusal = refusal(of: run, terms, ending) { end(run, refusal) }
    return !run.hasEnded
  }

  /// How an action ends that is not taken up; nil if it is.
  ///
  /// - Parameter ending: why the run that sent it sends no more, if one did and does not.
  private func refusal(of run: ActiveRun<I>, _ terms: PlanTerms?, _ ending: String?) -> Outcome? {
    if !isAdmitting, let ledger {
      let isChild = run.lineage?.parent?.store == ledger.store
      // What was sent from outside before the drain began was taken up when it did.
      if ledger.closing?.isDrain == true, !isChild { return .rejected(.shuttingDown) }
      if let cut = ledger.cuts.first(where: { $0.key == nil || $0.key == terms?.key }) { return cut.outcome }
      switch ledger.scheduler.lifecycle {
      case .open: break
      case .draining: if !isChild { return .rejected(.shuttingDown) }
      case .closed: return .rejected(.shuttingDown)
      }
    }
    if let ending { return .rejected(.notSent(ending)) }
    return isBackpressured ? .rejected(.full) : nil
  }
}
