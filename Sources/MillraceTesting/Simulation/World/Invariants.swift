/// The rules of a world, and the times at which they have to hold.
struct Invariants: Sendable {
  struct Invariant: Sendable {
    let rule: String
    let file: StaticString
    let line: UInt
    /// Whether it holds now; asked while nothing runs in the world.
    let holds: @Sendable () -> Bool
    /// Whether it holds for a state that was just committed; nil if it is not about the store with this identity.
    var holdsFor: (@Sendable (_ state: any Sendable, _ identity: AnyObject) -> Bool?)?
    /// The state that it is about, if it is about one.
    var state: (@Sendable () -> (any Sendable)?)?

    func broken(_ kind: WorldFailure.Kind, by state: (any Sendable)? = nil) -> WorldFailure {
      var failure = WorldFailure(kind, rule, file: file, line: line)
      failure.state = (state ?? self.state?()).map { StateText.lines(of: $0) } ?? []
      return failure
    }
  }

  /// A rule that has to come to hold, the latest time for it, and its number among the others.
  struct Awaited: Sendable {
    let invariant: Invariant
    let deadline: TestClock.Instant?
    let number: Int
  }

  var always: [Invariant] = []
  private(set) var eventually: [Awaited] = []
  /// The rules that have held once, kept alive for the values that they refer to.
  private var met: [Invariant] = []
  var atTheEnd: [Invariant] = []
  private var lastNumber = 0

  /// Whether nothing has to be asked after a step.
  var asksNothing: Bool { always.isEmpty && eventually.isEmpty }

  mutating func await(_ invariant: Invariant, until deadline: TestClock.Instant?) {
    lastNumber += 1
    eventually.append(Awaited(invariant: invariant, deadline: deadline, number: lastNumber))
  }

  /// Asks no more for what has held that had to hold once.
  mutating func meet(_ numbers: Set<Int>) {
    met += eventually.filter { numbers.contains($0.number) }.map(\.invariant)
    eventually.removeAll { numbers.contains($0.number) }
  }

  /// The rules broken after a step, and the numbers of those that have come to hold.
  ///
  /// It asks what may change these invariants themselves, so it is asked of a copy.
  func afterStep(at now: TestClock.Instant) -> (broken: WorldFailure?, met: Set<Int>) {
    for invariant in always where !invariant.holds() { return (invariant.broken(.always), []) }
    // What holds only after its time is over came too late; the time may have moved past it in one jump.
    if let late = eventually.first(where: { $0.isOver(at: now) }) { return (late.invariant.broken(.eventually), []) }
    return (nil, Set(eventually.filter { $0.invariant.holds() }.map(\.number)))
  }

  /// The same after a commit, for what is about that store.
  func afterCommit(
    of state: some Sendable, identity: AnyObject, at now: TestClock.Instant
  ) -> (broken: WorldFailure?, met: Set<Int>) {
    for invariant in always where invariant.holdsFor?(state, identity) == false {
      return (invariant.broken(.always, by: state), [])
    }
    let met = eventually.filter { !$0.isOver(at: now) && $0.invariant.holdsFor?(state, identity) == true }
    return (nil, Set(met.map(\.number)))
  }

  /// The rules broken at the end.
  func brokenAtTheEnd() -> WorldFailure? {
    if let late = eventually.first { return late.invariant.broken(.eventually) }
    return atTheEnd.first { !$0.holds() }?.broken(.atTheEnd)
  }
}

extension Invariants.Awaited {
  fileprivate func isOver(at now: TestClock.Instant) -> Bool {
    deadline.map { $0 < now } ?? false
  }
}
