/// A rate of requests, as a number or as a multiple of what the system can take.
///
/// A literal is a number of requests a second.
public enum LoadRate: Sendable, Equatable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Requests a second.
  case perSecond(Double)

  /// A multiple of the capacity, which the run measures first: the throughput of a closed loop with `concurrency` clients.
  ///
  /// The concurrency has to be large enough to keep the system busy, and small enough that it rejects nothing.
  case timesCapacity(Double, concurrency: Int)

  /// Requests a second.
  public init(integerLiteral value: Int) {
    self = .perSecond(Double(value))
  }

  /// Requests a second.
  public init(floatLiteral value: Double) {
    self = .perSecond(value)
  }

  /// Whether a run can have it.
  var isUsable: Bool {
    switch self {
    case .perSecond(let rate): rate > 0 && rate.isFinite
    case .timesCapacity(let factor, let concurrency): factor > 0 && factor.isFinite && concurrency > 0
    }
  }
}
