#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The times of a schedule's requests, one after the other: nothing is stored but the last one.
///
/// The number of requests due by the time `t` is the integral of the rate, `n(t)`. The k-th request of an evenly spaced schedule
/// is due where `n(t) = k`, counted from 0; that of a random one where `n(t)` is the sum of k + 1 exponentially distributed
/// numbers. Both invert `n`, so that rounding errors do not add up.
package struct ArrivalTimes: Sequence, IteratorProtocol, Sendable {
  private let parts: [LoadSchedule.Part]
  private let duration: Double
  private var generator: SplitMix?
  /// The part that holds the last request, its start in seconds, and the number of requests due before it.
  private var part = 0
  private var partStart = 0.0
  private var requestsBefore = 0.0
  /// `n(t)` of the next request.
  private var nextCount = 0.0

  /// - Parameters:
  ///   - schedule: the rate over time.
  ///   - duration: its duration.
  ///   - seed: where random gaps come from.
  package init(_ schedule: LoadSchedule, for duration: Duration, seed: UInt64) {
    parts = schedule.parts
    self.duration = duration / .seconds(1)
    guard schedule.isRandom else { return }
    var generator = SplitMix(seed: seed)
    nextCount = generator.exponential()
    self.generator = generator
  }

  /// The time of the next request in nanoseconds since the start; nil when none is due within the duration.
  package mutating func next() -> Int64? {
    while part < parts.count {
      let length = parts[part].share * duration
      let (start, end) = parts[part].rates
      let requests = (start + end) / 2 * length
      if nextCount < requestsBefore + requests {
        let time = partStart + Self.time(of: nextCount - requestsBefore, from: start, gaining: (end - start) / length)
        nextCount += generator?.exponential() ?? 1
        return Int64(time * 1e9)
      }
      partStart += length
      requestsBefore += requests
      part += 1
    }
    return nil
  }

  /// The time at which a rate that begins at `start` and grows by `slope` a second has led to `requests` requests.
  private static func time(of requests: Double, from start: Double, gaining slope: Double) -> Double {
    // Solves start * t + slope / 2 * t^2 = requests; this form loses no digits where the slope is close to 0.
    let root = Swift.max(start * start + 2 * slope * requests, 0).squareRoot()
    return requests == 0 ? 0 : 2 * requests / (start + root)
  }
}

/// Random numbers that are the same for the same seed: SplitMix64, by Steele, Lea and Flood (2014).
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to 1, less than 1.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// An exponentially distributed number with the mean 1.
  mutating func exponential() -> Double {
    -log1p(-unit())
  }
}
