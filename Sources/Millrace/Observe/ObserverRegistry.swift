public import Synchronization

/// What a store looks at for its observers with every commit, whatever the type of the state.
///
/// All but `lingerers` is guarded by the store's lock.
@usableFromInline
class AnyObserverRegistry {
  /// Observers that wait for any newer state.
  @exclusivity(unchecked) private final var parked = PlacedList<Waiter>()

  /// The revision that observers were last told of.
  @exclusivity(unchecked) private final var published: Int

  /// Whether parts of the state are waited for, and nobody is on the way to evaluate them.
  @exclusivity(unchecked) final var needsPass = false {
    didSet { isAwaited = needsPass || !parked.isEmpty }
  }

  /// Whether somebody must be told when the lock is free.
  @exclusivity(unchecked) @usableFromInline private(set) final var isAwaited = false

  /// Whether somebody looks at each single commit.
  @exclusivity(unchecked) @usableFromInline final var needsEach = false

  /// Observers of states that were delivered one, and how many there are of values.
  @exclusivity(unchecked) final var positions = PlacedList<ObserverPosition>()
  @exclusivity(unchecked) final var valueObservers = 0

  /// Observers that look for a newer state before they park.
  private final let lingerers = Atomic(0)

  init(published: Int) {
    self.published = published
  }

  /// Whether there is no observer, be it one that does not wait now.
  final var isUnobserved: Bool { parked.isEmpty && positions.isEmpty && valueObservers == 0 }

  /// Lets the waiter wait for a newer state.
  final func park(_ waiter: Waiter) {
    parked.insert(waiter)
    isAwaited = true
  }

  /// Lets the waiter wait no more.
  final func unpark(_ waiter: Waiter) {
    parked.remove(waiter)
    isAwaited = needsPass || !parked.isEmpty
  }

  /// Who is to be told of `revision`; nobody is told twice of one.
  final func publish(_ revision: Int) -> [Waiter] {
    guard revision != published else { return [] }
    published = revision
    return takeParked()
  }

  /// Everybody who waits for a newer state.
  final func takeParked() -> [Waiter] {
    let taken = parked.takeAll()
    isAwaited = needsPass
    return taken
  }

  /// Looks for a newer revision than `seen` for a microsecond or so, if nobody else does; says whether there is one.
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

/// Who waits for what of one store; made when somebody first observes.
///
/// Guarded by the store's lock.
@usableFromInline
final class ObserverRegistry<I: Interactor>: AnyObserverRegistry, @unchecked Sendable {
  @usableFromInline
  typealias State = I.State

  /// What observers of every state have not replayed yet; there is none without such an observer.
  @exclusivity(unchecked) @usableFromInline private(set) var log: MutationLog<I>? {
    didSet { noteNeeds() }
  }

  /// What brings the next commits about, if somebody wants to know.
  @exclusivity(unchecked) @usableFromInline var cause: Cause<I.Action>?

  /// How many want to know what brings each commit about.
  private(set) var causeSeekers = 0

  /// Whether the store itself has to be told of each commit.
  @exclusivity(unchecked) @usableFromInline var tellsCommits = false {
    didSet { noteNeeds() }
  }

  /// Whether runs live only as long as each single state lets them.
  @exclusivity(unchecked) @usableFromInline var hasBonds = false {
    didSet { noteNeeds() }
  }

  /// Whether each state is judged by somebody.
  @exclusivity(unchecked) @usableFromInline private(set) var hasWatchers = false

  /// Predicates that judge each state that is committed.
  @exclusivity(unchecked) private var watchers: [Watcher<State>] = [] {
    didSet { noteNeeds() }
  }

  /// Observers of parts of the state.
  private let values = Selections<State>()

  private func noteNeeds() {
    hasWatchers = !watchers.isEmpty
    needsEach = hasWatchers || hasBonds || tellsCommits || log != nil
  }

  /// Whether nobody needs it, so that the store may do without one.
  var isUnused: Bool { !needsEach && isUnobserved && values.isEmpty }

  // MARK: Every state

  /// Lets the cursor read on from `revision`, which is the newest.
  func join(_ cursor: LogCursor<I>, at revision: Int) {
    let log = log ?? MutationLog<I>()
    if self.log == nil { self.log = log }
    if cursor.place == nil, cursor.seeksCauses { causeSeekers += 1 }
    log.join(cursor, at: revision)
  }

  /// Keeps nothing for the cursor any more.
  func leave(_ cursor: LogCursor<I>) {
    guard cursor.place != nil, let log else { return }
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
    guard revision >= log.nextCheck else { return false }
    log.check(at: revision)
    return true
  }

  /// Whether an observer is so far behind that the store should take on less.
  @usableFromInline var isBackpressured: Bool { log?.holding ?? 0 > 0 }

  // MARK: Predicates

  /// Lets a predicate judge each state from now on.
  func add(_ watcher: Watcher<State>) {
    watchers.append(watcher)
  }

  /// Lets a predicate judge no more.
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

  // MARK: Parts of the state

  /// The part at a key path, the same one for all its observers.
  func part<Value: Equatable & Sendable>(
    at keyPath: AnyKeyPath, make: () -> ObservedValue<State, Value>
  ) -> ObservedValue<State, Value> {
    values.part(at: keyPath, make: make)
  }

  /// Forgets the part at a key path, which nobody observes any more.
  func forget(_ keyPath: AnyKeyPath) {
    values.forget(keyPath)
  }

  /// How many key paths have observers.
  var keyPathCount: Int { values.keyPathCount }

  /// Has the part evaluated when the state changes.
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
