import Millrace

/// Runs a world.
extension World {
  /// The failure of the world, or nil.
  var failure: WorldFailure? { withRecord { $0.failure } }

  /// Runs one of the jobs that are ready, the plan says which, and checks what has to hold after it.
  func step() {
    let (planned, ready) = (queue.plannedIndex, queue.ready.count)
    let choice = withRecord { $0.choices.step(among: queue.ready.lazy.map(\.task), planned: planned) }
    if isTraced { traceStep(choice) }
    let job = queue.run(at: choice)
    if queue.ready.count >= ready {
      for yielding in queue.ready[(ready - 1)...] where yielding.yields {
        withRecord { $0.choices.yielded(yielding.task) }
      }
    }
    let asked = withRecord { content -> Invariants? in
      content.fingerprint.add(choice)
      content.fingerprint.add(job.task)
      return content.invariants.asksNothing || content.failure != nil ? nil : content.invariants
    }
    if let asked { note(queue.runningUserCode(of: -1) { asked.afterStep(at: clock.now) }) }
  }

  /// Notes a commit of one of its stores, and checks what has to hold after it.
  func noteCommit(_ mutation: String, revision: Int, state: some Sendable, identity: AnyObject, of interactor: String) {
    if !queue.isOwnedHere { return fail(WorldFailure(.commitEscaped, interactor)) }
    let asked = withRecord { content -> Invariants? in
      content.fingerprint.add(revision)
      content.fingerprint.add(mutation)
      return content.invariants.asksNothing || content.failure != nil ? nil : content.invariants
    }
    if let asked { note(asked.afterCommit(of: state, identity: identity, at: clock.now)) }
  }

  private func note(_ verdict: (broken: WorldFailure?, met: Set<Int>)) {
    if let broken = verdict.broken { fail(broken) }
    if !verdict.met.isEmpty { watch { $0.meet(verdict.met) } }
  }

  /// Checks the rules for the end, and releases what the test asked for: a fake that is released with its store may fail too.
  func checkEnd() {
    let asked = withRecord { content in
      defer { content.invariants = Invariants() }
      return content.invariants
    }
    if failure == nil, let broken = queue.runningUserCode(of: -1, { asked.brokenAtTheEnd() }) { fail(broken) }
  }

  /// Releases what the test has asked for, and cancels what its stores have accepted.
  func cancelStores() {
    let (invariants, cancellations) = withRecord { content in
      defer { content.invariants = Invariants() }
      return (content.invariants, content.cancellations)
    }
    // The stores that it held go first.
    withExtendedLifetime(invariants) {}
    for cancel in cancellations { cancel() }
  }

  /// The actions of its stores that have not ended.
  var openActions: [OpenAction] { withRecord { $0.openActions }.flatMap { $0() } }

  /// The tasks that have not ended after all were cancelled.
  var leftOver: [String] {
    let (isBodyOver, handlers) = withRecord { content in
      (content.isBodyOver, content.handlers.sorted { $0.key < $1.key }.map(\.value))
    }
    var names = isBodyOver ? [] : ["the body"]
    names += handlers.map { $0() }
    names += Array(repeating: "a task that goes on and on", count: queue.ready.count)
    names += Array(repeating: "a task that sleeps again and again", count: clock.sleepers + queue.sleepers)
    return names
  }
}
