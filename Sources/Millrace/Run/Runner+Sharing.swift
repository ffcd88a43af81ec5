extension Runner {
  /// Begins the run that an action shares with those that will join it; no receipt refers to that run itself.
  ///
  /// *Owner's.*
  func takeOff(_ first: Course<I>, _ record: KeyRecord<I>) {
    let run = first.run
    let flight = ActiveRun(id: run.id, action: run.action, runner: self, lineage: run.lineage)
    let course = Course(flight, terms: first.terms, takeUp: first.takeUp, beginAttempt: first.beginAttempt)
    course.isFlight = true
    course.order = first.order
    course.acceptedAt = first.acceptedAt
    course.record = record
    flight.course = course
    flight.begin = run.begin
    record.live.insert(course)
    record.flight = flight
    first.flight = flight
    course.members.append(run)
    takeTurn(course)
  }

  /// Lets an action share the run that is in flight.
  func join(_ course: Course<I>, _ record: KeyRecord<I>) {
    guard makeRoom() else { return end(course.run, .rejected(.full)) }
    // Asked after the room was made, for the run may have been dropped to make it.
    guard let flight = record.flight, let shared = flight.course else { return takeOff(course, record) }
    enterRoom(course, .flight)
    course.flight = flight
    shared.members.append(course.run)
    if flight.firstRevision > 0, let answer = course.run.noteFirstCommit(flight.firstRevision) { afterLeaving(answer) }
  }

  /// One that shared a run has ended; the run ends with the last of them.
  func leaveFlight(_ course: Course<I>, _ flight: ActiveRun<I>, _ outcome: Outcome) {
    course.flight = nil
    guard !flight.hasEnded, let shared = flight.course else { return }
    shared.members.remove(course.run)
    if shared.members.isEmpty { end(flight, outcome) }
  }

  /// Gives those that share a run its outcome.
  func endMembers(of course: Course<I>, _ outcome: Outcome) {
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
