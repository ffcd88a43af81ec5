public import Synchronization

/// The part of a registry of observers that is the same for states of all types.
///
/// All but `lingerers` is guarded by the store's lock.
@usableFromInline
class AnyObserverRegistry {
  /// The reasons to look at this registry with each commit.
  @exclusivity(unchecked) @usableFromInline final var needs: ObserverNeeds = []

  /// Observers that wait for any newer state.
  private final var parked = IndexedList<Waiter>()

  /// The newest revision that observers were notified of.
  private final var published: Int

  /// Whether observers wait for parts of the state, and no pass that evaluates them is under way.
  final var needsPass = false {
    didSet { updateAwaited() }
  }

  /// The observers of states that got one, and the number of observers of values.
  final var positions = IndexedList<ObserverPosition>()
  final var valueObservers = 0

  /// Observers that look for a newer state before they park.
  private final let lingerers = Atomic(0)

  init(published: Int) {
    self.published = published
  }

  /// Whether there is no observer, waiting or not.
  final var isUnobserved: Bool { parked.isEmpty && positions.isEmpty && valueObservers == 0 }

  /// Registers the waiter for a newer state.
  final func park(_ waiter: Waiter) {
    parked.insert(waiter)
    updateAwaited()
  }

  /// Removes the waiter.
  final func unpark(_ waiter: Waiter) {
    parked.remove(waiter)
    updateAwaited()
  }

  private final func updateAwaited() {
    needs.set(.notification, needsPass || !parked.isEmpty)
  }

  /// The waiters to notify of `revision`; each is notified once of a revision.
  final func publish(_ revision: Int) -> [Waiter] {
    guard revision != published else { return [] }
    published = revision
    return takeParked()
  }

  /// Everybody who waits for a newer state.
  final func takeParked() -> [Waiter] {
    let taken = parked.takeAll()
    updateAwaited()
    return taken
  }

  /// Looks for a newer revision than `seen` for a microsecond or so, if no other thread does; says whether there is one.
  ///
  /// To park, and to be woken, costs several times that. From any thread.
  @usableFromInline
  final func linger(after seen: Int, newest: borrowing Atomic<Int>) -> Bool {
    guard lingerers.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged else { return false }
    defer { lingerers.store(0, ordering: .relaxed) }
    for _ in 0..<AnyObserverRegistry.looks {
      if newest.load(ordering: .relaxed) > seen { return true }
      pause(1)
    }
    return false
  }

  private static var looks: Int { 64 }
}

/// The reasons why a store looks at its registry of observers with each commit.
@usableFromInline
struct ObserverNeeds: OptionSet {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Observers wait to be notified once the lock is free.
  @inlinable static var notification: ObserverNeeds { ObserverNeeds(rawValue: 1) }

  /// Observers replay the log.
  @inlinable static var log: ObserverNeeds { ObserverNeeds(rawValue: 2) }

  /// Interceptors or a witness are notified of each commit.
  @inlinable static var commits: ObserverNeeds { ObserverNeeds(rawValue: 4) }

  /// Predicates judge each state.
  @inlinable static var watchers: ObserverNeeds { ObserverNeeds(rawValue: 8) }

  /// Runs end when a commit removes their child.
  @inlinable static var conditions: ObserverNeeds { ObserverNeeds(rawValue: 16) }

  /// The wake time of the state is noted with each commit.
  @inlinable static var wake: ObserverNeeds { ObserverNeeds(rawValue: 32) }

  /// The reasons that concern each single commit.
  @inlinable static var each: ObserverNeeds { [.log, .commits, .watchers, .conditions, .wake] }

  mutating func set(_ need: ObserverNeeds, _ isNeeded: Bool) {
    if isNeeded { insert(need) } else { remove(need) }
  }
}

/// The observers of one store; made when the first one comes.
///
/// Guarded by the store's lock.
@usableFromInline
final class ObserverRegistry<I: Interactor>: AnyObserverRegistry, @unchecked Sendable {
  @usableFromInline
  typealias State = I.State

  /// The mutations that observers of every state have not replayed yet; nil without such an observer.
  @exclusivity(unchecked) @usableFromInline private(set) var log: MutationLog<I>? {
    didSet { needs.set(.log, log != nil) }
  }

  /// The cause of the next commits, if observers or interceptors ask for it.
  @usableFromInline var cause: Cause<I.Action>?

  /// The number of observers that ask for the cause of each commit.
  private(set) var causeSeekers = 0

  /// Predicates that judge each state that is committed.
  private var watchers: [Watcher<State>] = [] {
    didSet { needs.set(.watchers, !watchers.isEmpty) }
  }

  /// The wall time in milliseconds at which a state needs the store, by the feedbacks of a store that hibernates; nil for any other store.
  var wake: (@Sendable (State) -> Int64?)? {
    didSet { needs.set(.wake, wake != nil) }
  }

  /// Called once, when the need for the store may have changed.
  private var wakeWork: [@Sendable () -> Void] = []

  /// Observers of parts of the state.
  private let values = Selections<State>()

  /// Whether no observer needs it, so that the store can drop it.
  var isUnused: Bool { needs.isDisjoint(with: .each) && isUnobserved && values.isEmpty }

  // MARK: Every state

  /// Moves the cursor to `revision`, which is the newest.
  func join(_ cursor: LogCursor<I>, at revision: Int) {
    let log = log ?? MutationLog<I>()
    if self.log == nil { self.log = log }
    if cursor.index == nil, cursor.seeksCauses { causeSeekers += 1 }
    log.join(cursor, at: revision)
  }

  /// Keeps nothing for the cursor any more.
  func leave(_ cursor: LogCursor<I>) {
    guard cursor.index != nil, let log else { return }
    if cursor.seeksCauses { causeSeekers -= 1 }
    log.leave(cursor)
    if log.cursors.isEmpty { self.log = nil }
  }

  /// Keeps the mutation that led to `revision` for those who replay it; says whether it has to be asked who holds the store
  /// up.
  @inlinable
  func keep(_ mutation: I.Mutation, at revision: Int) -> Bool {
    guard let log else { return false }
    log.append(LogEntry(mutation: mutation, cause: cause))
    guard revision >= log.end.nextCheck else { return false }
    log.check(at: revision)
    return true
  }

  /// Whether an observer is so far behind that the store should take on less.
  @usableFromInline var isBackpressured: Bool { log?.holding ?? 0 > 0 }

  // MARK: Predicates

  /// Registers a predicate, which is evaluated on each state from now on.
  func add(_ watcher: Watcher<State>) {
    watchers.append(watcher)
  }

  /// Removes a predicate.
  func remove(_ watcher: Watcher<State>) {
    watchers.removeAll { $0 === watcher }
  }

  /// The watchers that this state satisfies; they judge no more.
  ///
  /// One whose wait was cancelled or timed out has its result before it is removed here; it judges no more either.
  func takeWatchers(satisfiedBy state: State) -> [Watcher<State>] {
    var satisfied: [Watcher<State>] = []
    watchers.removeAll { watcher in
      if watcher.hasEnded { return true }
      guard watcher.predicate(state) else { return false }
      satisfied.append(watcher)
      return true
    }
    return satisfied
  }

  /// All watchers, taken out.
  func takeWatchers() -> [Watcher<State>] {
    defer { watchers = [] }
    return watchers
  }

  // MARK: The wake time

  /// Registers a closure that is called when the need for the store may have changed.
  func whenWakeChanges(_ work: @escaping @Sendable () -> Void) { wakeWork.append(work) }

  /// Calls what waits for a change of the need for the store.
  func wakeMayChange() {
    if wakeWork.isEmpty { return }
    let works = wakeWork
    wakeWork = []
    for work in works { work() }
  }

  // MARK: Parts of the state

  /// The part at a key path, the same one for all its observers.
  func part<Value: Equatable & Sendable>(
    at keyPath: AnyKeyPath, make: () -> ObservedValue<State, Value>
  ) -> ObservedValue<State, Value> {
    values.part(at: keyPath, make: make)
  }

  /// Forgets the part at a key path, which has no observer any more.
  func forget(_ keyPath: AnyKeyPath) {
    values.forget(keyPath)
  }

  /// The number of key paths that have observers.
  var keyPathCount: Int { values.keyPathCount }

  /// Marks the part for evaluation at the next change of the state.
  func await(_ part: ObservedPart<State>) {
    values.await(part)
    needsPass = values.isAwaited
  }

  /// Whether a pass over the parts is to be begun because of what was committed up to `revision`; it is under way then.
  func beginsPass(at revision: Int) -> Bool {
    guard needsPass, values.beginsPass(at: revision) else { return false }
    needsPass = false
    return true
  }

  /// Evaluates some of the parts on `state`; says who is to be told, and whether the pass has ended.
  func pass(over state: State, revision: Int) -> (told: [Waiter], isOver: Bool) {
    let pass = values.pass(over: state, revision: revision)
    if pass.isOver { needsPass = values.isAwaited }
    return pass
  }

  /// Everybody who waits for anything but a predicate, for the last time.
  func end() -> [Waiter] {
    let told = takeParked() + values.end()
    needsPass = false
    return told
  }
}
