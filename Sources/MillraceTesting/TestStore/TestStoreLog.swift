import Millrace

/// Stands behind the other interceptors of a test store, and keeps what the store tells until the test asserts it.
///
/// It is told with the store's lock, so that what it keeps is in the order of the commits, and complete whenever the
/// test looks.
final class TestStoreLog<I: Interactor>: Interceptor, EventSink {
  typealias Content = TestStoreState<I.Action, I.Mutation, I.State, Suspension<TestStoreWait.Answer>>

  private let content: Lock<Content>
  private let clock: TestClock?

  init(initial: I.State, clock: TestClock?, hasOtherSenders: Bool) {
    content = Lock(Content(expected: initial, hasOtherSenders: hasOtherSenders))
    self.clock = clock
  }

  // MARK: What the store tells

  func accepted(_ cause: Cause<I.Action>) {
    let action = Content.OpenAction(
      id: cause.id, action: cause.action, hasParent: cause.context.parent != nil, since: clock?.now.offset)
    content.withLock { $0.accepted(action) }
  }

  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    let commit = Content.Commit(mutation: mutation, revision: revision, action: cause.action, state: copy state)
    act { $0.committed(commit, of: cause.id) }
  }

  func stepEnded(of action: ActionID) {
    content.withLock { $0.stepEnded(of: action) }
  }

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    act { $0.ended(cause.id) }
  }

  // MARK: What the test asks

  /// Reads or takes what the log has.
  func withContent<Result: Sendable>(_ body: (inout Content) -> Result) -> Result {
    content.withLock { body(&$0) }
  }

  /// Waits for a wish, at most until the deadline; nil when the task was cancelled.
  func wait(for wish: TestStoreWait.Wish, until deadline: TestStoreDeadline) async -> TestStoreWait.Answer? {
    let id = withContent { $0.makeID() }
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    return try? await suspend { (waiter: Suspension<TestStoreWait.Answer>, isCancelled) in
      act { $0.wait(for: wish, waiter, id: id, isCancelled: isCancelled()) }
      // Begun when the wait stands, so that it cannot end before.
      timer = Task.detached {
        do { try await deadline.wait() } catch { return }
        self.act { $0.giveUp(id, .late) }
      }
    } onCancel: {
      act { $0.giveUp(id, nil) }
    }
  }

  /// The one place that wakes: the event under the lock, what it asks for after.
  private func act(_ event: (inout Content) -> [Content.Wake]) {
    for wake in content.withLock({ event(&$0) }) { wake.waiter.resume(returning: wake.answer) }
  }
}

/// The words for waiting in a test store.
enum TestStoreWait {
  /// The event that a task waits for.
  enum Wish: Sendable, Equatable {
    /// A commit behind this revision.
    case commit(after: Int)
    /// The outcome of the action.
    case end(of: ActionID)
    /// The end of all actions.
    case quiet
  }

  /// The end of a wait.
  enum Answer: Sendable, Equatable {
    case fulfilled
    /// No action is open, so nothing will be committed.
    case quiet
    /// The wait is over its deadline.
    case late
  }
}

/// The deadline of one call of a test store, by any clock.
struct TestStoreDeadline: Sendable {
  private let hasPassed: @Sendable () -> Bool
  private let sleep: @Sendable () async throws -> Void

  /// A deadline this long from now.
  init(in limit: Duration, on clock: any Clock<Duration>) {
    self = Self.opened(limit, clock)
  }

  private init(hasPassed: @escaping @Sendable () -> Bool, sleep: @escaping @Sendable () async throws -> Void) {
    self.hasPassed = hasPassed
    self.sleep = sleep
  }

  private static func opened<C: Clock<Duration>>(_ limit: Duration, _ clock: C) -> Self {
    let end = clock.now.advanced(by: limit.bounded)
    return Self {
      clock.now >= end
    } sleep: {
      try await clock.sleep(until: end, tolerance: nil)
    }
  }

  /// Whether it is over now.
  var isOver: Bool { hasPassed() }

  /// Sleeps until it is over.
  ///
  /// - Throws: the error of the clock, when the task is cancelled.
  func wait() async throws { try await sleep() }
}
