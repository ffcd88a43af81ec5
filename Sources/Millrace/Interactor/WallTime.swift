import MillraceSystem

/// The wall time of the system.
package enum WallTime {
  /// In milliseconds since 1970.
  @Sendable
  package static func now() -> Int64 { millrace_wall_milliseconds() }

  /// A wall time that a program gives, within 73 million years, so that a few durations can be added.
  static func bounded(_ time: Int64) -> Int64 { min(max(time, -(1 << 61)), 1 << 61) }
}

/// A clock of tests that moves a wall time with its own.
package protocol WallTimeClock: Clock<Duration> {
  /// The wall time in milliseconds since 1970.
  var wallTime: @Sendable () -> Int64 { get }
}
