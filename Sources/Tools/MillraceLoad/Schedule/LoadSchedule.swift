/// The times at which an open-loop run sends its requests.
///
/// A schedule is a rate over time, in requests a second. It does not depend on how the system answers: a system that pauses
/// finds the requests of the pause waiting, and their latencies count from the times at which they were due.
///
/// The requests of a schedule are evenly spaced, or random as from many independent users (``poisson(_:)`` and
/// ``randomly()``). Random ones are the same for the same seed.
public struct LoadSchedule: Sendable, Equatable {
  /// A part of the run in which the rate changes at a constant pace, or not at all.
  package struct Part: Sendable, Equatable {
    /// The share of the run's duration, from 0 to 1.
    package let share: Double
    /// The rate at its start and at its end, in requests a second.
    package let rates: (start: Double, end: Double)

    package init(share: Double, from start: Double, to end: Double) {
      self.share = share
      rates = (start, end)
    }

    package static func == (left: Part, right: Part) -> Bool {
      left.share == right.share && left.rates == right.rates
    }
  }

  package let parts: [Part]

  /// Whether the gaps between requests are random.
  package private(set) var isRandom = false

  private init(_ parts: [Part]) {
    self.parts = parts
  }

  /// Sends `rate` requests a second, evenly spaced.
  public static func constant(_ rate: Double) -> LoadSchedule {
    LoadSchedule([Part(share: 1, from: rate, to: rate)])
  }

  /// Sends `rate` requests a second on average, with exponentially distributed gaps: a Poisson process.
  public static func poisson(_ rate: Double) -> LoadSchedule {
    constant(rate).randomly()
  }

  /// Raises or lowers the rate at a constant pace over the whole run.
  public static func ramp(from start: Double, to end: Double) -> LoadSchedule {
    LoadSchedule([Part(share: 1, from: start, to: end)])
  }

  /// Keeps each of the rates for an equal part of the run.
  public static func steps(_ rates: [Double]) -> LoadSchedule {
    LoadSchedule(rates.map { Part(share: 1 / Double(rates.count), from: $0, to: $0) })
  }

  /// Keeps `rate`, but `peak` for a tenth of the run in its middle.
  public static func spike(_ rate: Double, peak: Double) -> LoadSchedule {
    LoadSchedule([
      Part(share: 0.45, from: rate, to: rate), Part(share: 0.1, from: peak, to: peak),
      Part(share: 0.45, from: rate, to: rate),
    ])
  }

  /// The same rates with random gaps: a Poisson process whose rate changes as in this schedule.
  public func randomly() -> LoadSchedule {
    var schedule = self
    schedule.isRandom = true
    return schedule
  }

  /// The highest rate, in requests a second.
  public var peak: Double {
    parts.map { max($0.rates.start, $0.rates.end) }.max() ?? 0
  }

  /// The rate of the first request, in requests a second.
  var initialRate: Double { parts.first?.rates.start ?? 0 }

  /// The number of requests in a run of this duration, on average.
  package func requests(in duration: Duration) -> Double {
    parts.reduce(0) { $0 + $1.share * ($1.rates.start + $1.rates.end) / 2 } * (duration / .seconds(1))
  }

  /// Whether a run can follow it: each rate is a finite number of at least 0, and there is one above 0.
  var isUsable: Bool {
    peak > 0 && parts.allSatisfy { $0.rates.start >= 0 && $0.rates.end >= 0 } && peak.isFinite
  }
}

/// A rate of requests, as a number or as a multiple of the capacity of the system.
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
