#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How long something takes: always as long, or a time that is drawn.
public enum FakeLatency: Sendable, Hashable {
  /// No time: the clock is not asked.
  case none
  /// Always so long.
  case fixed(Duration)
  /// Each time in this range is as likely as another.
  case uniform(ClosedRange<Duration>)
  /// Many short times and few long ones, so long in the mean; no longer than 20 times that.
  case exponential(mean: Duration)

  /// The time for a number from 0 up to 1, all as likely.
  func duration(for part: Double) -> Duration {
    switch self {
    case .none: .zero
    case .fixed(let duration): duration
    case .uniform(let range): range.lowerBound + (range.upperBound - range.lowerBound) * part
    case .exponential(let mean): mean * min(-log(1 - part), 20)
    }
  }
}
