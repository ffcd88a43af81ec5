/// Which answers are held back until a later call was answered, as a value without tasks and locks.
struct Overtaking<Waiter: Sendable>: Sendable {
  private var latest = 0
  private var waiting: [Int: Waiter] = [:]

  init() {}

  /// The answer to the call of this turn is held back, unless a later one was answered.
  mutating func wait(_ waiter: Waiter, turn: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if turn < latest { return .wake([waiter]) }
    waiting[turn] = waiter
    return .none
  }

  /// The call of this turn was answered; gives those that were held back for it, earliest first.
  mutating func answered(_ turn: Int) -> [Waiter] {
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
