import Millrace

/// A place where tasks stop until a test opens it.
///
/// ```swift
/// let gate = Gate()
/// let store = Store(initial: .init(), interactor: Records(fetch: { try await gate.enter(); return ["a"] }))
/// store.send(.reload)
/// try await gate.waitForArrivals(1)   // the handler waits at the gate
/// gate.open()                         // and continues
/// ```
///
/// Nothing here yields or polls, and only the timeout of a wait takes real time. A gate may be used from any thread; each call is one atomic step.
public final class Gate: Sendable {
  private let state = Lock(GateState<Suspension<Void>>())

  /// Creates a gate that is closed.
  public init() {}

  /// Whether the gate was opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of tasks that wait at the gate now.
  public var waiting: Int { state.withLock { $0.waitingCount } }

  /// The number of entries so far, by tasks that wait there, passed, or were cancelled.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Stops until the gate is open.
  ///
  /// An open gate is passed at once. The stop has no time limit, because the code under test makes it: the waits of the test
  /// have one.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled, before or while it waits at the gate; at an open
  ///   gate too.
  public func enter() async throws(CancellationError) {
    let id = state.withLock { $0.makeID() }
    try await suspend { (suspension: Suspension<Void>, isCancelled) in
      act { $0.enter(suspension, id: id, isCancelled: isCancelled()) }
    } onCancel: {
      act { $0.cancel(id) }
    }
  }

  /// Stops until the gate is open, cancelled or not.
  ///
  /// The task imitates work that ignores its cancellation, and waits until the test opens the gate.
  public func enterIgnoringCancellation() async {
    let id = state.withLock { $0.makeID() }
    _ = await withCheckedContinuation { (suspension: Suspension<Void>) in
      act { $0.enter(suspension, id: id, isCancelled: false) }
    }
  }

  /// Opens the gate for good.
  ///
  /// When this returns, all who stood there have been resumed, in the order in which they came, and all who come later
  /// pass. To open it again changes nothing.
  public func open() {
    act { $0.open() }
  }

  /// Waits until the gate was entered `count` times in all, which ``arrivals`` counts.
  ///
  /// At a closed gate the tasks that arrived wait there, so after this a test knows where they are.
  ///
  /// - Parameters:
  ///   - count: the number of entries.
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does; ``WaitError`` when the
  ///   timeout is over.
  public func waitForArrivals(
    _ count: Int = 1, timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let id = state.withLock { $0.makeID() }
    try await suspend(atMost: timeout) { (suspension: Suspension<Void>, isCancelled) in
      act { $0.watch(suspension, id: id, count: count, isCancelled: isCancelled()) }
    } onEnd: { [self] in
      act { $0.cancel(id) }
    } late: {
      WaitError(
        timeout, at: TestLine(file, line),
        for: "\(count == 1 ? "1 entry" : "\(count) entries") of its gate",
        but: "the gate was entered \(WaitError.count(arrivals, "time")), and is \(isOpen ? "open" : "closed")",
        fix: "Begin what enters it before, such as an action")
    }
  }

  /// The one place that changes the state: the event under the lock, what it asks for after.
  private func act(_ event: (inout GateState<Suspension<Void>>) -> WakeAction<Suspension<Void>>) {
    state.withLock { event(&$0) }.run()
  }
}

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
