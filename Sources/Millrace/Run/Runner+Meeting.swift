extension Runner {
  /// Lets an action meet the others of its key, and so be taken up, wait, join, or end.
  ///
  /// *Owner's.*
  func meet(_ course: Course<I>) {
    guard let overlap = course.terms?.overlap, let key = course.terms?.key else { return takeTurn(course) }
    let record = record(of: key)
    record.users += 1
    defer { release(user: record) }
    switch record.lane.arrive(overlap, live: record.live.elements.count, canJoin: record.flight != nil) {
    case .takeUp where overlap == .shared: takeOff(course, record)
    case .takeUp: enter(course, record)
    case .reject: end(course.run, .rejected(.exclusive))
    case .join: join(course, record)
    case .replace:
      endAll(record, .superseded)
      enter(course, record)
    case .wait where record.waiting.isEmpty && record.lane.hasPlace: enter(course, record)
    case .wait: wait(course, record)
    }
  }

  private func enter(_ course: Course<I>, _ record: KeyRecord<I>) {
    course.record = record
    record.live.insert(course)
    takeTurn(course)
  }

  private func wait(_ course: Course<I>, _ record: KeyRecord<I>) {
    guard makeRoom() else { return end(course.run, .rejected(.full)) }
    course.record = record
    record.live.insert(course)
    record.waiting.append(course.run)
    enterRoom(course, .turn)
    pumpLater(record)
  }

  /// Takes up an action whose turn has come, unless the breaker is open.
  ///
  /// *Owner's.*
  func takeTurn(_ course: Course<I>) {
    guard passesBreaker(course) else { return end(course.run, .rejected(.breakerOpen)) }
    course.record?.lane.take()
    course.takeUp(self, course.run)
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

  /// Takes them up, and gives way in between to those who want the turn at once.
  private func pump(_ record: KeyRecord<I>) {
    record.users += 1
    defer { release(user: record) }
    while record.lane.hasPlace, let course = record.waiting.first?.course {
      leaveQueue(course)
      takeTurn(course)
      if isWanted { return afterLeaving { self.perform { self.pump(record) } } }
    }
    record.isPumpDue = false
  }

  /// Ends all of a key that have not ended, in accepted order, those that wait first.
  ///
  /// *Owner's.*
  func endAll(_ record: KeyRecord<I>, _ outcome: Outcome) {
    if let held = record.held, case .cancelled = outcome { end(held, outcome) }
    while let run = record.waiting.first { end(run, outcome) }
    for course in record.live.elements.sorted(by: { $0.order < $1.order }) { end(course.run, outcome) }
  }

  /// Sets how many of a key may be in flight, whatever the plans say; nil leaves it to them.
  func setLimit(_ limit: Int?, for key: PlanKey) {
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
    guard record.isIdle, let ledger, ledger.keys[record.key] === record else { return }
    guard let moment = record.forgottenAt(), moment > ledger.time.now() else {
      cancel(&record.forgetting)
      ledger.keys[record.key] = nil
      return
    }
    if record.forgetting?.moment == moment { return }
    cancel(&record.forgetting)
    record.forgetting = at(moment) { runner in
      record.forgetting = nil
      runner.forgetIfIdle(record)
    }
  }
}
