extension Runner {
  /// Begins the run that an action shares with those that will join it; no receipt refers to that run itself.
  ///
  /// *Owner's.*
  func takeOff(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    guard let first = run.course else { return }
    let flight = ActiveRun(id: run.id, action: run.action, runner: self, lineage: run.lineage)
    let course = Course(flight, terms: first.terms, takeUp: first.takeUp, beginAttempt: first.beginAttempt)
    course.isFlight = true
    course.order = first.order
    course.acceptedAt = first.acceptedAt
    flight.course = course
    flight.begin = run.begin
    beLive(flight, record)
    record.flight = flight
    first.flight = flight
    first.isFirstMember = true
    course.members.append(run)
    ownLedger.flights += 1
    ownLedger.firstMembers += 1
    takeTurn(flight)
  }

  /// Lets an action share the run that is in flight.
  func join(_ run: ActiveRun<I>, _ record: KeyRecord<I>) {
    guard let course = run.course, makeRoom() else { return end(run, .rejected(.full)) }
    // Asked after the room was made, for the run may have been dropped to make it.
    guard let flight = record.flight, let shared = flight.course else { return takeOff(run, record) }
    enterRoom(course, .flight)
    course.flight = flight
    shared.members.append(run)
    if flight.firstRevision > 0, let answer = run.noteFirstCommit(flight.firstRevision) { afterLeaving(answer) }
  }

  /// One that shared a run has ended; the run ends with the last of them.
  func leaveFlight(_ course: Course<I>, _ flight: ActiveRun<I>, _ outcome: Outcome, asksClosing: Bool) {
    course.flight = nil
    if course.isFirstMember { ownLedger.firstMembers -= 1 }
    guard !flight.hasEnded, let shared = flight.course else { return }
    shared.members.remove(course.run)
    if shared.members.isEmpty { end(flight, outcome, asksClosing: asksClosing) }
    course.run.lastRevision = flight.lastRevision
  }

  /// Gives those that share a run its outcome.
  func endMembers(of course: Course<I>, _ outcome: Outcome) {
    ownLedger.flights -= 1
    while let member = course.members.popFirst() {
      member.lastRevision = course.run.lastRevision
      end(member, outcome)
    }
  }

  /// Tells those that share a run of its first commit.
  func noteFirstCommit(ofMembersOf course: Course<I>) {
    for answer in course.members.map({ $0.noteFirstCommit(revision) }) {
      if let answer { afterLeaving(answer) }
    }
  }
}
