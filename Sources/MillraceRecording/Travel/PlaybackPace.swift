import Millrace

/// The speed at which the states of a recording come.
public enum PlaybackPace: Sendable, Hashable {
  /// The recorded speed, or a multiple of it; a speed that is not above 0 delivers the states at once.
  case recorded(speed: Double)

  /// One in each duration.
  case every(Duration)

  /// Nanoseconds from the first state to the one at `at`, `steps` states later.
  func offset(at: Int64, from first: Int64, steps: Int) -> Int64 {
    switch self {
    case .recorded(let speed):
      let offset = Double(max(0, at - first)) / speed
      return speed > 0 && offset < Double(Int64.max / 4) ? Int64(offset) : speed > 0 ? Int64.max / 4 : 0
    case .every(let duration):
      let (offset, isTooLarge) = duration.nanoseconds.multipliedReportingOverflow(by: Int64(steps))
      return isTooLarge ? Int64.max / 4 : min(offset, Int64.max / 4)
    }
  }
}
