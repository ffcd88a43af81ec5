public import Millrace

/// A clock on which every sleep is over at once.
///
/// A sleep moves the time to its deadline and returns without suspending, so that timers, retries and debounces of a
/// test take no time. A loop of sleeps never rests on it; it needs a ``TestClock``, whose time a test
/// moves.
///
/// **Timeouts.** The timer of a plan's `timeout` or `attemptTimeout` is a sleep like any other, so on this clock a store may end an action
/// as `timedOut` before its first attempt has begun. Test plans with a timeout on a ``TestClock``.
///
/// It may be used from any thread; each call is one atomic step, and the time never goes back.
public final class ImmediateClock: WallTimeClock, Sendable {
  /// A point in the time of this clock, as of a ``TestClock``.
  public typealias Instant = TestClock.Instant

  private let time = Lock(Instant(offset: .zero))

  /// Creates a clock whose time is at its start, and on which the timeouts of plans are over at once.
  public init() {}

  /// The latest deadline of all who slept so far.
  public var now: Instant { time.withLock { $0 } }

  /// The wall time that moves with this clock, in milliseconds since 1970; it begins with the year 2026, as that of a ``TestClock``.
  public var wallTime: @Sendable () -> Int64 {
    { [self] in TestClock.wallStart + now.milliseconds }
  }

  /// One attosecond: it distinguishes all that a `Duration` does.
  public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

  /// Moves the time to the deadline, if that is after now, and returns at once; the tolerance is not looked at.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; the time then stays as it is.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    time.withLock { $0 = max($0, deadline) }
  }
}
