/// One action that did not settle at once: accepted, then perhaps running.
@usableFromInline
final class ActiveRun<I: Interactor>: Ticket, @unchecked Sendable {
  @usableFromInline let action: I.Action

  /// Whether `decide` was asked, so that the action may have changed something.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var isTakenUp: Bool = false

  /// Neighbours in the runner's list of runs.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline var previous: ActiveRun?
  @exclusivity(unchecked) @usableFromInline var following: ActiveRun?

  /// The state when the turn of the take-up ended, which is the newest unless something was committed since.
  @exclusivity(unchecked) @usableFromInline var snapshot: Snapshot<I.State>?

  /// Where it runs; from its take-up until it is begun.
  @exclusivity(unchecked) @usableFromInline var runner: Runner<I>?

  @inlinable
  init(id: ActionID, action: I.Action, runner: Runner<I>) {
    self.action = action
    super.init(id: id, at: runner)
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

/// The runs of a store that have not ended, in the order of their take-up, linked through themselves.
@usableFromInline
@frozen
struct RunList<I: Interactor> {
  @usableFromInline var first: ActiveRun<I>?
  @usableFromInline var last: ActiveRun<I>?

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable
  mutating func append(_ run: ActiveRun<I>) {
    run.previous = last
    if let last { last.following = run } else { first = run }
    last = run
  }

  @inlinable
  mutating func remove(_ run: ActiveRun<I>) {
    let (previous, following) = (run.previous, run.following)
    guard previous != nil || following != nil || first === run else { return }
    if let previous { previous.following = following } else { first = following }
    if let following { following.previous = previous } else { last = previous }
    run.previous = nil
    run.following = nil
  }

  @inlinable
  mutating func popFirst() -> ActiveRun<I>? {
    guard let run = first else { return nil }
    remove(run)
    return run
  }
}
