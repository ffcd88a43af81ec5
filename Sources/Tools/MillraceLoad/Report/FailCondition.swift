import Millrace
import MillraceFlags

/// A condition on the figures of a run, such as `failed > 1 %`; where it holds, the program ends with the exit code 4.
struct FailCondition: Sendable, Equatable {
  /// A figure of the report, under the name that a condition gives it.
  enum Figure: Sendable, Equatable {
    /// A latency of the requests that finished: of this quantile, or the longest where it is nil.
    case latency(Double?)
    /// The requests that finished.
    case finished
    /// The requests that failed, timed out, were cancelled or had not ended.
    case failed
    /// The requests that the system rejected, or that were not sent.
    case rejected
    /// Requests that finished within the measured part, in requests a second.
    case throughput
  }

  /// The unit of the bound.
  enum Unit: Sendable, Equatable {
    case nanoseconds
    case percent
    case plain
  }

  /// The condition as it was written.
  let text: String
  let figure: Figure
  private let name: String
  private let comparison: String
  private let bound: Double
  private let unit: Unit

  /// - Throws: a sentence that says what is expected, for another text.
  init(_ text: String) throws(FlagError) {
    let bare = text.filter { $0 != " " }
    let comparison = [">=", "<=", ">", "<"].first { bare.contains($0) } ?? ""
    let parts = bare.split(separator: comparison, maxSplits: 1).map(String.init)
    guard !comparison.isEmpty, parts.count == 2, let figure = Self.figure(parts[0]),
      let (bound, unit) = Self.bound(parts[1], of: figure)
    else {
      throw FlagError(
        flag: "--fail-if",
        needs:
          "finished, failed, rejected, throughput, max or a percentile, then >, >=, < or <=, and a number, a share or a time",
        given: text, example: "'failed > 1 %' or --fail-if 'p99 > 50ms'")
    }
    (self.text, self.figure, name, self.comparison) = (text, figure, parts[0], comparison)
    (self.bound, self.unit) = (bound, unit)
  }

  private static func figure(_ name: String) -> Figure? {
    switch name {
    case "finished": .finished
    case "failed": .failed
    case "rejected": .rejected
    case "throughput": .throughput
    case "max": .latency(nil)
    default: LatencyCondition.quantile(name[...]).map { .latency($0) }
    }
  }

  private static func bound(_ text: String, of figure: Figure) -> (Double, Unit)? {
    if case .latency = figure {
      return LatencyCondition.duration(text[...]).map { ($0 / .nanoseconds(1), .nanoseconds) }
    }
    let isShare = text.hasSuffix("%") && figure != .throughput
    guard let number = Double(isShare ? String(text.dropLast()) : text), number >= 0, number.isFinite,
      text.utf8.allSatisfy("0123456789.%".utf8.contains)
    else { return nil }
    return (number, isShare ? .percent : .plain)
  }

  /// The sentence about a run for which the condition holds; nil where it does not hold, and where the run has no such figure.
  func sentence(for report: LoadReport) -> String? {
    guard let (value, shown) = reading(of: report), isMet(by: value) else { return nil }
    return "\(name) is \(shown), so the condition \(FlagError.quoted(text)) of --fail-if holds."
  }

  private func isMet(by value: Double) -> Bool {
    switch comparison {
    case ">": value > bound
    case ">=": value >= bound
    case "<": value < bound
    default: value <= bound
    }
  }

  /// The figure in the unit of the bound, and as a text.
  private func reading(of report: LoadReport) -> (Double, String)? {
    let counts = report.counts
    switch figure {
    case .latency(let quantile):
      let latency = report.latency
      let duration = quantile.map { latency.histogram.quantile($0) } ?? latency.max
      return duration.map { ($0 / .nanoseconds(1), Histogram.text($0)) }
    case .throughput: return (report.throughput, Figures.rate(report.throughput))
    case .finished: return reading(counts.finished, of: counts)
    case .failed: return reading(counts.failed + counts.timedOut + counts.cancelled + counts.inFlight, of: counts)
    case .rejected: return reading(counts.rejected + counts.unsent, of: counts)
    }
  }

  private func reading(_ count: Int, of counts: LoadCounts) -> (Double, String)? {
    guard unit == .percent else { return (Double(count), Figures.count(count, "request")) }
    guard counts.offered > 0 else { return nil }
    let share = Double(count) / Double(counts.offered)
    return (
      share * 100, "\(Figures.percent(share)) (\(Figures.count(count)) of \(Figures.count(counts.offered, "request")))"
    )
  }
}
