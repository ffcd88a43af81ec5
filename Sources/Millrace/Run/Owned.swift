public import Synchronization

/// The part of a store that only the holder of its lock touches; each of its methods is a step, or part of one.
///
/// A method gets the store's core as `core`, and does not name that core's `owned`, which it is.
@usableFromInline
struct Owned<I: Interactor>: ~Copyable {
  @usableFromInline var state: I.State

  /// The observers; nil while there are none.
  @usableFromInline var registry: ObserverRegistry<I>?

  /// The runs; nil while every action was decided at once.
  @usableFromInline var runs: RunRegistry<I>?

  /// The journal; nil if the store has none, or it has failed.
  @usableFromInline private(set) var journal: StoreJournal<I>? {
    didSet { updateFastPath() }
  }

  /// The reason why the journal has failed.
  @usableFromInline private(set) var journalFailure: (any Error)?

  /// The number of actions that were taken up at once.
  @usableFromInline var takenAtOnce = 0

  // The flags stand together, so that they take one word.

  /// Whether more mutations may come, so that observers have something to wait for.
  @usableFromInline var isOpen = true

  /// Whether actions are accepted, wherever they come from.
  @usableFromInline var isAdmitting = true {
    didSet { updateFastPath() }
  }

  /// Whether an action that is decided at once needs no run: all are accepted, no observer asks for the causes of commits, and there is
  /// no journal.
  @usableFromInline private(set) var isFastPath = true

  /// Whether an observer or the journal is so far behind that the store takes up less.
  private(set) var isBackpressured = false {
    didSet { updateFastPath() }
  }

  /// Whether observers ask for the causes of commits.
  private var showsCauses = false {
    didSet { updateFastPath() }
  }

  @usableFromInline
  init(state: I.State) {
    self.state = state
  }

  /// Whether observers or interceptors ask for the causes of commits.
  var namesCauses: Bool { showsCauses || runs?.chain != nil }

  mutating func updateFastPath() {
    if !namesCauses { registry?.cause = nil }
    isFastPath = isAdmitting && !isBackpressured && !namesCauses && journal == nil
  }

  /// Whether an action that is decided at once needs no run, but that its mutations go to the journal.
  @usableFromInline var isJournaledFastPath: Bool {
    journal != nil && isAdmitting && !isBackpressured && !namesCauses
  }

  mutating func setJournal(_ journal: StoreJournal<I>?, failure: (any Error)? = nil) {
    journalFailure = failure
    self.journal = journal
  }

  /// Sets the revision of the restored state, and the journal.
  mutating func restore(
    _ revision: Int, journal sink: any JournalSink<I.Action, I.Mutation, I.State>, _ gate: DurabilityGate,
    at core: StoreCore<I>
  ) {
    core.newest.store(revision, ordering: .releasing)
    setJournal(StoreJournal(sink, gate: gate))
  }

  mutating func setShowsCauses(_ shows: Bool) {
    if shows != showsCauses { showsCauses = shows }
  }

  /// Returns whether this changes whether observers hold the store up.
  mutating func setBackpressured(_ isBackpressured: Bool) -> Bool {
    if isBackpressured == self.isBackpressured { return false }
    self.isBackpressured = isBackpressured
    return true
  }

  @usableFromInline
  func snapshot(at core: StoreCore<I>) -> Snapshot<I.State> {
    Snapshot(revision: core.revision, state: state)
  }

  /// The registry of runs, made if there is none.
  @inlinable
  mutating func madeRuns(at core: StoreCore<I>) -> RunRegistry<I> {
    if let runs { return runs }
    return makeRuns(at: core)
  }

  @usableFromInline
  mutating func makeRuns(at core: StoreCore<I>) -> RunRegistry<I> {
    let made = RunRegistry<I>(core.configuration.limits, core.makeServices())
    runs = made
    return made
  }

  // MARK: Taking up

  /// The id of an action that is taken up at once.
  @inlinable
  mutating func nextID() -> ActionID {
    takenAtOnce &+= 1
    return .takenAtOnce(takenAtOnce)
  }

  /// Decides an action and commits the mutations known by then, as one step.
  @inlinable
  @inline(__always)
  mutating func takeUp(_ action: I.Action, at core: StoreCore<I>) -> Receipt {
    let id = nextID()
    let plan = core.interactor.plan(for: action, state: state)
    guard isFastPath, plan.isConcurrent else { return takeUp(action, plan, id, at: core) }
    // Not stored in a variable: copying the mutation out of it doubles the cost for a deep child.
    switch core.interactor.decide(action, state: state).parts() {
    case (.one(let mutation), .finish, let child):
      let revision = commit(mutation, from: CommitOrigin(child), at: core)
      return Receipt(id: id, .finished(first: revision, last: revision))
    case (.none, .finish, _):
      return Receipt(id: id, .finished(first: 0, last: 0))
    case (.many(let mutations), .finish, let child):
      let first = core.revision &+ 1
      for mutation in mutations { commit(mutation, from: CommitOrigin(child), at: core) }
      return Receipt(id: id, .finished(first: first, last: core.revision))
    case (let mutations, let next, let child):
      return follow(Decision(mutations, then: next, of: child), action, id, at: core)
    }
  }

  /// Takes up an action that has a plan, or comes to a store that does not take every action the short way.
  @inlinable
  @inline(never)
  mutating func takeUp(_ action: I.Action, _ plan: Plan, _ id: ActionID, at core: StoreCore<I>) -> Receipt {
    if isJournaledFastPath, plan.isConcurrent { return takeUpJournaled(action, id, at: core) }
    let run = ActiveRun(id: id, action: action, core: core, lineage: Lineage.ofSender())
    takeUp(run, plan, at: core)
    return Receipt(run)
  }

  /// Does what was decided of an action that does not settle at once.
  ///
  /// Never inlined: with it, a settled action would pay for a reference to the core that only a run needs.
  @inlinable
  @inline(never)
  mutating func follow(
    _ decision: Decision<I.Mutation>, _ action: I.Action, _ id: ActionID, at core: StoreCore<I>
  ) -> Receipt {
    if decision.handles, isFull { return refuse(id) }
    let run = ActiveRun(id: id, action: action, core: core, lineage: Lineage.ofSender())
    follow(decision, run, at: core)
    return Receipt(run)
  }

  /// Takes up an action that has a run already, unless that has ended meanwhile.
  @inlinable
  mutating func takeUp(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    takeUp(run, core.interactor.plan(for: run.action, state: state), at: core)
  }

  @inlinable
  mutating func takeUp(_ run: ActiveRun<I>, _ plan: Plan, at core: StoreCore<I>) {
    guard accepts(run, plan.terms, at: core) else { return }
    run.record.wasAccepted = true
    if !isFastPath { didAccept(run, at: core) }
    if run.record.journaled != nil, settlesByKey(run, at: core) { return didEndStep(of: run) }
    // The scheduler has to know of each action that is handled again.
    if let terms = plan.terms ?? (run.takenUp == nil ? nil : PlanTerms(nil, nil)) {
      schedule(run, terms, at: core)
    } else {
      decideAndFollow(run, at: core)
    }
    if !isFastPath { didEndStep(of: run) }
  }

  /// Decides an action that waits for nothing more, and does what was decided.
  @inlinable
  mutating func decideAndFollow(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    let decision = run.takenUp == nil ? core.interactor.decide(run.action, state: state) : .handle
    if decision.handles, let refusal = refusalOfHandling(run) {
      refuse(run, refusal, at: core)
    } else {
      follow(decision, run, at: core)
    }
  }

  /// Does what was decided.
  @inlinable
  mutating func follow(_ decision: Decision<I.Mutation>, _ run: ActiveRun<I>, at core: StoreCore<I>) {
    if journal != nil, !journalDecision(decision, of: run, at: core) { return }
    // Before the commits, one of which may remove the child.
    if case .handle(let children?) = decision.next { bind(run, to: children, of: decision.child, at: core) }
    switch decision.decided {
    case .none: break
    case .one(let mutation): commit(mutation, of: run, from: CommitOrigin(decision.child), at: core)
    case .many(let mutations):
      for mutation in mutations { commit(mutation, of: run, from: CommitOrigin(decision.child), at: core) }
    }
    switch decision.next {
    case .finish: endDecided(run, .finished, at: core)
    case .handle: start(run, at: core)
    case .reject(let error): reject(run, error, at: core)
    }
  }

  // MARK: Committing

  /// Applies one mutation, and returns the revision of the state it led to.
  ///
  /// - Parameters:
  ///   - mutation: the mutation.
  ///   - origin: the origin of the mutation.
  ///   - core: the store's core.
  @inlinable
  @inline(__always)
  @discardableResult
  mutating func commit(_ mutation: I.Mutation, from origin: CommitOrigin = .whole, at core: StoreCore<I>) -> Int {
    I.reduce(into: &state, mutation: mutation)
    let revision = core.newest.load(ordering: .relaxed) &+ 1
    core.newest.store(revision, ordering: .releasing)
    if registry != nil { didCommit(mutation, from: origin, at: core) }
    return revision
  }

  /// Commits a mutation of a run.
  @inlinable
  mutating func commit(
    _ mutation: I.Mutation, of run: ActiveRun<I>, from origin: CommitOrigin = .whole, at core: StoreCore<I>
  ) {
    if !isFastPath { nameCause(run, at: core) }
    let revision = commit(mutation, from: origin, at: core)
    if run.record.lastRevision == 0 { didCommitFirst(of: run, at: core) }
    run.record.lastRevision = revision
  }

  /// Commits a mutation that a handler emits, unless its run has ended or its attempt is over; returns whether it did.
  @inlinable
  mutating func commitEmitted(
    _ mutation: I.Mutation, of run: ActiveRun<I>, _ attempt: Attempt<I>?, through child: RemovableChild?,
    at core: StoreCore<I>
  ) -> Bool {
    guard !run.hasEnded, attempt?.isOver != true else {
      didEmitLate(of: run, at: core)
      return false
    }
    if journal != nil, !journalEmit(mutation, of: run, at: core) { return false }
    commit(mutation, of: run, from: child.map { .run(of: $0) } ?? .whole, at: core)
    return true
  }

  @inlinable
  mutating func didCommitFirst(of run: ActiveRun<I>, at core: StoreCore<I>) {
    recordFirstCommit(core.revision, of: run, at: core)
    if run.record.isShared { didCommitFirst(ofMembersOf: run, at: core) }
  }

  /// Records the first commit of a shared run for the actions that share it.
  @inlinable
  mutating func didCommitFirst(ofMembersOf run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let runs, let handle = run.record.handle else { return }
    var next = runs.scheduler.firstMember(of: handle)
    while let member = next {
      next = runs.scheduler.member(after: member)
      guard let member = runs.tables.records[Int(member)] else { continue }
      recordFirstCommit(core.revision, of: member, at: core)
    }
  }

  @inlinable
  func recordFirstCommit(_ revision: Int, of run: ActiveRun<I>, at core: StoreCore<I>) {
    if run.recordFirstCommit(revision, isWithheld: journal != nil) { answerFirstCommit(revision, of: run, at: core) }
  }

  // MARK: Starting and returning

  /// Starts a run of an action that was taken up, or lets it wait for a slot.
  @inlinable
  mutating func start(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    if let handle = run.record.handle {
      if run.takenUp?.recovery != nil, joinsRecoveryLine(run, handle, at: core) { return }
      return raise(.decided(handle, .handles), at: core)
    }
    let runs = madeRuns(at: core)
    guard let handle = runs.scheduler.launchAtOnce() else { return waitForSlot(run, runs, at: core) }
    runs.keep(run, handle)
    run.setStore(runs.services.store)
    runs.tables.times.wait.record(nanoseconds: 0)
    run.launch.core = core
    startAfterUnlock(run, of: run, at: core)
  }

  /// Starts a handler of a run once the lock is free, and its action is durable.
  @inlinable
  mutating func startAfterUnlock(_ start: Startable, of run: ActiveRun<I>, at core: StoreCore<I>) {
    if journal != nil { return startWhenDurable(start, of: run, at: core) }
    core.lock.startAfterUnlock(start)
  }

  /// Ends a run whose handler has returned with its outcome.
  @inlinable
  mutating func didReturn(_ run: ActiveRun<I>, _ outcome: Outcome, after time: Int64, at core: StoreCore<I>) {
    guard let runs, let handle = run.record.handle else { return }
    runs.tables.times.handle.record(nanoseconds: time)
    if outcome.isFinished, isFastPath, runs.scheduler.finishAtOnce(handle) {
      runs.release(handle)
      finish(run, at: core)
    } else {
      raise(.returned(handle, attempt: nil, outcome, hasCommitted: false), at: core)
    }
  }

  /// Ends an action that was decided, and asks for no handler.
  @inlinable
  mutating func endDecided(_ run: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>) {
    if let handle = run.record.handle {
      raise(.decided(handle, .ends(outcome)), at: core)
    } else if outcome.isFinished, isFastPath {
      finish(run, at: core)
    } else {
      settle(run, outcome, asksClosing: !outcome.isFinished, at: core)
    }
  }

  /// Ends an action as `finished` where no observer is notified of it.
  @inlinable
  mutating func finish(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    run.willEnd()
    run.forgetSteps(at: core)
    if run.record.lifetimeConditions != nil { removeLifetimeConditions(of: run) }
    if run.record.answer != nil { readAnswer(of: run, .finished) }
    if run.end(.finished, lastRevision: run.record.lastRevision, cancelsTask: false) { core.answerAfterUnlock(run) }
  }

  /// Ends a run as failed and cancels its handler, of which another part may sleep for a day.
  mutating func fail(_ run: ActiveRun<I>, _ error: any Error, at core: StoreCore<I>) {
    if run.hasEnded { return }
    let cancelling = run.cancelTask()
    end(run, .failed(error), at: core)
    if let cancelling { core.lock.afterUnlock(cancelling) }
  }

  // MARK: Requests

  /// Registers a reader that is called when an action ends that was just taken up, or at once if that has ended in this step.
  @usableFromInline
  func expectAnswer(of receipt: Receipt, _ reader: @escaping AnswerReader<I.State>) {
    guard let ticket = receipt.ticket else { return }
    if let outcome = ticket.decidedOutcome {
      if outcome.isFinished { reader(state) }
    } else {
      unsafeDowncast(ticket, to: ActiveRun<I>.self).record.answer = reader
    }
  }

  /// Reads the answer to a request whose action ends in this step, before its outcome is visible.
  @inlinable
  @inline(never)
  func readAnswer(of run: ActiveRun<I>, _ outcome: Outcome) {
    guard let read = run.record.answer else { return }
    run.record.answer = nil
    if outcome.isFinished { read(state) }
  }

  /// The event that an action waits for, with the names of its store's runs.
  func event(awaitedBy run: ActiveRun<I>) -> RunWait<Ticket> {
    guard let runs, !run.hasEnded, let handle = run.record.handle else { return .other }
    run.setStore(runs.services.store)
    switch runs.scheduler.wait(of: handle) {
    case .other: return .other
    case .handler: return .handler
    case .ends(let handles):
      let owners = handles.compactMap { runs.tables.records[Int($0)] }
      for owner in owners { owner.setStore(runs.services.store) }
      return owners.count == handles.count ? .ends(of: owners) : .other
    }
  }
}
