public import Millrace

/// A store whose every commit a test asserts.
///
/// ```swift
/// let store = TestStore(initial: Records.State(), interactor: Records(gateway: fake))
/// await store.send(.reload) { $0.isLoading = true }
/// await store.receive(.loaded(["a"])) { $0 = Records.State(records: ["a"]) }
/// await store.finish()
/// ```
///
/// It runs a real `Store`, and observes its commits by an interceptor behind the interceptors of the test.
///
/// **Order.** A test goes through the commits in their order. ``send(_:file:line:change:)`` asserts the commits of the one
/// step in which the action was accepted: the decision, and the closings of the actions that it replaced. All others are
/// to be received: commits of handlers, of actions that had to wait, of actions that handlers sent, and later closings. A
/// change is compared with the state after that very mutation, whatever was committed since.
///
/// **Failures** fail the test that made the store, at the line of the call. After one, the store's state is
/// taken for the expected one, so that one mistake fails once.
///
/// A method of the interactor that looks like one of the protocol's and is not is a failure too; see
/// ``checkSpelling(of:file:line:)``.
///
/// **Waiting.** Nothing here polls or yields. A wait ends at once when no action is open, so that nothing can come;
/// otherwise after `timeout`, with a failure that says which actions are open.
///
/// **Isolation.** Calls may come from any task; a test makes them one after the other.
public final class TestStore<I: Interactor>: Sendable where I.State: Equatable {
  /// The store itself, for calls that the test store does not have, such as shutting down and observing.
  ///
  /// The commits of actions that are sent to it directly are to be received.
  public let store: Store<I>

  let log: TestStoreLog<I>
  let reporter = FailureReporter()
  let fakes: [any FinishChecked]
  let clock: TestClock?
  let timeout: Duration
  private let timeoutClock: any Clock<Duration>
  private let origin: TestLine
  private let mode: Lock<Exhaustivity>

  /// Creates a store that takes actions at once.
  ///
  /// - Parameters:
  ///   - initial: the state of revision 0.
  ///   - interactor: the interactor to test.
  ///   - configuration: as for any store; its clock best a ``TestClock``, of which failures then say who sleeps on it.
  ///   - interceptors: The chain that actions pass before the test observes them.
  ///   - feedbacks: the feedbacks, which send actions to the store. With these or with interceptors, actions may come at any time, so
  ///     that only the timeout ends a wait.
  ///   - fakes: the fakes that are asked at the end whether all of their scripts were used.
  ///   - exhaustivity: the part that has to be asserted.
  ///   - timeout: the longest wait of a call, in real time; in a world of a simulation, in its time. That is for what
  ///     ``receive(_:file:line:change:)`` wants, whatever it skips, and for all that is open in ``finish(file:line:)``.
  ///   - file: where the store is made.
  ///   - line: where the store is made.
  public convenience init(
    initial: I.State, interactor: I, configuration: StoreConfiguration = StoreConfiguration(),
    interceptors: [any Interceptor<I>] = [], feedbacks: [Feedback<I.State, I.Action>] = [],
    fakes: [any FinishChecked] = [], exhaustivity: Exhaustivity = .on, timeout: Duration = .seconds(10),
    file: StaticString = #filePath, line: UInt = #line
  ) {
    self.init(
      initial: initial, interactor: interactor, configuration: configuration, interceptors: interceptors,
      feedbacks: feedbacks, fakes: fakes, exhaustivity: exhaustivity, timeout: timeout,
      timeoutClock: WorldRuntime.isOwnedByThisThread ? configuration.clock : ContinuousClock(),
      origin: TestLine(file, line))
  }

  init(
    initial: I.State, interactor: I, configuration: StoreConfiguration = StoreConfiguration(),
    interceptors: [any Interceptor<I>] = [], feedbacks: [Feedback<I.State, I.Action>] = [],
    fakes: [any FinishChecked] = [], exhaustivity: Exhaustivity = .on, timeout: Duration = .seconds(10),
    timeoutClock: any Clock<Duration>, origin: TestLine
  ) {
    clock = configuration.clock as? TestClock
    log = TestStoreLog(
      initial: initial, clock: clock, hasOtherSenders: !interceptors.isEmpty || !feedbacks.isEmpty)
    store = Store(
      initial: initial, interactor: interactor, configuration: configuration, interceptors: interceptors + [log],
      feedbacks: feedbacks)
    self.fakes = fakes
    self.timeout = timeout
    self.timeoutClock = timeoutClock
    self.origin = origin
    mode = Lock(exhaustivity)
    checkSpelling(of: I.self, file: origin.file, line: origin.line)
  }

  deinit {
    let (unasserted, open, needsFinish) = log.withContent { ($0.unasserted, $0.open, $0.needsFinish) }
    guard exhaustivity == .on, needsFinish || !unasserted.isEmpty else { return }
    fail(TestStoreText<I>.released(unasserted, open: open), at: origin)
  }

  /// The part of the events that has to be asserted, from now on.
  public var exhaustivity: Exhaustivity {
    get { mode.withLock { $0 } }
    set { mode.withLock { $0 = newValue } }
  }

  /// The state after all that was asserted so far; `Store.state` is the newest one.
  public var state: I.State { log.withContent { $0.expected } }

  // MARK: Sending

  /// Sends an action, and asserts its changes at once.
  ///
  /// That is what was committed in the one step in which the action was accepted: the mutations of `decide`, the
  /// closing mutation of an action that it rejects, and of those it replaces. An action that has to wait, and one that
  /// only is handled, has changed nothing at once.
  ///
  /// **Order.** Returns when the action was accepted or rejected; its handler continues. All that was committed before
  /// has to be asserted by now.
  ///
  /// **Cancellation.** A cancelled task sends as any other does.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the one before; nil when nothing changes.
  /// - Returns: the action's receipt; see ``expect(_:endsWith:file:line:)``.
  @discardableResult
  public func send(
    _ action: I.Action, file: StaticString = #filePath, line: UInt = #line, change: ((inout I.State) -> Void)? = nil
  ) async -> Receipt {
    let location = TestLine(file, line)
    let sent = await take(action, at: location)
    check(change, after: TestStoreText<I>.name(action), in: "send", from: sent.before, to: sent.after, at: location)
    return sent.receipt
  }

  /// Sends an action to the store, and returns the states before and after the step in which it was accepted or rejected.
  func take(_ action: I.Action, at location: TestLine) async -> (receipt: Receipt, before: I.State, after: I.State) {
    var missed = log.withContent { $0.takeAll() }
    let receipt = store.send(action)
    log.withContent { $0.sent(receipt.id, at: location) }
    // Where another thread had the turn, the action is accepted by the time that the state can be read.
    _ = await store.snapshot
    let expected = state
    let (earlier, step) = log.withContent { $0.takeStep(of: receipt.id) }
    missed += earlier
    if !missed.isEmpty, exhaustivity == .on { fail(TestStoreText<I>.unreceived(missed, before: action), at: location) }
    let before = earlier.last?.state ?? expected
    return (receipt, before, step.last?.state ?? before)
  }

  // MARK: Cancelling

  /// Cancels everything of a key that was accepted so far, as `Store.cancel(key:)` does.
  ///
  /// **Order.** When this returns, each of these actions has its outcome. Their closing mutations are committed by then, and
  /// are to be received. To cancel a single action, use the receipt that ``send(_:file:line:change:)`` returned.
  ///
  /// - Parameter key: the key of the plans.
  public func cancel(key: some Hashable & Sendable) {
    store.cancel(key: key)
  }

  /// Cancels everything accepted so far, as `Store.cancelAll()` does; otherwise as ``cancel(key:)``.
  public func cancelAll() {
    store.cancelAll()
  }

  /// Compares the state that a test expects with the one there is.
  func check(
    _ change: ((inout I.State) -> Void)?, after subject: String, in method: String, from before: I.State,
    to actual: I.State,
    at location: TestLine
  ) {
    let isExhaustive = exhaustivity == .on
    if change == nil, !isExhaustive { return }
    var expected = isExhaustive ? before : actual
    change?(&expected)
    let problem = TestStoreText<I>.change(
      subject, in: method, from: before, expected: change == nil ? nil : expected, actual: actual)
    if let problem { fail(problem, at: location) }
  }

  /// The deadline of a call that begins now.
  var deadline: TestStoreDeadline { TestStoreDeadline(in: timeout, on: timeoutClock) }

  func fail(_ message: String, at location: TestLine) {
    reporter.fail(message, file: location.file, line: location.line)
  }
}

extension TestStore {
  /// The part of the events of a ``TestStore`` that a test has to assert.
  public enum Exhaustivity: Sendable, Hashable {
    /// Every mutation is received, in order, and every change of the state is asserted.
    ///
    /// A change is the closure's effect on the state that the test expected before; the whole state afterwards is
    /// compared.
    case on

    /// Events that the test does not assert are skipped.
    ///
    /// A change closure is applied to the state that the store has, and has to leave it as it is: so it asserts what it
    /// sets, and nothing else.
    case off
  }
}

/// A gateway that a ``TestStore`` checks at its end for unused preparations, such as a fake gateway with its
/// scripts.
public protocol FinishChecked: Sendable {
  /// Fails the test, at this line, for each unused reply and each unanswered call.
  ///
  /// ``TestStore/finish(file:line:)`` calls it once, when no run is open or its timeout is over, also in a cancelled task.
  func finish(file: StaticString, line: UInt) async
}
