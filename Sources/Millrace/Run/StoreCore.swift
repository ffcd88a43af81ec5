public import Synchronization

/// A store's core: its state, its actions and its observers, behind one lock.
///
/// The store holds it; so does each handler that has not returned, for as long as that may ask for the state. What is rarely
/// needed stands in its ledger. Methods that say *with the lock* are called by the lock's holder alone.
@usableFromInline
package final class StoreCore<I: Interactor>: Combining, @unchecked Sendable {
  @usableFromInline let lock = CombiningLock()

  /// The newest revision: written with the lock, read by anybody; it stands near the lock and the state on purpose.
  @usableFromInline let newest = Atomic(0)

  @usableFromInline let interactor: I
  @exclusivity(unchecked) @usableFromInline var state: I.State
  @exclusivity(unchecked) @usableFromInline var registry: ObserverRegistry<I>?

  /// Whether more mutations may come, so that observers have something to wait for.
  @exclusivity(unchecked) @usableFromInline var isOpen = true

  @usableFromInline let configuration: StoreConfiguration

  // The flags stand together, so that they take one word.

  /// Whether any action is accepted, wherever it comes from.
  @exclusivity(unchecked) @usableFromInline var isAdmitting = true {
    didSet { updateFastPath() }
  }

  /// Whether an action that is decided at once needs no run: any is accepted, and nobody asks what brings commits about.
  @exclusivity(unchecked) @usableFromInline private(set) var isFastPath = true

  /// Whether an observer is so far behind that the store takes on less.
  @exclusivity(unchecked) private(set) var isBackpressured = false {
    didSet { updateFastPath() }
  }

  /// Whether observers want to know what brings commits about.
  @exclusivity(unchecked) private var showsCauses = false {
    didSet { updateFastPath() }
  }

  /// Whether actions pass interceptors; set with the lock, read by anybody.
  @usableFromInline let isIntercepted = Atomic(false)

  /// How many of the actions that were queued for a holder it has taken; written with the lock, and anybody's to read.
  @usableFromInline let leftAndTaken = Atomic<UInt32>(0)

  /// How many actions were taken up at once.
  ///
  /// *With the lock.*
  @exclusivity(unchecked) @usableFromInline var takenAtOnce = 0

  /// How many actions were queued for a holder.
  let left = Atomic(0)

  /// How many actions were rejected because too many were left.
  let overflowed = Atomic(0)

  /// Made with the lock when it is first needed; from then on it is read by anybody.
  @exclusivity(unchecked) @usableFromInline var ledger: Ledger<I>?

  @usableFromInline let code: InteractorCode<I>

  @usableFromInline
  init(state: I.State, interactor: I, configuration: StoreConfiguration, code: @escaping InteractorCode<I>) {
    self.state = state
    self.interactor = interactor
    self.configuration = configuration
    self.code = code
    if let witness = configuration.witness { begin(witness) }
  }

  /// The ledger, made if there is none.
  ///
  /// *With the lock.*
  @inlinable
  var ownLedger: Ledger<I> { ledger ?? makeLedger() }

  @usableFromInline
  func makeLedger() -> Ledger<I> {
    let made = Ledger<I>(configuration)
    ledger = made
    return made
  }

  /// *With the lock.*
  func updateFastPath() {
    if !namesCauses { registry?.cause = nil }
    isFastPath = isAdmitting && !isBackpressured && !namesCauses
  }

  /// Whether anybody wants to know what brings commits about.
  ///
  /// *With the lock.*
  private var namesCauses: Bool { showsCauses || ledger?.chain != nil }

  /// Notes whether an observer is so far behind that the store should take on less.
  ///
  /// *With the lock.*
  func observersHold(_ isBackpressured: Bool) {
    guard isBackpressured != self.isBackpressured else { return }
    self.isBackpressured = isBackpressured
    guard !isBackpressured, let ledger else { return }
    ledger.scheduler.admitLater()
    performActions(ledger)
  }

  /// Tells of a commit, as long as the registry says that this is wanted.
  ///
  /// *With the lock.*
  @usableFromInline
  func didCommit(_ mutation: I.Mutation) {
    noteCommitted(mutation)
    configuration.witness?.committed(mutation, revision: revision, state: state, identity: self, of: I.self)
  }

  /// Notes whether observers want to know what brings commits about.
  ///
  /// *With the lock.*
  func causesAreSought(_ areSought: Bool) {
    if areSought != showsCauses { showsCauses = areSought }
  }

  /// The time on the store's clock; for whoever runs, or holds the lock.
  @inlinable
  func now() -> Instant {
    ledger?.time.now() ?? 0
  }

  /// The id of an action that is taken up at once.
  ///
  /// *With the lock.*
  @inlinable
  func nextID() -> ActionID {
    takenAtOnce &+= 1
    return .takenAtOnce(takenAtOnce)
  }

  /// The same for all attempts at one action, and for no other action.
  func idempotencyKey(of run: ActiveRun<I>) -> String {
    "\(ledger?.keyPrefix ?? "")-\(run.id.number)"
  }

  /// Does `work` when the step in progress is done, with the same lock.
  ///
  /// *With the lock.*
  func afterStep(_ work: @escaping @Sendable (StoreCore<I>) -> Void) {
    lock.afterStep { [unowned self] in work(self) }
  }

  // MARK: The lock

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

  /// Does `work` with the lock: at once if it is free, otherwise in the order of the calls; never waits.
  @inlinable
  func perform(_ work: @escaping CombiningLock.Work) {
    lock.perform(for: self, work)
  }

  /// Queues work for the lock's holder.
  @inlinable
  func enqueue(_ work: @escaping CombiningLock.Work) {
    lock.enqueue(for: self, work)
  }

  /// Does `work` with the lock before this returns, or right after the step that calls this.
  func performUrgently(_ work: @escaping CombiningLock.Work) {
    lock.performUrgently(for: self, work)
  }

  /// Returns the result of `work`, done as by `performUrgently`; nil inside a step.
  func performNow<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
    if lock.isHeldHere { return nil }
    let result = Lock<Value?>(nil)
    performUrgently {
      let value = work()
      result.withLock { $0 = value }
    }
    return result.withLock { $0 }
  }

  @usableFromInline
  package func relieve() {
    lock.relieve(for: self)
  }

  // MARK: Running

  /// Starts a run of an action that was taken up, or lets it wait for a slot.
  ///
  /// *With the lock.*
  @inlinable
  func start(_ run: ActiveRun<I>) {
    if let handle = run.handle { return raise(.decided(handle, .handles)) }
    let ledger = ownLedger
    guard let handle = ledger.scheduler.launchAtOnce() else { return waitForSlot(run, ledger) }
    ledger.keep(run, handle)
    run.store = ledger.store
    ledger.waitTime.record(nanoseconds: 0)
    begin(run)
  }

  @usableFromInline
  func waitForSlot(_ run: ActiveRun<I>, _ ledger: Ledger<I>) {
    let handle = ledger.scheduler.add()
    ledger.keep(run, handle)
    ledger.scheduler.handle(.decided(handle, .handles), at: ledger.time.now())
    performActions(ledger)
  }

  /// Begins the one handler of a run once the lock is free.
  ///
  /// *With the lock.*
  @inlinable
  func begin(_ run: ActiveRun<I>) {
    run.core = self
    lock.startAfterUnlock(run)
  }

  /// Commits a mutation of a run.
  ///
  /// *With the lock.*
  @inlinable
  func commit(_ mutation: I.Mutation, of run: ActiveRun<I>) {
    if !isFastPath { nameCause(run) }
    commit(mutation)
    if run.lastRevision == 0 { noteFirstCommit(of: run) }
    run.lastRevision = revision
  }

  /// Says that what is committed next is brought about by this run, if somebody wants to know.
  @usableFromInline
  func nameCause(_ run: ActiveRun<I>) {
    if namesCauses { _ = cause(of: run) }
  }

  @usableFromInline
  func noteFirstCommit(of run: ActiveRun<I>) {
    if let answer = run.noteFirstCommit(revision) { lock.afterUnlock(answer) }
    if run.isShared { noteFirstCommit(ofMembersOf: run) }
  }
}
