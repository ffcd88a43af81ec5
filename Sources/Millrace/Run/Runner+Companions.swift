extension Runner {
  /// Begins a task that ends with the store; `start` makes it, and it says at its end that it has returned.
  ///
  /// `start` is told whether it is called from within the beginning of another one.
  @discardableResult
  func accompany<Failure: Error>(
    _ start: (_ isNested: Bool, _ hasReturned: @escaping @Sendable () -> Void) -> Task<Void, Failure>
  ) -> Task<Void, Failure> {
    let companions = companions
    let number = companions.next()
    let task = companions.begin { isNested in
      start(isNested) { companions.hasReturned(number) }
    }
    companions.hasBegun(number) { task.cancel() }
    return task
  }

  /// Cancels the tasks that end with the store.
  ///
  /// *Owner's.*
  func endCompanions() {
    guard let companions = ledger?.companions else { return }
    afterLeaving { companions.end() }
  }

  private var companions: Companions {
    performNow { self.ownCompanions } ?? ownCompanions
  }

  /// *Owner's.*
  private var ownCompanions: Companions {
    let ledger = ownLedger
    if let companions = ledger.companions { return companions }
    let made = Companions()
    if isClosing { made.end() }
    ledger.companions = made
    return made
  }
}
