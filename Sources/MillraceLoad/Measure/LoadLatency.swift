public import Millrace

/// The latencies of the requests that have settled.
public struct LoadLatency: Sendable, Equatable {
  /// All of them; a quantile is at most 0.79 % off.
  public internal(set) var histogram = Histogram()

  /// The median; zero when nothing has settled, as for the others.
  public var p50: Duration { quantile(0.5) }
  /// The 90th percentile.
  public var p90: Duration { quantile(0.9) }
  /// The 99th percentile.
  public var p99: Duration { quantile(0.99) }
  /// The 99.9th percentile.
  public var p999: Duration { quantile(0.999) }
  /// The longest latency, exactly.
  public var max: Duration { histogram.maximum ?? .zero }

  private func quantile(_ q: Double) -> Duration { histogram.quantile(q) ?? .zero }
}
