public import Millrace

/// A clock whose time moves only when a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(5))
/// try await task.value
/// ```
///
/// The clock does not yield or poll, and uses real time only for the timeouts of waits. A woken task runs when its executor
/// runs it, so a test that needs the effect of such a task waits for that itself: for the next sleeper, an element of a
/// ``Recorder``, an arrival at a ``Gate``. For the same reason tasks continue in the order in which they were woken only if
/// they prefer one serial task executor; an actor that they share does not keep the order.
///
/// A `TestClock` may be used from any thread. Each call is one atomic step; the order in which sleepers are woken holds
/// within one call, so a test that cares moves the time from one task at a time.
public final class TestClock: WallTimeClock, Sendable {
  /// A point in the time of a test clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the start of the clock.
    public let offset: Duration

    /// The longest offset: about 292 billion years, a hundredth of the longest duration, so that sums of some offsets fit.
    private static let longest = Duration.seconds(Int64.max).attoseconds

    /// The point that lies `offset` after the start of the clock, or before it; at most 292 billion years.
    public init(offset: Duration) {
      let attoseconds = offset.attoseconds
      self.offset =
        attoseconds.magnitude <= Self.longest.magnitude
        ? offset : Duration(attoseconds: attoseconds < 0 ? -Self.longest : Self.longest)
    }

    /// The point that lies `duration` after this one, at most 292 billion years from the start.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + Instant(offset: duration).offset)
    }

    /// The time from this point to `other`; negative when `other` is the earlier one.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether the left point is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }

    /// The whole milliseconds since the start of the clock, within 146 million years.
    var milliseconds: Int64 {
      let (seconds, attoseconds) = offset.components
      let longest = Int64.max / 2_000
      return min(max(seconds, -longest), longest) * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// The time since the start of the clock, in words.
    public var description: String { "\(offset) after the start" }
  }

  private let state = Lock(TestClockState<Suspension<Void>>())

  /// The wall time at the start of the clock, in milliseconds since 1970.
  private let wallStart: Int64
  private let reporter = FailureReporter()

  /// Notified of each sleep, before it begins.
  private let onSleep: (@Sendable (Instant) -> Void)?

  let awaited: Lock<AwaitedOutcomes>

  /// Creates a clock whose time is at its start.
  ///
  /// A test that awaits the outcome of an action while a task sleeps on the clock and the time does not move fails after ten seconds of real
  /// time, with the number of the action and the deadlines; it keeps waiting. In a world of a simulation the world notices it.
  ///
  /// - Parameters:
  ///   - file: the file that such a failure names.
  ///   - line: the line that such a failure names.
  public convenience init(file: StaticString = #filePath, line: UInt = #line) {
    self.init(onSleep: nil, wallStart: Self.wallStart, patience: .seconds(10), at: TestLine(file, line))
  }

  /// Midnight of 2026-01-01 in UTC.
  static let wallStart: Int64 = 1_767_225_600_000

  /// - Parameters:
  ///   - onSleep: notified of each sleep, before it begins.
  ///   - wallStart: the wall time at the start of the clock, in milliseconds since 1970.
  ///   - patience: the real time after which an outcome that is awaited is reported.
  ///   - line: the line of such a report.
  init(
    onSleep: (@Sendable (Instant) -> Void)? = nil, wallStart: Int64 = wallStart, patience: Duration = .seconds(10),
    at line: TestLine
  ) {
    self.onSleep = onSleep
    self.wallStart = wallStart
    awaited = Lock(AwaitedOutcomes(time: patience, line: line))
  }

  /// The current time; it moves when a test calls a method that moves it, and at no other time.
  public var now: Instant { state.withLock { $0.now } }

  /// The wall time that moves with this clock, in milliseconds since 1970; it begins with the year 2026.
  ///
  /// A store whose configuration has this clock has this wall time too, unless its configuration has another one.
  public var wallTime: @Sendable () -> Int64 {
    { [self] in wallStart + now.milliseconds }
  }

  /// One attosecond: a test clock distinguishes all that a `Duration` does.
  public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

  /// The number of tasks that sleep on this clock now.
  public var sleepers: Int { state.withLock { $0.sleeperCount } }

  /// The deadlines of the tasks that sleep on this clock now, in the order in which they would be woken.
  public var deadlines: [Instant] { state.withLock { $0.deadlines } }

  /// Sleeps until the time of this clock reaches the deadline.
  ///
  /// Returns immediately if the deadline has passed. Ignores `tolerance`.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled, before or while it sleeps.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
    onSleep?(deadline)
    let id = state.withLock { $0.makeID() }
    try await suspend { (suspension: Suspension<Void>, isCancelled) in
      act { $0.sleep(suspension, id: id, until: deadline, isCancelled: isCancelled()) }
    } onCancel: {
      act { $0.cancel(id) }
    }
  }

  /// Waits until at least `count` tasks sleep on this clock at one time.
  ///
  /// Returns at once when they do already. A task that was woken no longer counts, so after an advance this waits for
  /// sleepers that register anew.
  ///
  /// - Parameters:
  ///   - count: the number of tasks.
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does; ``WaitError`` when the
  ///   timeout is over.
  public func waitForSleepers(
    _ count: Int = 1, timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let id = state.withLock { $0.makeID() }
    try await suspend(atMost: timeout) { (suspension: Suspension<Void>, isCancelled) in
      act { $0.watch(suspension, id: id, count: count, isCancelled: isCancelled()) }
    } onEnd: { [self] in
      act { $0.cancel(id) }
    } late: {
      lateError(timeout, for: "\(WaitError.count(count, "task")) to sleep on its test clock", file, line)
    }
  }

  /// The error of a wait for sleepers that was too long.
  func lateError(_ timeout: Duration, for wanted: String, _ file: StaticString, _ line: UInt) -> WaitError {
    let (now, deadlines) = state.withLock { ($0.now, $0.deadlines) }
    let sleepers =
      switch deadlines.count {
      case 0: "no task sleeps on it"
      case 1: "1 task sleeps on it, until \(deadlines[0].offset)"
      default: "\(deadlines.count) tasks sleep on it, the first until \(deadlines[0].offset)"
      }
    return WaitError(
      timeout, at: TestLine(file, line), for: wanted, but: "\(sleepers), and its time is \(now.offset)",
      fix: "Let what the tasks wait for happen before they sleep, such as the reply of a fake")
  }

  /// Moves the time forward by `duration` and wakes the sleepers that are due.
  ///
  /// In one step, as ``advance(to:)`` does from the time it is now. A negative duration moves nothing.
  public func advance(by duration: Duration) {
    act { $0.advance(to: $0.now.advanced(by: duration)) }
  }

  /// Moves the time forward to `instant` and wakes the sleepers that are due.
  ///
  /// When this returns, every sleeper whose deadline is reached has been resumed: the earlier deadline first, equal
  /// deadlines in the order in which they registered. All of them see `instant` as the time, not their own deadline; to
  /// stop at each deadline, advance to one after the other. An instant that is not after now leaves the time as it is.
  public func advance(to instant: Instant) {
    act { $0.advance(to: instant) }
  }

  /// Moves the time forward to the latest deadline, so that no sleeper is left.
  ///
  /// In one step, as ``advance(to:)`` does with the latest deadline of the tasks that sleep now; without a sleeper the
  /// time stays as it is. A task that was woken and sleeps again registers once it has run, and is not waited for: a
  /// task that sleeps three times in a row is brought to its end by three rounds of ``waitForSleepers(_:timeout:file:line:)`` and `run()`.
  public func run() {
    act { $0.run() }
  }

  /// Ends the sleep of all who sleep now, as if their tasks were cancelled: the earlier deadline first.
  func cancelSleepers() {
    for id in state.withLock({ $0.sleeperIDs }) { act { $0.cancel(id) } }
  }

  /// Fails the test at this line if a task sleeps on this clock, because the test will not wake it any more.
  ///
  /// Called at the end of a test it finds the timer that was not cancelled, and the wait that the test forgot. A task that
  /// was woken, or has not run yet, is not found. The failure is one of the test in which the clock was made.
  public func checkSuspended(file: StaticString = #filePath, line: UInt = #line) {
    let (deadlines, now) = state.withLock { ($0.deadlines, $0.now) }
    guard !deadlines.isEmpty else { return }
    let who = deadlines.count == 1 ? "A task still sleeps" : "\(deadlines.count) tasks still sleep"
    let shown = deadlines.prefix(8).map { "\($0.offset)" } + (deadlines.count > 8 ? ["…"] : [])
    reporter.fail(
      """
      \(who) on this test clock, until \(shown.joined(separator: ", ")) after its start; its time is \(now.offset). \
      Advance the clock to there (run() goes to the latest), or cancel what sleeps, before the test ends.
      """, file: file, line: line)
  }

  /// Reports that an outcome is awaited for too long, at the line where this clock was made.
  func failAwaiting(_ message: String, at line: TestLine) {
    reporter.fail(message, file: line.file, line: line.line)
  }

  /// Whether the time has reached `end`, and `count` tasks sleep until later.
  func isSettled(sleepers count: Int, at end: Instant) -> Bool {
    state.withLock { $0.now >= end && $0.sleeperCount >= count }
  }

  /// A number that no other sleeper or waiter of this clock has.
  func makeID() -> Int { state.withLock { $0.makeID() } }

  /// The one place that changes the state: the event under the lock, what it asks for after.
  func act(_ event: (inout TestClockState<Suspension<Void>>) -> WakeAction<Suspension<Void>>) {
    state.withLock { event(&$0) }.run()
  }
}
