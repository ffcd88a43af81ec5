extension Runner {
  /// Lets an action meet the others of its key, and so be taken up, wait, join, or end.
  ///
  /// *Owner's.*
  func meet(_ run: ActiveRun<I>) {
    guard let terms = run.course?.terms, let overlap = terms.overlap, let key = terms.key else { return takeTurn(run) }
    let record = record(of: key)
    record.users += 1
    defer { release(user: record) }
    switch record.lane.arrive(overlap, live: record.earlier, canJoin: record.flight != nil) {
    case .takeUp where overlap == .shared: takeOff(run, record)
    case .takeUp: enter(run, record)
    case .reject: end(run, .rejected(.exclusive))
    case .join: join(run, record)
    case .replace:
      // Asked first, for one that does not pass replaces nothing.
      guard passesBreaker(run) else { return end(run, .rejected(.breakerOpen)) }
      if ownLedger.swappedOrders.contains(.closings) { return enterBeforeClosings(run, record) }
      endAll(record, .superseded)
      enter(run, record)
    case .wait where record.waiting.isEmpty && record.lane.hasPlace: enter(run, record)
    case .wait: wait(run, record)
    }
  }

  private func enter(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    beLive(run, record)
    takeTurn(run)
  }

  /// Takes up an action, and only then ends those that it replaces: an order that tests have to notice.
  private func enterBeforeClosings(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    let replaced = record.live.elements.map { $0.run }
    enter(run, record)
    for run in replaced { end(run, .superseded) }
  }

  private func wait(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    guard let course = run.course, makeRoom() else { return end(run, .rejected(.full)) }
    beLive(run, record)
    record.waiting.append(run)
    enterRoom(course, .turn)
    pumpLater(record)
  }

  /// Counts an action among those of its key that have not ended.
  ///
  /// *Owner's.*
  func beLive(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    guard let course = run.course else { return }
    course.record = record
    record.live.insert(course)
  }

  /// Takes up an action whose turn has come, unless the breaker is open.
  ///
  /// *Owner's.*
  func takeTurn(_ run: ActiveRun<I>) {
    guard let course = run.course else { return }
    guard passesBreaker(run) else { return end(run, .rejected(.breakerOpen)) }
    course.record?.lane.take()
    course.takeUp(self, run)
  }

  /// The place of a run is free.
  ///
  /// *Owner's.*
  @usableFromInline
  func leaveLane(_ run: ActiveRun<I>) {
    guard let record = run.course?.record else { return }
    record.lane.leave()
    if record.waiting.isEmpty { forgetIfIdle(record) } else { pumpLater(record) }
  }

  /// Takes up those that wait for a place, as far as there are places, once the step is done.
  ///
  /// *Owner's.*
  func pumpLater(_ record: KeyRecord<I>) {
    guard !record.isPumpDue, record.lane.hasPlace, !record.waiting.isEmpty else { return }
    record.isPumpDue = true
    afterStep { $0.pump(record) }
  }

  /// Takes up the actions of a key that wait for a place, and does urgent steps in between.
  private func pump(_ record: KeyRecord<I>) {
    record.users += 1
    defer { release(user: record) }
    while record.lane.hasPlace, let run = nextInTurn(record), let course = run.course {
      leaveQueue(course)
      takeTurn(run)
      finishStep()
    }
    record.isPumpDue = false
  }

  /// The next one of those that wait for a place: the first.
  private func nextInTurn(_ record: KeyRecord<I>) -> ActiveRun<I>? {
    ownLedger.swappedOrders.contains(.turns) ? record.waiting.last : record.waiting.first
  }

  /// Ends all of a key that have not ended, in accepted order, those that wait first.
  ///
  /// *Owner's.*
  func endAll(_ record: KeyRecord<I>, _ outcome: Outcome) {
    if let held = record.held { end(held, outcome) }
    while let run = record.waiting.first { end(run, outcome) }
    // Closures, not key paths: those of a generic type are made anew each time.
    let live = record.live.elements.map { $0.run }
    if live.count == 1 { return end(live[0], outcome) }
    for run in live.sorted(by: { order($0) < order($1) }) { end(run, outcome) }
  }

  private func order(_ run: ActiveRun<I>) -> Int {
    run.course?.order ?? 0
  }

  /// Sets how many of a key may be in flight, whatever the plans say; nil leaves it to them.
  func setLimit(_ limit: Int?, for key: PlanKey) {
    guard key == key else { return }  // No plan has it.
    perform {
      let record = self.record(of: key)
      record.lane.limit = limit.map { max($0, 0) }
      self.pumpLater(record)
      self.forgetIfIdle(record)
    }
  }

  /// Ends everything of a key as cancelled before this returns.
  func cancel(_ key: PlanKey) {
    performUrgently {
      self.cutLeftWork(.cancelled, of: key)
      guard let record = self.ledger?.keys[key] else { return }
      record.users += 1
      self.endAll(record, .cancelled)
      self.release(user: record)
    }
  }

  // MARK: What is remembered of a key

  /// What is remembered of a key, which has something to remember from now on.
  ///
  /// *Owner's.*
  func record(of key: PlanKey) -> KeyRecord<I> {
    let ledger = ownLedger
    if let record = ledger.keys[key] { return record }
    let made = KeyRecord<I>(key)
    ledger.keys[key] = made
    return made
  }

  /// One that was at work with the record is done.
  ///
  /// *Owner's.*
  func release(user record: KeyRecord<I>) {
    record.users -= 1
    forgetIfIdle(record)
  }

  /// Forgets a key that nothing needs, now or when its breaker and its budget are as new.
  ///
  /// *Owner's.*
  func forgetIfIdle(_ record: KeyRecord<I>) {
    guard record.isIdle, !record.isForgotten, let ledger else { return }
    guard let instant = record.forgottenAt(), instant > ledger.time.now() else {
      cancel(&record.forgetting)
      record.isForgotten = true
      ledger.keys[record.key] = nil
      return
    }
    if record.forgetting?.instant == instant { return }
    cancel(&record.forgetting)
    record.forgetting = at(instant) { runner in
      record.forgetting = nil
      runner.forgetIfIdle(record)
    }
  }
}
