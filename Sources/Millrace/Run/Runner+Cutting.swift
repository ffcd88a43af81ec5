extension Runner {
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
  /// *Owner's.*
  func cutAll(_ outcome: Outcome, asksClosing: Bool = true) {
    if let ledger {
      while let course = ledger.room.first { end(course.run, outcome, asksClosing: asksClosing) }
      while let run = ledger.runs.first { end(run, outcome, asksClosing: asksClosing) }
    }
    cutLeftWork(outcome, of: nil)
  }

  /// Ends the actions that were left for the owner: all of them, or those of a key; the others are taken up.
  ///
  /// *Owner's.*
  func cutLeftWork(_ outcome: Outcome, of key: PlanKey?) {
    let ledger = ownLedger
    let (gate, wasAdmitting) = (ledger.gate, isAdmitting)
    ledger.gate = .cutting(outcome, key)
    isAdmitting = false
    performLeftWork()
    ledger.gate = gate
    isAdmitting = wasAdmitting
  }

  /// Whether an action that was accepted may be taken up; if not, it has its outcome.
  ///
  /// *Owner's.*
  @usableFromInline
  func admits(_ run: ActiveRun<I>, _ terms: PlanTerms?) -> Bool {
    guard !run.hasEnded else { return false }
    guard !isAdmitting, let ledger else { return true }
    switch ledger.gate {
    case .open: return true
    case .draining:
      // What was sent from outside before the drain began was taken up when it did.
      if run.lineage?.parent?.store == ledger.store { return true }
      end(run, .rejected(.shuttingDown))
    case .cutting(let outcome, let key):
      if let key, terms?.key != key { return true }
      end(run, outcome)
    case .shut:
      end(run, .rejected(.shuttingDown))
    }
    return false
  }
}
