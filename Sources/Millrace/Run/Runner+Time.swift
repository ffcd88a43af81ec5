extension Runner {
  /// Has `action` done with the turn when so much time is over, unless the deadline is cancelled.
  ///
  /// *Owner's.*
  func after(_ duration: Duration, _ action: @escaping (Runner<I>) -> Void) -> Deadline {
    at(ownLedger.time.now() + duration.nanoseconds, action)
  }

  /// Has `action` done with the turn at a moment, unless the deadline is cancelled.
  ///
  /// *Owner's.*
  func at(_ moment: Moment, _ action: @escaping (Runner<I>) -> Void) -> Deadline {
    let deadline = Deadline(at: moment) { [unowned self] in action(self) }
    ownLedger.timetable.add(deadline)
    setAlarm()
    return deadline
  }

  /// Takes a deadline back, if it is not over.
  ///
  /// *Owner's.*
  func cancel(_ deadline: inout Deadline?) {
    guard let cancelled = deadline else { return }
    ledger?.timetable.remove(cancelled)
    deadline = nil
  }

  /// Sees to it that a task sleeps until the next deadline, or until an earlier one that is no more.
  private func setAlarm() {
    let ledger = ownLedger
    guard let next = ledger.timetable.earliest else { return }
    if let alarm = ledger.alarm {
      if alarm.moment <= next { return }
      alarm.task.cancel()
    }
    let time = ledger.time
    ledger.alarm = Alarm(
      moment: next,
      task: Task.detached { [weak self] in
        do { try await time.sleep(until: next) } catch { return }
        self?.ring(next)
      })
  }

  /// Does what is due, and urgent steps in between.
  private func ring(_ moment: Moment) {
    perform {
      guard let ledger = self.ledger else { return }
      if ledger.alarm?.moment == moment { ledger.alarm = nil }
      while let due = ledger.timetable.popDue(at: ledger.time.now()) {
        due.action()
        self.finishStep()
      }
      self.setAlarm()
    }
  }

  /// Nothing is due any more.
  ///
  /// *Owner's.*
  func stopTheClock() {
    guard let ledger else { return }
    ledger.timetable.removeAll()
    ledger.alarm?.task.cancel()
    ledger.alarm = nil
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
