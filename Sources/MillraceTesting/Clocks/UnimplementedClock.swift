public import Millrace

/// A clock that must not be used: it fails the test that made it, at the line where it was made.
///
/// Give it to code that should do without time in a test. The first look at the time is a failure, and the first sleep;
/// later ones are not reported again. It then behaves as an ``ImmediateClock``, so that nothing hangs.
///
/// A store may be made with it, and used. The times that a store notes for its metrics are no failure. A timer that the store sets
/// is one, whether the plan of an action, a retry or a shutdown that drains needs it; so is a handler that looks at the time of its run.
public final class UnimplementedClock: TimerNoticingClock, Sendable {
  /// A point in the time of this clock, as of a ``TestClock``.
  public typealias Instant = TestClock.Instant

  private let clock = ImmediateClock()
  private let told = Lock<Set<String>>([])
  private let reporter = FailureReporter()
  private let file: StaticString
  private let line: UInt

  /// Creates a clock whose use fails the current test at this line.
  public init(file: StaticString = #filePath, line: UInt = #line) {
    self.file = file
    self.line = line
  }

  /// A failure of the test; the time of an ``ImmediateClock``.
  public var now: Instant {
    fail("now")
    return clock.now
  }

  /// One attosecond; to ask for it is no failure.
  public var minimumResolution: Duration { clock.minimumResolution }

  /// A failure of the test; moves the time to the deadline, if that is after now, and returns at once.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, before or while it sleeps.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
    fail("sleep(until:)")
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  package var notedNow: Instant { clock.now }

  package func timerIsSet() { fail("sleep(until:)") }

  /// No failure, so that ``timerIsSet()`` is the one that reports, however early the task of the timer runs.
  package func sleepForTimer(until deadline: Instant) async throws {
    try await clock.sleep(until: deadline, tolerance: nil)
  }

  private func fail(_ name: String) {
    guard told.withLock({ $0.insert(name).inserted }) else { return }
    reporter.fail(
      """
      UnimplementedClock.\(name) was called, but this test expects that no time is needed. Give what called it a \
      TestClock, or an ImmediateClock if its sleeps do not matter, or find out why it needs the time.
      """, file: file, line: line)
  }
}
