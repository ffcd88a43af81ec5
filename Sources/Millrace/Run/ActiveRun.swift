public import Synchronization

/// One action that did not settle at once: accepted, then perhaps waiting, then perhaps running.
@usableFromInline
final class ActiveRun<I: Interactor>: Ticket, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var record = RunRecord<I>()

  /// Set by the start of a run without attempts, before its handler begins.
  @exclusivity(unchecked) @usableFromInline var launch = RunLaunch<I>()

  /// The take-up in the journal, set before the handler begins; nil without one.
  @exclusivity(unchecked) @usableFromInline var takenUp: JournaledTakeUp?

  /// The action; an interceptor may replace it before it is accepted.
  @exclusivity(unchecked) @usableFromInline var action: I.Action

  @usableFromInline let start = Atomic<Instant>(.min)

  /// Notes the instant at which its one handler begins, in the task of that.
  @inlinable
  func noteHandlerStart(_ instant: Instant) { start.store(instant, ordering: .relaxed) }

  /// The instant at which its handler began; nil before, and if it may have several attempts.
  var handlerStart: Instant? {
    let instant = start.load(ordering: .relaxed)
    return instant == .min ? nil : instant
  }

  @inlinable
  init(id: ActionID, action: I.Action, core: StoreCore<I>, lineage: Lineage?) {
    self.action = action
    super.init(id: id, at: core, lineage: lineage)
  }

  @inlinable
  convenience init(id: ActionID, _ submission: Submission<I>, core: StoreCore<I>) {
    self.init(id: id, action: submission.action, core: core, lineage: submission.lineage)
    record.sender = submission.sender
    record.answer = submission.answer
    record.journaled = submission.demands
  }

  /// The steps of its handlers, with those that were restored.
  @usableFromInline var steps: RunSteps { madeSteps ?? makeSteps(RunSteps(takenUp?.steps ?? [], takenUp?.coder)) }

  /// Frees the results of its steps, once it has ended, and resumes the parts of its handler that wait for its slot.
  @usableFromInline
  func forgetSteps(at core: StoreCore<I>) {
    guard let parts = madeSteps?.removeAll(), !parts.isEmpty else { return }
    core.lock.afterUnlock { parts.forEach { $0.resume() } }
  }

  /// Resumes the parts of its handler that wait for its slot, once the lock is free.
  @usableFromInline
  func resumeParts(hasSlot: Bool, at core: StoreCore<I>) {
    guard let parts = madeSteps?.partsToResume(hasSlot: hasSlot), !parts.isEmpty else { return }
    core.lock.afterUnlock { parts.forEach { $0.resume() } }
  }

  @usableFromInline
  override func cancel(at owner: any AnyObject & Sendable, waits: Bool) {
    unsafeDowncast(owner, to: StoreCore<I>.self).cancel(self, waits: waits)
  }

  override func noticeWait(at owner: any AnyObject & Sendable) {
    let clock = unsafeDowncast(owner, to: StoreCore<I>.self).configuration.clock
    if clock is ContinuousClock { return }
    guard let clock = clock as? any OutcomeNoticingClock else { return }
    clock.outcomeIsAwaited(of: id) { [weak self] in self.map { $0.outcomeNow == nil } ?? false }
  }

  override func wait(at owner: any AnyObject & Sendable) -> RunWait<Ticket> {
    unsafeDowncast(owner, to: StoreCore<I>.self).wait(of: self)
  }

  override var name: String { "\(runID) (\(String(reflecting: I.Action.self)))" }

  /// Begins the handler, whose task holds the core from then on.
  override func makeTask(immediately: Bool) -> Task<Void, any Error>? {
    guard let core = launch.core else { return nil }
    launch.core = nil
    return core.code.makeTask(.run(self), core, immediately && !core.startsOnPool(launch.handlerStart))
  }
}

/// The take-up of an action in a journal.
@usableFromInline
final class JournaledTakeUp: Sendable {
  /// The position of the entry.
  @usableFromInline let position: Int

  /// The key of the run, as the log has it.
  @usableFromInline let key: RunKey

  /// The count of the deaths of an action that is handled again, because its take-up was restored; nil for any other action.
  @usableFromInline let recovery: RecoveryCount?

  /// Whether the take-up was restored, so that the action is handled again.
  @usableFromInline var isRestored: Bool { recovery != nil }

  /// The position of the entry that has to be durable before a handler starts; for the lock's holder.
  var startPosition: Int { max(position, recovery?.position ?? 0) }

  /// The time from the take-up to the opening of the store, if the take-up was restored.
  @usableFromInline let age: Instant

  /// Encodes the results of steps; nil if they are not stored, because the action is not handled again.
  @usableFromInline let coder: (any StepCoder)?

  /// The steps that were restored with the take-up, in the order in which they were stored.
  let steps: [StoredStep]

  /// The idempotency keys of actions that joined the run before the store was restored.
  let joinedKeys: [String]

  private let asked = Atomic(false)

  @usableFromInline
  init(
    position: Int, key: RunKey, recovery: RecoveryCount? = nil, age: Instant = 0, _ coder: (any StepCoder)?,
    steps: [StoredStep] = [], joinedKeys: [String] = []
  ) {
    self.position = position
    self.key = key
    self.recovery = recovery
    self.age = age
    self.coder = coder
    self.steps = steps
    self.joinedKeys = joinedKeys
  }

  /// Whether the handler has returned a sequence, which is asked for its next mutation only while the journal has room.
  var isAsked: Bool { asked.load(ordering: .relaxed) }

  /// Notes that the handler has returned a sequence; before its first mutation.
  @usableFromInline
  func willBeAsked() { asked.store(true, ordering: .relaxed) }
}

/// The start of the one handler of a run.
@usableFromInline
struct RunLaunch<I: Interactor> {
  /// The store it runs in; until the handler begins, by the thread that begins it.
  @usableFromInline var core: StoreCore<I>?

  /// The thread on which the handler starts, if the plan says so.
  @usableFromInline var handlerStart: StoreConfiguration.HandlerStart?

  /// The instant at which the plan's timeout ends the run; `Instant.max` without one.
  @usableFromInline var deadline = Instant.max

  @inlinable
  init() {}
}

/// The part of a run that only the holder of the store's lock touches.
@usableFromInline
struct RunRecord<I: Interactor> {
  /// The name of the action in the scheduler; nil for an action that is decided, and once the action is over.
  @usableFromInline var handle: Scheduler.Handle?

  /// The revision of the last commit; 0 before the first.
  @usableFromInline var lastRevision = 0

  /// The last revision before the first attempt.
  @usableFromInline var revisionBeforeAttempts = 0

  /// Whether its attempt has committed, besides by steps.
  @usableFromInline var hasCommitted: Bool { lastRevision > revisionBeforeAttempts }

  /// Whether the action was accepted, which interceptors were notified of if there were any.
  @usableFromInline var wasAccepted = false

  /// Whether several actions share the run; no receipt refers to it then.
  @usableFromInline var isShared = false

  /// The run that the action shares with others.
  @usableFromInline var sharedRun: ActiveRun<I>?

  /// The run that sends the action; until that is accepted or rejected.
  @usableFromInline var sender: RunSender<I>?

  /// The demands of the sender on the journal; nil without any, and once they are met.
  @usableFromInline var journaled: JournaledSend?

  /// Whether the result for the idempotency key is in the journal.
  @usableFromInline var isResultKept = false

  /// Answers the caller of a request; nil for any other action, and once the caller has its answer.
  @usableFromInline var answer: AnswerReader<I.State>?

  /// The newest attempt, if there may be several.
  @usableFromInline var attempt: Attempt<I>?

  /// The children whose removal ends the run; nil if there are none.
  @usableFromInline var lifetimeConditions: LifetimeConditions.Entry?

  /// The child whose removal ends the run; nil as long as its children exist.
  @usableFromInline var removedChild: RemovableChild?

  @inlinable
  init() {}

  /// Whether an idempotency key may remember the outcome: its own, or the key of an action that shares the run in this process.
  var mayHaveKey: Bool { journaled != nil || isShared }
}

/// One call of `handle` for a run whose plan may lead to several, or gives each its time.
///
/// It stands between the run and the handler, so that nothing of an attempt that was given up reaches the run.
@usableFromInline
final class Attempt<I: Interactor>: Startable, @unchecked Sendable {
  @usableFromInline let run: ActiveRun<I>
  @usableFromInline let core: StoreCore<I>

  /// Counted from 1.
  @usableFromInline let number: Int

  /// The terms of the run's plan.
  @usableFromInline let terms: PlanTerms?

  /// The instant at which the earlier of the plan's timeouts ends it, and `Instant.max` without one.
  @usableFromInline let deadline: Instant

  @usableFromInline let over = Atomic(false)

  @inlinable
  init(_ number: Int, of run: ActiveRun<I>, _ terms: PlanTerms?, deadline: Instant, at core: StoreCore<I>) {
    self.number = number
    self.run = run
    self.terms = terms
    self.deadline = deadline
    self.core = core
    super.init()
  }

  /// Whether it has returned or was given up; the lock's holder sets it, any thread reads it.
  @inlinable var isOver: Bool { over.load(ordering: .acquiring) }

  /// Marks the attempt as over, so that nothing of it is committed; for the lock's holder.
  @inlinable
  func willEnd() {
    over.store(true, ordering: .releasing)
  }

  /// The advice of the error that it has thrown, if another attempt can follow; for the task of its handler.
  @usableFromInline
  func advice(after outcome: Outcome) -> RetryAdvice {
    guard case .failed(let error) = outcome, let retry = terms?.retry, number < retry.attempts, !isOver, !run.hasEnded
    else { return .byPlan }
    // Another attempt would get the same result.
    if error is StepFailure || error is StepError { return .never }
    return retry.advice(after: error)
  }

  /// Whether an error that it has thrown is a failure for the breaker of the plan; for the task of its handler.
  @usableFromInline
  func countsForBreaker(_ outcome: Outcome) -> Bool {
    guard case .failed(let error) = outcome, let countsIf = terms?.countsIf, !isOver, !run.hasEnded else { return true }
    if (error as? StepFailure)?.isTimeout == true { return true }
    return countsIf((error as? StepFailure)?.judged ?? error)
  }

  override func makeTask(immediately: Bool) -> Task<Void, any Error>? {
    core.code.makeTask(.attempt(self), core, immediately && !core.startsOnPool(terms?.start))
  }

  override func hasStarted(as task: Task<Void, any Error>) {
    run.hasStarted(as: task, isCurrent: { !self.isOver })
  }
}

/// An action as it comes to a store: with its origin, and the terms of its sender.
@usableFromInline
struct Submission<I: Interactor>: Sendable {
  /// The action; an interceptor may replace it before it is accepted.
  @usableFromInline var action: I.Action

  /// The origin of the action; nil if it has neither a parent, a trace nor a tree.
  @usableFromInline let lineage: Lineage?

  /// The run that sends the action, if one does.
  @usableFromInline let sender: RunSender<I>?

  /// The demands of the sender on the journal; nil without any.
  @usableFromInline let demands: JournaledSend?

  /// Answers the caller of a request; nil for any other action.
  @usableFromInline let answer: AnswerReader<I.State>?

  @inlinable
  init(
    _ action: I.Action, _ lineage: Lineage?, from sender: RunSender<I>? = nil, _ demands: JournaledSend? = nil,
    answer: AnswerReader<I.State>? = nil
  ) {
    self.action = action
    self.lineage = lineage
    self.sender = sender
    self.demands = demands
    self.answer = answer
  }

  /// The submission of an action that a run sends.
  @inlinable
  init(_ action: I.Action, from sender: RunSender<I>) {
    self.init(action, Lineage.of(sender.run), from: sender)
  }
}

/// The run, or the attempt of it, that sends an action.
@usableFromInline
@frozen
struct RunSender<I: Interactor>: Sendable {
  @usableFromInline let run: ActiveRun<I>
  @usableFromInline let attempt: Attempt<I>?

  @inlinable
  init(_ run: ActiveRun<I>, _ attempt: Attempt<I>?) {
    self.run = run
    self.attempt = attempt
  }

  /// The reason why it sends no more, or nil while it runs.
  var ending: String? {
    if run.hasEnded {
      return "The run that sent it had ended; send it before the handler returns, and return when `emit` answers false."
    }
    guard attempt?.isOver == true else { return nil }
    return "The attempt that sent it was given up; heed the cancellation of the task, and send it in the next attempt."
  }
}
