import Synchronization

/// The actions of a store beyond those that are decided at once; made when the first one comes.
///
/// It belongs to the store's ``Owned``: only the lock's holder touches it.
@usableFromInline
final class RunRegistry<I: Interactor> {
  /// Decides who runs when.
  @exclusivity(unchecked) @usableFromInline var scheduler: Scheduler

  /// The values that each step changes.
  @exclusivity(unchecked) @usableFromInline var tables = RunTables<I>()

  @usableFromInline let services: StoreServices<I>
  var random: any RandomNumberGenerator & Sendable

  /// The chain of interceptors, for the lock's holder.
  @exclusivity(unchecked) @usableFromInline var chain: InterceptorChain<I>?

  /// The children that may be removed and have runs.
  @exclusivity(unchecked) @usableFromInline var lifetimeConditions = LifetimeConditions()

  /// Runs whose child the last commits have removed, to be ended after the step.
  var runsOfRemovedChildren: [ActiveRun<I>] = [] {
    didSet { hasRunsToEnd = !runsOfRemovedChildren.isEmpty }
  }

  /// Whether there are such runs; looked at after each of the scheduler's actions.
  @exclusivity(unchecked) @usableFromInline private(set) var hasRunsToEnd = false

  /// The open actions that were sent with an idempotency key, by their keys.
  var keyed: [UTF8Text: KeyedRuns<I>] = [:]

  /// The number of all their followers.
  var followerCount = 0

  /// The open actions that have joined a shared run with an idempotency key of their own, by that run.
  var keyedJoiners: [ActionID: [ActionID: ActiveRun<I>]] = [:]

  /// Suspended submits, first come first.
  var submitters = LinkedList<Submitter<I>>()

  /// The task that sleeps until the next timer.
  private var wakeUp: WakeUp?

  // MARK: Shutdown

  /// The ends of queued actions in progress, each begun inside those before it.
  var queuedEnds: [QueuedEnd] = []

  /// A shutdown in progress, or finished.
  var shutdown: Shutdown?

  /// The promises of `Store.run`, which wait for a shutdown that another caller begins.
  var shutdownWaiters: [Promise<ShutdownReport>] = []

  /// Called once every action has ended with its handlers, or rests.
  @exclusivity(unchecked) @usableFromInline var idleWork: [@Sendable () -> Void] = []

  // MARK: Counting

  @usableFromInline var tally = Tally()

  /// The problems of plans that were reported.
  var reportedProblems: Set<PlanProblem> = []

  init(_ limits: StoreConfiguration.Limits, _ services: StoreServices<I>) {
    scheduler = Scheduler(limits)
    self.services = services
    random = services.random
  }

  /// Keeps the action that the scheduler names by this handle.
  @inlinable
  func keep(_ run: ActiveRun<I>, _ handle: Scheduler.Handle) {
    while tables.records.count <= Int(handle) { tables.records.append(nil) }
    tables.records[Int(handle)] = run
    run.record.handle = handle
  }

  /// Releases the action that the scheduler has named; with the last one the memory is given back, if it was much.
  @inlinable
  func release(_ handle: Scheduler.Handle) {
    tables.records[Int(handle)]?.record.handle = nil
    tables.records[Int(handle)] = nil
    if tables.records.count > 1_024, scheduler.isEmpty { tables.records = [] }
    if !idleWork.isEmpty, scheduler.isQuiet { performIdleWork() }
  }

  @usableFromInline
  func performIdleWork() {
    let works = idleWork
    idleWork = []
    for work in works { work() }
  }

  /// The actions that have ended while their handlers were running, in the order in which they ended.
  var notReturned: [ActionID] {
    scheduler.standing.handles(of: scheduler.notReturned).compactMap { tables.records[Int($0)]?.id }
  }

  /// The time, if the scheduler needs it.
  @inlinable var now: Instant { scheduler.isTimed ? services.time.now() : 0 }

  // MARK: The scheduler's actions

  /// Takes the actions that the scheduler asks for, ahead of those that are pending.
  @inlinable
  func takeActions() {
    while let action = scheduler.actions.popLast() { tables.pending.append(action) }
  }

  /// Frees the memory that an event for many actions needed; no action is pending.
  @usableFromInline
  func dropLongLists() {
    if tables.pending.capacity > 1_024 { tables.pending = [] }
    if scheduler.actions.capacity > 1_024 { scheduler.actions = [] }
  }

  // MARK: The wake-up

  /// The instant of the next timer, unless a task sleeps until then or an earlier instant.
  func nextWakeUp() -> Instant? {
    scheduler.timers.earliest(before: wakeUp?.instant ?? .max)
  }

  /// Starts a task that sleeps until this instant, in place of the one that sleeps.
  func sleep(until instant: Instant, thenCall wake: @escaping LockWork) {
    cancelWakeUp()
    let next = WakeUp(at: instant, wake)
    next.sleep(by: services.time)
    wakeUp = next
  }

  /// Forgets the task that has slept until this instant.
  func didWake(at instant: Instant) {
    if wakeUp?.instant == instant { wakeUp = nil }
  }

  /// Cancels the task that sleeps until the next timer.
  func cancelWakeUp() {
    wakeUp?.cancel()
    wakeUp = nil
  }
}

/// A suspended `submit`.
@usableFromInline
final class Submitter<I: Interactor>: Linked, @unchecked Sendable {
  /// Creates the run of the action, once that is accepted; written where all types are known.
  let makeRun: (ActionID, StoreCore<I>) -> ActiveRun<I>

  /// The run that submits, if one does.
  let sender: Ticket?
  let promise = Promise<Result<Receipt, any Error>>()

  /// Whether it waits, and its neighbours in the line; the lock's holder touches these.
  var isWaiting = false
  @usableFromInline var previous: Submitter?
  @usableFromInline var following: Submitter?

  @usableFromInline
  init(sender: Ticket?, makeRun: @escaping (ActionID, StoreCore<I>) -> ActiveRun<I>) {
    self.sender = sender
    self.makeRun = makeRun
  }
}

/// The first action of an idempotency key, and those that were sent with the same key since, which wait for it.
struct KeyedRuns<I: Interactor> {
  let first: ActionID
  var followers: [ActiveRun<I>] = []
}

/// The task that sleeps until the next timer.
///
/// It holds the store until it wakes or is cancelled, at the end of the store at the latest. It has no weak reference to the store,
/// because an object counts its references in a table beside it from its first weak one on, which doubles the cost of each retain.
private final class WakeUp: Sendable {
  let instant: Instant
  private let wake: Lock<LockWork?>
  private let task = Lock<Task<Void, Never>?>(nil)

  init(at instant: Instant, _ wake: @escaping LockWork) {
    self.instant = instant
    self.wake = Lock(wake)
  }

  /// Begins to sleep.
  func sleep(by time: TimeSource) {
    let sleeper = Task.detached {
      do { try await time.sleep(until: self.instant) } catch { return }
      self.takeWake()?()
    }
    task.withLock { $0 = sleeper }
  }

  /// Wakes nothing any more, and releases the store.
  func cancel() {
    _ = takeWake()
    task.withLock { $0 }?.cancel()
  }

  private func takeWake() -> LockWork? {
    wake.withLock { wake in
      defer { wake = nil }
      return wake
    }
  }
}

/// The numbers of actions that did not finish, by how they ended, and of late emits.
@usableFromInline
struct Tally {
  var outcomes: [Outcome.Kind: Int] = [:]
  var rejections: [Rejection.Kind: Int] = [:]

  /// The number of actions that were rejected as full and have no run, as most are in an overload.
  @usableFromInline var refused = 0
  var lateEmits = 0

  /// The number of stored steps that runs which were handled again finished without.
  var unusedSteps = 0

  mutating func count(_ outcome: Outcome) {
    if case .rejected(let rejection) = outcome {
      rejections[rejection.kind, default: 0] += 1
    } else {
      outcomes[outcome.kind, default: 0] += 1
    }
  }
}

/// The part of a registry that every step of a run changes.
@usableFromInline
struct RunTables<I: Interactor> {
  /// The actions that the scheduler names, by their handles.
  @usableFromInline var records: ContiguousArray<ActiveRun<I>?> = []

  /// The scheduler's actions that are not performed yet, the next one last.
  @usableFromInline var pending: [Scheduler.Action] = []

  /// Whether these are being performed, and whether the scheduler's next steps are.
  @usableFromInline var isPerforming = false
  @usableFromInline var isStepping = false

  @usableFromInline var times = RunTimes()
}

/// The times that handlers have run, and those that actions have waited for them.
@usableFromInline
struct RunTimes {
  @usableFromInline var handle = Histogram()
  @usableFromInline var wait = Histogram()

  /// The times of runs from their acceptance to their end, by the names of their plans.
  var named: [Histogram] = []
}
