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
  /// The waits for a deadline to move the time to, in order of arrival.
  private var movers: [(id: Int, limit: TestClock.Instant, waiter: Waiter)] = []
  /// The waits for a number of sleepers to move the time past, in order of arrival.
  private var steppers: [(id: Int, sleepers: Int, end: TestClock.Instant, waiter: Waiter)] = []
  private var lastID = 0
  private var turns = 0

  /// The number of registered sleepers.
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
    let watching = watchers.take(reachedBy: sleepers.count)
    if let index = movers.firstIndex(where: { deadline <= $0.limit }) {
      let mover = movers.remove(at: index).waiter
      return .wake(watching + advance(to: deadline).woken + [mover])
    }
    if let index = steppers.firstIndex(where: { $0.sleepers <= sleepers.count }) {
      let stepper = steppers.remove(at: index)
      return .wake(watching + advance(toNextUpTo: stepper.end) + [stepper.waiter])
    }
    return .wake(watching)
  }

  /// A task wants the time to move to the next deadline, or to `end` if that is earlier, as soon as `count` tasks sleep.
  ///
  /// - Parameter isOver: whether it has no wish to wait any more.
  mutating func step(
    _ waiter: Waiter, id: Int, sleepers count: Int, end: TestClock.Instant, isCancelled: Bool, isOver: Bool = false
  ) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if isOver { return .wake([waiter]) }
    if count <= sleepers.count { return .wake(advance(toNextUpTo: end) + [waiter]) }
    steppers.append((id, count, end, waiter))
    return .none
  }

  private mutating func advance(toNextUpTo end: TestClock.Instant) -> [Waiter] {
    advance(to: min(sleepers.values.map(\.deadline).min() ?? end, end)).woken
  }

  /// A task wants the time to move to the next deadline, if that is not after `limit`, and to continue after that.
  ///
  /// - Parameter isOver: whether it has no wish to wait any more.
  mutating func move(
    _ waiter: Waiter, id: Int, limit: TestClock.Instant, isCancelled: Bool, isOver: Bool = false
  ) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if isOver { return .wake([waiter]) }
    if let next = sleepers.values.map(\.deadline).min(), next <= limit {
      return .wake(advance(to: next).woken + [waiter])
    }
    movers.append((id, limit, waiter))
    return .none
  }

  /// A task that waits to move the time continues without a move; nothing is left to do when it does not wait.
  mutating func release(_ id: Int) -> WakeAction<Waiter> {
    removeMover(id).map { .wake([$0]) } ?? .none
  }

  private mutating func removeMover(_ id: Int) -> Waiter? {
    if let index = movers.firstIndex(where: { $0.id == id }) { return movers.remove(at: index).waiter }
    return steppers.firstIndex { $0.id == id }.map { steppers.remove(at: $0).waiter }
  }

  /// Registers a task that waits until `count` tasks sleep.
  mutating func watch(_ waiter: Waiter, id: Int, count: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if count <= sleepers.count { return .wake([waiter]) }
    watchers.add(waiter, id: id, count: count)
    return .none
  }

  /// A task was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancel(_ id: Int) -> WakeAction<Waiter> {
    let waiter = sleepers.removeValue(forKey: id)?.waiter ?? watchers.remove(id) ?? removeMover(id)
    return waiter.map { .cancel($0) } ?? .none
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
