public import Synchronization

/// The part of a store that any thread may use: it locks, has ``owned`` do a step, and unlocks.
///
/// The store holds it; so does each handler that has not returned, for as long as that may ask for the state.
///
/// | File | The part of the way |
/// |---|---|
/// | StoreCore | the lock, the state, metrics |
/// | StoreCore+Sending, StoreCore+Interception | from `send` and `submit` to the lock, through the interceptors |
/// | StoreCore+Requests | requests: an action, and the answer that its caller waits for |
/// | Handler | the task of a handler, its mutations and its return |
/// | StoreCore+Observation | observers that look, wait and leave |
/// | Owned, Owned+Runs, Owned+Observers, Owned+Journal | the step: take up, decide, commit; runs; notifications; the journal |
/// | BetweenSteps | cancelling, timers and shutdown, which do several steps; tasks that end with the store |
@usableFromInline
package final class StoreCore<I: Interactor>: Combining, @unchecked Sendable {
  @usableFromInline let lock = CombiningLock()

  /// The newest revision: the lock's holder writes it, any thread reads it.
  ///
  /// It stands beside `owned`, because a read by another thread would overlap with the holder's access to that.
  @usableFromInline let newest = Atomic(0)

  @usableFromInline let interactor: I

  /// The state, and everything else that the lock guards; named between locking and unlocking, and in work that the lock performs.
  ///
  /// A step that has it performs no other step: ``BetweenSteps`` does so between two steps.
  @exclusivity(unchecked) @usableFromInline var owned: Owned<I>

  @usableFromInline let configuration: StoreConfiguration

  /// Whether actions pass interceptors; the lock's holder sets it, any thread reads it.
  @usableFromInline let isIntercepted = Atomic(false)

  /// The number of queued actions that a holder has taken; the lock's holder writes it, any thread reads it.
  @usableFromInline let queuedAndTaken = Atomic<UInt32>(0)

  /// The number of actions that were queued for a holder.
  let queued = Atomic(0)

  /// The number of actions that were rejected because too many were queued.
  let overflowed = Atomic(0)

  /// Made by the lock's holder when a run or an interceptor first needs it; from then on any thread reads it.
  @exclusivity(unchecked) @usableFromInline private(set) var services: StoreServices<I>?

  @usableFromInline let code: InteractorCode<I>

  /// Holds back what is not durable; nil if the store was made without a journal.
  @usableFromInline let gate: DurabilityGate?

  /// Whether the store was made with a journal.
  @usableFromInline var isJournaled: Bool { gate != nil }

  @usableFromInline
  init(
    state: I.State, interactor: I, configuration: StoreConfiguration, code: InteractorCode<I>,
    gate: DurabilityGate? = nil
  ) {
    owned = Owned(state: state)
    self.interactor = interactor
    self.configuration = configuration
    self.code = code
    self.gate = gate
  }

  /// Sets the revision of the restored state, and the journal; before the store is used.
  @usableFromInline
  func restore(_ revision: Int, journal sink: any JournalSink<I.Action, I.Mutation, I.State>, _ gate: DurabilityGate) {
    owned.restore(revision, journal: sink, gate, at: self)
  }

  /// The services, made if there are none; for the lock's holder, in a step too.
  @usableFromInline
  func makeServices() -> StoreServices<I> {
    if let services { return services }
    let made = StoreServices<I>(configuration)
    services = made
    return made
  }

  /// The time on the store's clock; for a run, and for the lock's holder.
  @inlinable
  func now() -> Instant {
    services?.time.now() ?? 0
  }

  /// The time until an instant, zero once that is over, and nil for `Instant.max`; for a run.
  func timeRemaining(until deadline: Instant) -> Duration? {
    deadline == .max ? nil : .nanoseconds(max(deadline - now(), 0))
  }

  /// The same for all attempts at one action, and for no other action.
  @usableFromInline
  func runKey(of run: ActiveRun<I>) -> RunKey {
    run.takenUp?.key ?? RunKey("\(services?.keyPrefix ?? "")-\(run.id.number)", isSenders: false)
  }

  /// Whether a handler starts on the pool, whatever thread starts it; nil is a plan that does not say where.
  func startsOnPool(_ planned: StoreConfiguration.HandlerStart?) -> Bool {
    (planned ?? configuration.handlersStart) == .onPool
  }

  // MARK: Steps

  /// Unlocks, after all that is to be done with the lock; the rest is done right after.
  @inlinable
  @inline(__always)
  func unlock() {
    if !lock.tryUnlock() { unlockSlowly() }
  }

  @inlinable
  @inline(never)
  func unlockSlowly() {
    lock.unlockSlowly(for: self)
  }

  /// Does a step if the lock is free soon, and returns its result; nil if the lock stays taken.
  @inlinable
  func tryPerform<Value>(_ step: (inout Owned<I>) -> Value) -> Value? {
    guard lock.tryLockSpinning() else { return nil }
    let value = step(&owned)
    unlock()
    return value
  }

  /// Does a step with the lock: at once if it is free, otherwise in the order of the calls; never waits.
  ///
  /// The closure of the step costs an allocation more than the work that the lock performs: paths where that counts give that instead.
  @usableFromInline
  func perform(_ step: @escaping @Sendable (inout Owned<I>) -> Void) {
    lock.perform(for: self) { step(&self.owned) }
  }

  /// Does a step with the lock before this returns, or right after the step that calls this.
  func performUrgently(_ step: @escaping @Sendable (inout Owned<I>) -> Void) {
    lock.performUrgently(for: self) { step(&self.owned) }
  }

  /// Returns the result of a step, done as by `performUrgently`; nil inside a step.
  func performNow<Value: Sendable>(_ step: @escaping @Sendable (inout Owned<I>) -> Value) -> Value? {
    if lock.isHeldHere { return nil }
    let result = Lock<Value?>(nil)
    performUrgently { owned in
      let value = step(&owned)
      result.withLock { $0 = value }
    }
    return result.withLock { $0 }
  }

  /// Does the urgent steps that are registered; for the lock's holder, between two steps.
  @usableFromInline
  func performUrgentSteps() {
    lock.performUrgentSteps(for: self)
  }

  @usableFromInline
  package func relieve() {
    lock.relieve(for: self)
  }

  /// Notifies observers of the commits since the lock was free.
  @usableFromInline
  package func willUnlock() {
    owned.publish(at: self)
    guard let sink = owned.journal?.sink, sink.flush() else { return }
    sink.takeSnapshot(of: owned.state, revision: revision)
  }

  /// Answers the receipts of an action, and cancels its task if it was ended, once the lock is free; for the lock's holder.
  @usableFromInline
  func answerAfterUnlock(_ ticket: Ticket) {
    lock.afterUnlock { ticket.answer() }
  }

  // MARK: The state

  /// The number of mutations that were committed: exact for the lock's holder; for others there may be more by now.
  @inlinable var revision: Int { newest.load(ordering: .acquiring) }

  /// The newest state, with every mutation in it that was sent or emitted before the call.
  @inlinable
  nonisolated(nonsending) package func read() async -> Snapshot<I.State> {
    if lock.tryLock() || lock.tryLockSpinning() {
      let snapshot = owned.snapshot(at: self)
      unlock()
      return snapshot
    }
    return await readBehindOthers()
  }

  @usableFromInline
  nonisolated(nonsending) func readBehindOthers() async -> Snapshot<I.State> {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Snapshot<I.State>, Never>) in
      perform { owned in
        let snapshot = owned.snapshot(at: self)
        self.lock.afterUnlock { continuation.resume(returning: snapshot) }
      }
    }
  }

  /// The newest state, read before this returns: waits for at most the step in progress; nil from inside one.
  func readAtOnce() -> Snapshot<I.State>? {
    performNow { $0.snapshot(at: self) }
  }

  /// The counts and measurements so far.
  @usableFromInline
  func metrics() async -> Metrics {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Metrics, Never>) in
      perform { owned in
        let metrics = owned.metrics(at: self)
        self.lock.afterUnlock { continuation.resume(returning: metrics) }
      }
    }
  }
}

/// The code of a store that is compiled where all types are known: by the module of the client, which calls `Store.init`.
///
/// Code that is compiled with the core looks up each type that depends on the interactor at run time, whenever it needs one.
@usableFromInline
struct InteractorCode<I: Interactor>: Sendable {
  /// Creates the task of a handler, on this thread up to the first suspension if `immediately`.
  @usableFromInline let makeTask: @Sendable (HandlerCall<I>, StoreCore<I>, _ immediately: Bool) -> Task<Void, any Error>

  /// Performs the actions that the scheduler asks for.
  @usableFromInline let performActions: @Sendable (inout Owned<I>, RunRegistry<I>, StoreCore<I>) -> Void

  @inlinable
  init(
    makeTask: @escaping @Sendable (HandlerCall<I>, StoreCore<I>, _ immediately: Bool) -> Task<Void, any Error>,
    performActions: @escaping @Sendable (inout Owned<I>, RunRegistry<I>, StoreCore<I>) -> Void
  ) {
    self.makeTask = makeTask
    self.performActions = performActions
  }
}

/// The handler that is started.
@usableFromInline
enum HandlerCall<I: Interactor> {
  /// The only one of a run.
  case run(ActiveRun<I>)
  case attempt(Attempt<I>)
}
