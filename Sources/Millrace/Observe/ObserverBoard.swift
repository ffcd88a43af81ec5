/// Who waits for what of one store; made when somebody first observes.
///
/// Guarded by the store's turn.
@usableFromInline
final class ObserverBoard<State: Sendable>: Noticeboard, @unchecked Sendable {
  /// Predicates that judge each state that is committed.
  private var watchers: [Watcher<State>] = []

  /// Observers of parts of the state.
  private let values = ValueHub<State>()

  // MARK: Predicates

  /// Lets a predicate judge each state from now on.
  func add(_ watcher: Watcher<State>) {
    watchers.append(watcher)
    hasWatchers = true
  }

  /// Lets a predicate judge no more.
  func remove(_ watcher: Watcher<State>) {
    watchers.removeAll { $0 === watcher }
    hasWatchers = !watchers.isEmpty
  }

  /// The watchers that this state satisfies; they judge no more.
  func takeWatchers(satisfiedBy state: State) -> [Watcher<State>] {
    var satisfied: [Watcher<State>] = []
    watchers.removeAll { watcher in
      guard watcher.predicate(state) else { return false }
      satisfied.append(watcher)
      return true
    }
    hasWatchers = !watchers.isEmpty
    return satisfied
  }

  /// All watchers, taken out.
  func takeWatchers() -> [Watcher<State>] {
    defer {
      watchers = []
      hasWatchers = false
    }
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
