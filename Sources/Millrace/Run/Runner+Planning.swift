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
    guard let pace = terms.pace, let key = terms.key, isAdmitting else { return meet(course) }
    switch pace {
    case .debounce(let interval): debounce(course, interval, record(of: key))
    case .throttle(let interval, let leading, let trailing):
      throttle(course, interval, leading: leading, trailing: trailing, record(of: key))
    }
  }

  private func reject(_ run: ActiveRun<I>, _ problem: PlanProblem) {
    if ownLedger.reportedProblems.insert(problem).inserted {
      report(
        Incident(
          .invalidPlan, of: I.Action.self,
          "\(String(reflecting: I.self)) rejected an action of type \(String(reflecting: I.Action.self)) because its plan "
            + "contradicts itself. \(problem.description)"))
    }
    end(run, .rejected(.invalidPlan(problem.description)))
  }

  // MARK: Pace

  private func debounce(_ course: Course<I>, _ interval: Duration, _ record: KeyRecord<I>) {
    guard hold(course, at: record) else { return }
    record.pace = after(interval) { runner in
      record.pace = nil
      runner.letPass(record)
    }
  }

  private func throttle(
    _ course: Course<I>, _ interval: Duration, leading: Bool, trailing: Bool, _ record: KeyRecord<I>
  ) {
    record.users += 1
    defer { release(user: record) }
    let now = ownLedger.time.now()
    if let end = record.throttle.windowEnd, end <= now { endWindow(record) }
    switch record.throttle.arrive(interval: interval, leading: leading, trailing: trailing, at: now) {
    case .drop:
      end(course.run, .rejected(.throttled))
      return
    case .pass:
      awaitWindowEnd(record)
      meet(course)
    case .hold:
      awaitWindowEnd(record)
      _ = hold(course, at: record)
    }
  }

  private func awaitWindowEnd(_ record: KeyRecord<I>) {
    guard record.pace == nil, let end = record.throttle.windowEnd else { return }
    record.pace = at(end) { runner in
      record.pace = nil
      runner.endWindow(record)
    }
  }

  private func endWindow(_ record: KeyRecord<I>) {
    cancel(&record.pace)
    let passes = record.throttle.windowEnded(holdsOne: record.held != nil, at: ownLedger.time.now())
    awaitWindowEnd(record)
    if passes { letPass(record) } else { forgetIfIdle(record) }
  }

  /// Holds an action in place of the one held before; false when there is no room for it.
  private func hold(_ course: Course<I>, at record: KeyRecord<I>) -> Bool {
    record.users += 1
    defer { release(user: record) }
    if let earlier = record.held { end(earlier, .superseded) }
    guard makeRoom() else {
      end(course.run, .rejected(.full))
      return false
    }
    course.holder = record
    record.held = course.run
    enterRoom(course, .pace)
    return true
  }

  /// Lets the action go on that is held.
  ///
  /// *Owner's.*
  func letPass(_ record: KeyRecord<I>) {
    record.users += 1
    defer { release(user: record) }
    guard let course = record.held?.course else { return }
    leaveQueue(course)
    meet(course)
  }

  /// Holds nothing any more.
  ///
  /// *Owner's.*
  func releaseHeld(_ record: KeyRecord<I>) {
    record.held?.course?.holder = nil
    record.held = nil
    if record.throttle.windowEnd == nil { cancel(&record.pace) }
    forgetIfIdle(record)
  }
}
