/// One action that did not settle at once: accepted, then perhaps waiting, then perhaps running.
@usableFromInline
final class ActiveRun<I: Interactor>: Ticket, @unchecked Sendable {
  /// Its name in the scheduler; nil for an action that is decided, and once it is over.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var handle: Scheduler.Handle?

  /// Whether it was told of as accepted, or would have been if there had been interceptors.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var wasAccepted = false

  /// Whether several actions share it; no receipt refers to it then.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var isShared = false

  /// The run that it shares with others.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var sharedRun: ActiveRun?

  /// The run that sends it; until it is accepted or rejected.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var sender: RunSender<I>?

  /// The newest attempt, if there may be several, and the last revision before the first one.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var attempt: Attempt<I>?
  @exclusivity(unchecked) @usableFromInline var revisionAtTakeUp = 0

  /// What must hold of the state for it to go on.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var bond: Bond<I>?

  /// Where it runs; from its start until it is begun.
  @exclusivity(unchecked) @usableFromInline var core: StoreCore<I>?

  /// The state when the step of the take-up ended, which is the newest unless something was committed since.
  @exclusivity(unchecked) @usableFromInline var snapshot: Snapshot<I.State>?

  /// What is to be done; another one may be put in its place before it is accepted.
  @exclusivity(unchecked) @usableFromInline var action: I.Action

  @inlinable
  init(id: ActionID, action: I.Action, core: StoreCore<I>, lineage: Lineage?) {
    self.action = action
    super.init(id: id, at: core, lineage: lineage)
  }

  @usableFromInline
  override func cancel(at owner: any AnyObject & Sendable) {
    unsafeDowncast(owner, to: StoreCore<I>.self).cancel(self)
  }

  /// Whoever begins the run holds its core from then on.
  override func begin(immediately: Bool) -> Task<Void, Never>? {
    guard let core else { return nil }
    self.core = nil
    return core.code(core, .run(self, immediately: immediately))
  }

  /// The state of the take-up, once.
  @inlinable
  func takeSnapshot() -> Snapshot<I.State>? {
    let taken = snapshot
    snapshot = nil
    return taken
  }
}
