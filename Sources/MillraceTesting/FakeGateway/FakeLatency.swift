#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A time: a fixed one, or one that is drawn.
///
/// A negative time is none, and one of more than 100 years is 100 years.
public enum FakeLatency: Sendable, Hashable {
  /// No time: the clock is not asked.
  case none
  /// Always so long.
  case fixed(Duration)
  /// Each time in this range is as likely as another.
  case uniform(ClosedRange<Duration>)
  /// Many short times and few long ones, so long in the mean; no longer than 20 times that.
  case exponential(mean: Duration)

  /// 100 years: clocks count that far from any time, and nothing that is computed from it leaves a `Duration`.
  private static var longest: Duration { .seconds(100 * 365.25 * 86_400) }

  /// The nearest time that is neither negative nor longer than 100 years.
  static func bounded(_ duration: Duration) -> Duration {
    min(max(duration, .zero), longest)
  }

  /// The nearest such time to a number of seconds; none for what is not a number.
  static func bounded(seconds: Double) -> Duration {
    seconds > 0 ? .seconds(min(seconds, longest / .seconds(1))) : .zero
  }

  /// The time for a number from 0 up to 1, all as likely.
  func duration(for part: Double) -> Duration {
    switch self {
    case .none: return .zero
    case .fixed(let duration): return Self.bounded(duration)
    case .uniform(let range):
      let (shortest, longest) = (Self.bounded(range.lowerBound), Self.bounded(range.upperBound))
      return shortest + (longest - shortest) * part
    case .exponential(let mean):
      return Self.bounded(Self.bounded(mean) * min(-log(1 - part), 20))
    }
  }
}
