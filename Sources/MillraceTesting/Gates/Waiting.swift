import Millrace

/// The real time that a call waits at most.
final class Patience: Sendable {
  private let hasEnded = Lock(false)
  private let timer = Lock<Task<Void, any Error>?>(nil)

  /// Begins to wait, and calls `end` when the time is over.
  ///
  /// In a simulation it never is: real time does not pass there, and the world notices that no task can continue.
  init(_ time: Duration, end: @escaping @Sendable () -> Void) {
    if WorldRuntime.isOwnedByThisThread { return }
    let task = Task.detached { [weak self] in
      try await Task.sleep(for: time.bounded)
      self?.hasEnded.withLock { $0 = true }
      end()
    }
    timer.withLock { $0 = task }
  }

  /// Whether the time is over.
  var isOver: Bool { hasEnded.withLock { $0 } }

  /// Waits no longer.
  func cancel() { timer.withLock { $0 }?.cancel() }
}

/// Suspends the calling task of a test until it is resumed, it is cancelled, or the time is over.
///
/// The time begins when the suspension is registered, so that a condition that holds by then is no error, however short the
/// time is.
///
/// - Parameters:
///   - timeout: the real time that the task waits at most; without meaning in a simulation.
///   - register: registers the suspension, as for ``suspend(_:onCancel:)``.
///   - end: resumes the suspension with nil if it is registered; called when the task is cancelled or the time is over.
///   - late: makes the error for a wait that was too long.
func suspend<Value: Sendable>(
  atMost timeout: Duration, _ register: (Suspension<Value>, _ isCancelled: () -> Bool) -> Void,
  onEnd end: @escaping @Sendable () -> Void, late: () -> WaitError
) async throws -> Value {
  var patience: Patience?
  defer { patience?.cancel() }
  do {
    return try await suspend { (suspension: Suspension<Value>, _) in
      register(suspension) { Task.isCancelled }
      patience = Patience(timeout, end: end)
    } onCancel: {
      end()
    }
  } catch {
    if patience?.isOver == true, !Task.isCancelled { throw late() }
    throw error
  }
}

/// A suspended task: it continues with a value, or is cancelled with nil.
@usableFromInline
typealias Suspension<Value> = CheckedContinuation<Value?, Never>

/// Suspends the calling task until it is resumed or cancelled.
///
/// `register` is called once, before the task suspends. It asks whether the task is cancelled already, and then has to resume the
/// suspension with nil; it asks with the lock that guards its registration, so that a thread that cancels the task and
/// looks there finds it. `cancel` may be called before, during or after `register`, on any thread, and twice; after
/// it the suspension has to be resumed, if it was registered.
///
/// A cancellation may come after the task was asked whether it is cancelled, and call `cancel` before the suspension is
/// registered. The task is cancelled by then, so it is asked once more behind that.
func suspend<Value: Sendable>(
  _ register: (Suspension<Value>, _ isCancelled: () -> Bool) -> Void,
  onCancel cancel: @Sendable () -> Void
) async throws(CancellationError) -> Value {
  let value: Value? = await withTaskCancellationHandler {
    await withCheckedContinuation {
      register($0) { Task.isCancelled }
      if Task.isCancelled { cancel() }
    }
  } onCancel: {
    cancel()
  }
  guard let value else { throw CancellationError() }
  return value
}

/// The tasks that wait until a count reaches their numbers.
struct CountWaiters<Waiter> {
  private var entries: [(id: Int, count: Int, waiter: Waiter)] = []

  /// Whether no task waits.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds one that waits for `count`, behind those that are there.
  mutating func add(_ waiter: Waiter, id: Int, count: Int) {
    entries.append((id, count, waiter))
  }

  /// Takes out those whose number is reached by `count`, first come first.
  mutating func take(reachedBy count: Int) -> [Waiter] {
    let reached = entries.filter { $0.count <= count }
    guard !reached.isEmpty else { return [] }
    entries.removeAll { $0.count <= count }
    return reached.map(\.waiter)
  }

  /// Takes out the one with this id, if it is still there.
  mutating func remove(_ id: Int) -> Waiter? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index).waiter
  }
}

extension CountWaiters: Sendable where Waiter: Sendable {}

/// The work for an event of a state machine, to be done after its lock was released.
struct WakeAction<Waiter> {
  /// The tasks to resume, in this order.
  var woken: [Waiter] = []
  /// The one to tell that it was cancelled, after those.
  var cancelled: Waiter?

  /// Nothing is left to do.
  static var none: Self { Self() }

  static func wake(_ waiters: [Waiter]) -> Self { Self(woken: waiters) }

  static func cancel(_ waiter: Waiter) -> Self { Self(cancelled: waiter) }
}

extension WakeAction: Sendable where Waiter: Sendable {}
extension WakeAction: Equatable where Waiter: Equatable {}

extension WakeAction where Waiter == Suspension<Void> {
  /// Resumes the tasks; never called with a lock held.
  func run() {
    for waiter in woken { waiter.resume(returning: ()) }
    cancelled?.resume(returning: nil)
  }
}

/// A wait of a test was over its time limit.
public struct WaitError: Error, Sendable, CustomStringConvertible {
  /// The time that the test waited, in real time.
  public let waited: Duration

  /// A sentence with the line of the wait, the awaited event, the state instead, and the fix.
  public let description: String

  /// - Parameters:
  ///   - waited: the time limit of the wait.
  ///   - location: the line of the wait.
  ///   - wanted: the event that the test waited for, behind "for".
  ///   - actual: the state that there is instead, as a sentence without its end.
  ///   - fix: a sentence without its end.
  init(_ waited: Duration, at location: TestLine, for wanted: String, but actual: String, fix: String) {
    self.waited = waited.bounded
    description = """
      The test waited \(waited.bounded) at \(location) for \(wanted), but \(actual). \(fix), or give the wait a longer timeout.
      """
  }

  /// A number and its noun.
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
