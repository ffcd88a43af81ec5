import Foundation

/// A condition on the latency of a run, such as `p99<=10ms`.
///
/// It holds when that part of all offered requests finished in time: those that failed, were rejected or were not sent did not.
public struct LatencyCondition: Sendable, Equatable, CustomStringConvertible {
  /// The part of the requests, above 0 and below 1.
  public let quantile: Double

  /// The longest time they may take.
  public let bound: Duration

  /// As it was written.
  public let description: String

  /// Reads a condition: `p50`, `p90`, `p99`, `p999` or any other percentile, `<=`, and a time in `us`, `ms` or `s`.
  ///
  /// Behind the first two digits stand further decimals, so that `p999` is 99.9 %.
  ///
  /// - Throws: ``LoadError`` for another text; it says what is expected.
  public init(_ text: String) throws(LoadError) {
    let parts = text.filter { $0 != " " }.split(separator: "<=", maxSplits: 1)
    guard parts.count == 2, let quantile = Self.quantile(parts[0]), let bound = Self.duration(parts[1]) else {
      throw LoadError(
        "'\(text.prefix(60))' is no condition on a latency; write a percentile, <= and a time, such as p99<=10ms.")
    }
    self.quantile = quantile
    self.bound = bound
    description = text.filter { $0 != " " }
  }

  /// Whether it holds for the figures of a run.
  public func holds(for report: LoadReport) -> Bool {
    report.share(within: bound) >= quantile
  }

  /// The least number of requests from which a percentile can be told.
  var leastRequests: Int { Int((100 / (1 - quantile)).rounded(.up)) }

  private static func quantile(_ text: Substring) -> Double? {
    let digits = text.dropFirst()
    guard text.first == "p", (2...6).contains(digits.count), digits.allSatisfy(\.isNumber),
      let quantile = Double("0.\(digits)"), quantile > 0
    else { return nil }
    return quantile
  }

  private static func duration(_ text: Substring) -> Duration? {
    for (unit, seconds) in [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1)] where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), number > 0, number < 1e6 else { return nil }
      return .nanoseconds(Int64(number * seconds * 1e9))
    }
    return nil
  }
}
