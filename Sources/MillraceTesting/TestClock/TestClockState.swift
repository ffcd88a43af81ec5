/// The sleepers of a test clock and those who wait for sleepers, as a value without tasks and locks.
///
/// Each event returns what is to be done once the lock around this value was released.
struct TestClockState<Waiter> {
  private struct Sleeper {
    var deadline: TestClock.Instant
    /// Counts registrations, so that equal deadlines are woken in the order they came.
    var turn: Int
    var waiter: Waiter
  }

  private(set) var now = TestClock.Instant(offset: .zero)
  private var sleepers: [Int: Sleeper] = [:]
  private var watchers = CountWaiters<Waiter>()
  private var lastID = 0
  private var turns = 0

  /// How many sleepers are registered.
  var sleeperCount: Int { sleepers.count }

  /// The deadlines of the registered sleepers, in the order in which they are woken.
  var deadlines: [TestClock.Instant] { sleepers.values.sorted(by: Self.isWokenFirst).map(\.deadline) }

  /// The ids of those that sleep, in the order in which they are woken.
  var sleeperIDs: [Int] { sleepers.sorted { Self.isWokenFirst($0.value, $1.value) }.map(\.key) }

  /// A number that no other sleeper or watcher has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// A task wants to sleep until `deadline`.
  mutating func sleep(
    _ waiter: Waiter, id: Int, until deadline: TestClock.Instant, isCancelled: Bool
  ) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if deadline <= now { return .wake([waiter]) }
    turns += 1
    sleepers[id] = Sleeper(deadline: deadline, turn: turns, waiter: waiter)
    return .wake(watchers.take(reachedBy: sleepers.count))
  }

  /// A task wants to go on when `count` tasks sleep.
  mutating func watch(_ waiter: Waiter, id: Int, count: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if count <= sleepers.count { return .wake([waiter]) }
    watchers.add(waiter, id: id, count: count)
    return .none
  }

  /// A task was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancel(_ id: Int) -> WakeAction<Waiter> {
    if let waiter = sleepers.removeValue(forKey: id)?.waiter ?? watchers.remove(id) { return .cancel(waiter) }
    return .none
  }

  /// The time moves to `instant`, if that is after now.
  mutating func advance(to instant: TestClock.Instant) -> WakeAction<Waiter> {
    guard instant > now else { return .none }
    now = instant
    let due =
      sleepers
      .filter { $0.value.deadline <= instant }
      .sorted { Self.isWokenFirst($0.value, $1.value) }
    for (id, _) in due { sleepers[id] = nil }
    return .wake(due.map(\.value.waiter))
  }

  /// The time moves to the latest deadline there is.
  mutating func run() -> WakeAction<Waiter> {
    guard let latest = sleepers.values.map(\.deadline).max() else { return .none }
    return advance(to: latest)
  }

  private static func isWokenFirst(_ left: Sleeper, _ right: Sleeper) -> Bool {
    (left.deadline, left.turn) < (right.deadline, right.turn)
  }
}
