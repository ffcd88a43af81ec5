extension Runner {
  /// Has `action` done with the turn when so much time is over, unless the timer is cancelled.
  ///
  /// *Owner's.*
  func after(_ duration: Duration, _ action: @escaping (Runner<I>) -> Void) -> Timer {
    at(ownLedger.time.now() + duration.nanoseconds, action)
  }

  /// Has `action` done with the turn at an instant, unless the timer is cancelled.
  ///
  /// *Owner's.*
  func at(_ instant: Instant, _ action: @escaping (Runner<I>) -> Void) -> Timer {
    let timer = Timer(at: instant) { [unowned self] in action(self) }
    ownLedger.timers.add(timer)
    setWakeUp()
    return timer
  }

  /// Takes a timer back, if it is not over.
  ///
  /// *Owner's.*
  func cancel(_ timer: inout Timer?) {
    guard let cancelled = timer else { return }
    ledger?.timers.remove(cancelled)
    timer = nil
  }

  /// Sees to it that a task sleeps until the next timer, or until an earlier one that is no more.
  private func setWakeUp() {
    let ledger = ownLedger
    guard let next = ledger.timers.earliest else { return }
    if let wakeUp = ledger.wakeUp {
      if wakeUp.instant <= next { return }
      wakeUp.task.cancel()
    }
    let time = ledger.time
    ledger.wakeUp = WakeUp(
      instant: next,
      task: Task.detached { [weak self] in
        do { try await time.sleep(until: next) } catch { return }
        self?.wake(next)
      })
  }

  /// Does what is due, and urgent steps in between.
  private func wake(_ instant: Instant) {
    perform {
      guard let ledger = self.ledger else { return }
      if ledger.wakeUp?.instant == instant { ledger.wakeUp = nil }
      while let due = ledger.timers.popDue(at: ledger.time.now()) {
        due.action()
        self.finishStep()
      }
      self.setWakeUp()
    }
  }

  /// Nothing is due any more.
  ///
  /// *Owner's.*
  func cancelTimers() {
    guard let ledger else { return }
    ledger.timers.removeAll()
    ledger.wakeUp?.task.cancel()
    ledger.wakeUp = nil
  }

  // MARK: Waiting for a state

  /// Waits for a state that satisfies the predicate.
  func wait(until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration?) async throws -> I.State {
    let watcher = Watcher(predicate: predicate)
    let deadline = timeout.map { timeout in
      let clock = configuration.clock
      return Task {
        try await clock.sleep(for: timeout)
        stop(watcher, because: WaitError(.timedOut))
      }
    }
    defer { deadline?.cancel() }
    return try await firstState(watcher)
  }
}
