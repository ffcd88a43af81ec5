/// The answers that are held back until a later call has ended, as a value without tasks and locks.
struct Overtaking<Waiter: Sendable>: Sendable {
  /// The latest turn that has ended.
  private var latest = 0
  private var underWay: Set<Int> = []
  private var waiting: [Int: Waiter] = [:]

  init() {}

  /// The call of this turn comes.
  mutating func begin(_ turn: Int) {
    underWay.insert(turn)
  }

  /// The answer to the call of this turn is held back, unless a later one has ended.
  ///
  /// With `onlyUnderWay` it is not held back either where no later one has come.
  mutating func wait(_ waiter: Waiter, turn: Int, onlyUnderWay: Bool, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if turn < latest || onlyUnderWay && !underWay.contains(where: { $0 > turn }) { return .wake([waiter]) }
    waiting[turn] = waiter
    return .none
  }

  /// The call of this turn has ended, however; gives those that were held back for it, earliest first.
  mutating func end(_ turn: Int) -> [Waiter] {
    underWay.remove(turn)
    latest = max(latest, turn)
    guard !waiting.isEmpty else { return [] }
    let overtaken = waiting.filter { $0.key < turn }.sorted { $0.key < $1.key }
    for (turn, _) in overtaken { waiting[turn] = nil }
    return overtaken.map(\.value)
  }

  /// The call of this turn is not held back any more.
  mutating func cancel(_ turn: Int) -> WakeAction<Waiter> {
    waiting.removeValue(forKey: turn).map { .cancel($0) } ?? .none
  }
}
