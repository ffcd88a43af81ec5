extension Runner {
  /// Sees to an action with a plan: its time, its pace, then those of its key.
  ///
  /// *Owner's.*
  @usableFromInline
  func schedule(_ run: ActiveRun<I>, _ course: Course<I>, _ terms: PlanTerms) {
    run.course = course
    if let problem = terms.problem { return reject(run, problem) }
    let ledger = ownLedger
    ledger.planned += 1
    course.order = ledger.planned
    course.acceptedAt = ledger.time.now()
    if let timeout = terms.timeout {
      course.timeout = after(timeout) { $0.end(course.run, .timedOut) }
    }
    // A store that drains lets nothing wait for its pace.
    guard let pace = terms.pace, let key = terms.key, !isClosing else { return meet(run) }
    switch pace {
    case .debounce(let interval): debounce(run, interval, record(of: key))
    case .throttle(let interval, let leading, let trailing):
      throttle(run, interval, leading: leading, trailing: trailing, record(of: key))
    }
  }

  private func reject(_ run: ActiveRun<I>, _ problem: PlanProblem) {
    if ownLedger.reportedProblems.insert(problem).inserted {
      report(
        Incident(
          .invalidPlan, of: I.Action.self, action: run.id,
          "\(String(reflecting: I.self)) rejected an action of type \(String(reflecting: I.Action.self)) because its plan "
            + "contradicts itself. \(problem.description)"))
    }
    end(run, .rejected(.invalidPlan(problem.description)))
  }

  // MARK: Pace

  private func debounce(_ run: ActiveRun<I>, _ interval: Duration, _ record: KeyRecord<I>) {
    guard hold(run, at: record) else { return }
    record.debounceEnd = after(interval) { runner in
      record.debounceEnd = nil
      runner.letPass(record)
    }
  }

  private func throttle(
    _ run: ActiveRun<I>, _ interval: Duration, leading: Bool, trailing: Bool, _ record: KeyRecord<I>
  ) {
    record.users += 1
    defer { release(user: record) }
    let now = ownLedger.time.now()
    if let end = record.throttle.windowEnd, end <= now { endWindow(record) }
    switch record.throttle.arrive(interval: interval, leading: leading, trailing: trailing, at: now) {
    case .drop:
      end(run, .rejected(.throttled))
    case .pass:
      awaitWindowEnd(record)
      meet(run)
    case .hold:
      awaitWindowEnd(record)
      _ = hold(run, at: record)
    }
  }

  private func awaitWindowEnd(_ record: KeyRecord<I>) {
    guard record.windowEnd == nil, let end = record.throttle.windowEnd else { return }
    record.windowEnd = at(end) { runner in
      record.windowEnd = nil
      runner.endWindow(record)
    }
  }

  private func endWindow(_ record: KeyRecord<I>) {
    cancel(&record.windowEnd)
    let passes = record.throttle.windowEnded(holdsOne: record.holdsThrottled, at: ownLedger.time.now())
    awaitWindowEnd(record)
    if passes { letPass(record) } else { forgetIfIdle(record) }
  }

  /// Holds an action in place of the one held before; false when there is no room for it.
  private func hold(_ run: ActiveRun<I>, at record: KeyRecord<I>) -> Bool {
    record.users += 1
    defer { release(user: record) }
    if let earlier = record.held { end(earlier, .superseded) }
    guard let course = run.course, makeRoom() else {
      end(run, .rejected(.full))
      return false
    }
    course.holder = record
    record.held = run
    enterRoom(course, .pace)
    return true
  }

  /// Lets the action go on that is held.
  ///
  /// *Owner's.*
  func letPass(_ record: KeyRecord<I>) {
    record.users += 1
    defer { release(user: record) }
    guard let run = record.held, let course = run.course else { return }
    leaveQueue(course)
    meet(run)
  }

  /// Holds nothing any more.
  ///
  /// *Owner's.*
  func releaseHeld(_ record: KeyRecord<I>) {
    record.held?.course?.holder = nil
    record.held = nil
    cancel(&record.debounceEnd)
    forgetIfIdle(record)
  }
}
