/// The tasks at a gate and the tasks that wait for arrivals, as a value without tasks and locks.
///
/// Each event returns what is to be done once the lock around this value was released.
struct GateState<Waiter> {
  private enum Bar {
    /// A task that enters waits here, in the order of `turn`. Becomes `open`.
    case closed([Int: (turn: Int, waiter: Waiter)])
    /// A task that enters passes. Remains.
    case open
  }

  private var bar = Bar.closed([:])
  private(set) var arrivals = 0
  private var watchers = CountWaiters<Waiter>()
  private var lastID = 0

  var isOpen: Bool {
    switch bar {
    case .closed: false
    case .open: true
    }
  }

  /// The number of tasks at the gate.
  var waitingCount: Int {
    switch bar {
    case .closed(let waiting): waiting.count
    case .open: 0
    }
  }

  /// A number that no other waiter has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// A task comes to the gate; those who waited for its arrival are woken, and it is too when the gate is open.
  mutating func enter(_ waiter: Waiter, id: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    arrivals += 1
    var action = WakeAction.wake(watchers.take(reachedBy: arrivals))
    if isCancelled {
      action.cancelled = waiter
      return action
    }
    switch bar {
    case .closed(var waiting):
      bar = .open  // Releases the dictionary, so that it is changed in place.
      waiting[id] = (arrivals, waiter)
      bar = .closed(waiting)
    case .open:
      action.woken.append(waiter)
    }
    return action
  }

  /// Registers a task that waits until the gate was entered `count` times.
  mutating func watch(_ waiter: Waiter, id: Int, count: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if count <= arrivals { return .wake([waiter]) }
    watchers.add(waiter, id: id, count: count)
    return .none
  }

  /// A task was cancelled; nothing is left to do when it was woken before, or comes later.
  mutating func cancel(_ id: Int) -> WakeAction<Waiter> {
    if case .closed(var waiting) = bar {
      bar = .open
      defer { bar = .closed(waiting) }
      if let waiter = waiting.removeValue(forKey: id)?.waiter { return .cancel(waiter) }
    }
    return watchers.remove(id).map { .cancel($0) } ?? .none
  }

  /// The gate opens.
  mutating func open() -> WakeAction<Waiter> {
    switch bar {
    case .closed(let waiting):
      bar = .open
      return .wake(waiting.values.sorted { $0.turn < $1.turn }.map(\.waiter))
    case .open:
      return .none
    }
  }
}
