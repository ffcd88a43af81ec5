/// The parts of one store's state that are observed, each evaluated once a pass however many observe it.
///
/// A pass looks only at parts for which somebody waits, and goes on from a cursor, so that the lock is held for a few parts
/// at a time. Guarded by the store's lock.
@usableFromInline
final class Selections<State: Sendable> {
  /// How many parts are evaluated in one step.
  static var partsPerTurn: Int { 64 }

  /// Whether a pass is on its way or under way.
  private var isPassing = false

  /// The revision that the last pass began with.
  private var passed = 0

  private var byKeyPath: [AnyKeyPath: ObservedPart<State>] = [:]
  private var awaited = PlacedList<ObservedPart<State>>()
  private var cursor = 0

  /// Whether somebody waits and no pass is on its way.
  var isAwaited: Bool { !isPassing && !awaited.isEmpty }

  /// Whether somebody waits whose part may have changed by `revision`; a pass is under way then.
  func beginsPass(at revision: Int) -> Bool {
    guard isAwaited, passed != revision else { return false }
    isPassing = true
    return true
  }

  /// Whether it knows no part: one that is still awaited, though nobody observes it any more, comes back with its next observer.
  var isEmpty: Bool { byKeyPath.isEmpty && awaited.isEmpty && !isPassing }

  /// How many key paths have observers.
  var keyPathCount: Int { byKeyPath.count }

  /// The part at a key path, the same one for all its observers.
  func part<Value: Equatable & Sendable>(
    at keyPath: AnyKeyPath, make: () -> ObservedValue<State, Value>
  ) -> ObservedValue<State, Value> {
    if let known = byKeyPath[keyPath] as? ObservedValue<State, Value> { return known }
    let made = make()
    byKeyPath[keyPath] = made
    return made
  }

  /// Forgets the part at a key path, which nobody observes any more.
  func forget(_ keyPath: AnyKeyPath) {
    byKeyPath[keyPath] = nil
  }

  /// Counts the part among those somebody waits for.
  func await(_ part: ObservedPart<State>) {
    awaited.insert(part)
  }

  /// Evaluates some of the parts on `state`; says who is to be told, and whether the pass has ended.
  func pass(over state: State, revision: Int) -> (told: [Waiter], isOver: Bool) {
    if cursor == 0 { passed = revision }
    var told: [Waiter] = []
    var left = Self.partsPerTurn
    while cursor < awaited.elements.count, left > 0 {
      let part = awaited.elements[cursor]
      if part.evaluate(state, into: &told) { cursor += 1 } else { awaited.remove(part) }
      left -= 1
    }
    guard cursor >= awaited.elements.count else { return (told, false) }
    cursor = 0
    guard awaited.isEmpty || passed == revision else { return (told, false) }
    isPassing = false
    return (told, true)
  }

  /// Lets everybody who waits go on, for the last time.
  func end() -> [Waiter] {
    var told: [Waiter] = []
    for part in awaited.takeAll() { part.end(into: &told) }
    cursor = 0
    return told
  }
}

/// One observed part of the state, whatever its type.
@usableFromInline
class ObservedPart<State: Sendable>: Placed, @unchecked Sendable {
  /// The index of this part among those that are awaited, while it is; guarded by the store's lock.
  @exclusivity(unchecked) final var place: Int?

  /// Adds to `told` those for whom the part is news in `state`; false if nobody waits for it any more.
  func evaluate(_ state: State, into told: inout [Waiter]) -> Bool { false }

  /// Adds all who wait to `told`, for the last time.
  func end(into told: inout [Waiter]) {}
}
