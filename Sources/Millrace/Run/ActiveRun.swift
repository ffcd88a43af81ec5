/// One action that did not settle at once: accepted, then perhaps waiting, then perhaps running.
@usableFromInline
final class ActiveRun<I: Interactor>: Ticket, Linked, @unchecked Sendable {
  /// Where it stands on its way.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var phase = RunPhase()

  /// Whether it was told of as accepted, or would have been if there had been interceptors.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var wasAccepted = false

  /// Neighbours in the one list it stands in: of those that run, or that wait.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var previous: ActiveRun?
  @exclusivity(unchecked) @usableFromInline var following: ActiveRun?

  /// The run that sends it; until it is accepted or rejected.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var sender: RunSender<I>?

  /// What its plan and its waiting need.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var course: Course<I>?

  /// What must hold of the state for it to go on.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var bond: Bond<I>?

  /// Where it runs; from its start until it is begun.
  @exclusivity(unchecked) @usableFromInline var runner: Runner<I>?

  /// The state when the turn of the take-up ended, which is the newest unless something was committed since.
  @exclusivity(unchecked) @usableFromInline var snapshot: Snapshot<I.State>?

  /// What is to be done; another one may be put in its place before it is accepted.
  @exclusivity(unchecked) @usableFromInline var action: I.Action

  @inlinable
  init(id: ActionID, action: I.Action, runner: Runner<I>, lineage: Lineage?) {
    self.action = action
    super.init(id: id, at: runner, lineage: lineage)
    begin = { start, immediately in
      let run = unsafeDowncast(start, to: ActiveRun<I>.self)
      let runner = run.takeRunner()
      return immediately
        ? Task.immediateDetached { await Ticket.current.withValue(run) { await runner.execute(run) } }
        : Task.detached { await Ticket.current.withValue(run) { await runner.execute(run) } }
    }
  }

  @usableFromInline
  override func cancel(at owner: Combiner) {
    unsafeDowncast(owner, to: Runner<I>.self).cancel(self)
  }

  /// The state of the take-up, once.
  @inlinable
  func takeSnapshot() -> Snapshot<I.State>? {
    let taken = snapshot
    snapshot = nil
    return taken
  }

  /// The runner, once: whoever begins the run holds it from then on.
  @inlinable
  func takeRunner() -> Runner<I> {
    guard let runner else { preconditionFailure("A run is begun once, by the starter that got it from its runner.") }
    self.runner = nil
    return runner
  }
}
