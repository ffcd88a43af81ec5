/// What has to hold in a world, and when.
struct Invariants {
  struct Invariant {
    let rule: String
    let file: StaticString
    let line: UInt
    let holds: () -> Bool

    func broken(_ kind: WorldFailure.Kind) -> WorldFailure {
      WorldFailure(kind, rule, file: file, line: line)
    }
  }

  var always: [Invariant] = []
  var eventually: [(Invariant, deadline: TestClock.Instant?)] = []
  var atTheEnd: [Invariant] = []

  /// What does not hold after a step; what has held that had to hold once is not asked again.
  mutating func brokenAfterStep(at now: TestClock.Instant) -> WorldFailure? {
    for invariant in always where !invariant.holds() { return invariant.broken(.always) }
    // What holds only after its time is over came too late; the time may have moved past it in one jump.
    if let late = eventually.first(where: { $0.deadline.map { $0 < now } ?? false }) {
      return late.0.broken(.eventually)
    }
    eventually.removeAll { $0.0.holds() }
    return nil
  }

  /// What does not hold at the end.
  func brokenAtTheEnd() -> WorldFailure? {
    if let late = eventually.first { return late.0.broken(.eventually) }
    return atTheEnd.first { !$0.holds() }?.broken(.atTheEnd)
  }
}
