import MillraceSystem

/// The wall time of the system.
package enum WallTime {
  /// In milliseconds since 1970.
  @Sendable
  package static func now() -> Int64 { millrace_wall_milliseconds() }

  /// The wall time after a duration, rounded up to milliseconds; a negative duration is none.
  package static func after(_ duration: Duration, _ now: Int64) -> Int64 {
    bounded(now) + (max(duration.bounded, .zero).nanoseconds + 999_999) / 1_000_000
  }

  /// The time to sleep before the wall time is read again: the rest until `end`, and at most a minute; zero or less once it has come.
  package static func rest(until end: Int64, _ now: Int64) -> Duration {
    .milliseconds(min(min(max(end, -(1 << 61)), 1 << 62) - bounded(now), 60_000))
  }

  /// A wall time that a program gives, within 73 million years, so that a few durations can be added.
  static func bounded(_ time: Int64) -> Int64 { min(max(time, -(1 << 61)), 1 << 61) }
}

/// A clock of tests that moves a wall time with its own.
package protocol WallTimeClock: Clock<Duration> {
  /// The wall time in milliseconds since 1970.
  var wallTime: @Sendable () -> Int64 { get }
}
