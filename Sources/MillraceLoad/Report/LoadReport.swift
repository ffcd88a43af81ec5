public import Millrace

/// The figures of a load run.
public struct LoadReport: Sendable {
  /// The name of the scenario.
  public let scenario: String

  /// The options of the run.
  public let options: LoadOptions

  /// The schedule of the run; nil for a closed loop.
  public let schedule: LoadSchedule?

  /// The capacity that was measured before the run, in finished requests a second; nil unless the rate was a multiple of it.
  public internal(set) var capacity: Double?

  /// The length of the measured part; shorter than asked for when the run was cancelled.
  public let elapsed: Duration

  /// Whether the run was cancelled before its end.
  public let isCut: Bool

  /// The numbers of requests that were sent, and of those that ended in each way.
  public let counts: LoadCounts

  /// Rejected requests by the reason.
  public let rejections: [Rejection.Kind: Int]

  /// The error of the first request that failed, as text.
  public let firstError: String?

  /// The time from when a request was due to its end, of those that settled.
  ///
  /// It includes the time a request waited to be sent because the system held up the sender: no coordinated omission. In a closed
  /// loop a request is due when it is sent.
  public let latency: LoadLatency

  /// The time from when a request was sent to its end, of those that settled.
  public let uncorrected: LoadLatency

  /// The part of the time between due and sent for which the generator is to blame, and not the system.
  public let generatorLateness: Histogram

  /// The number of requests among which the latency of one was measured, because measuring each would slow the generator down; 1
  /// when each was.
  public let measuredOneOf: Int

  /// The measured part in slices of equal length.
  public let slices: [LoadSlice]

  private let finishedInTime: Int

  init(
    scenario: String, options: LoadOptions, schedule: LoadSchedule?, elapsed: Duration, isCut: Bool, figures: LoadTally,
    measuredOneOf: Int
  ) {
    self.scenario = scenario
    self.options = options
    self.schedule = schedule
    self.elapsed = elapsed
    self.isCut = isCut
    self.measuredOneOf = measuredOneOf
    counts = figures.counts
    finishedInTime = figures.finishedInTime
    rejections = figures.rejections
    firstError = figures.firstError
    latency = figures.latency
    uncorrected = figures.uncorrected
    generatorLateness = figures.ownLateness
    slices = figures.slices
  }
}

extension LoadReport {
  /// Requests that were due, in requests a second.
  public var offeredRate: Double { rate(of: counts.sent + counts.unsent) }

  /// Requests that finished within the measured part, in requests a second.
  public var throughput: Double { rate(of: finishedInTime) }

  private func rate(of count: Int) -> Double {
    elapsed > .zero ? Double(count) / (elapsed / .seconds(1)) : 0
  }

  /// Whether the real percentiles may be higher: requests were not sent, or had not ended.
  public var isLowerBound: Bool { counts.unsent > 0 || counts.inFlight > 0 }

  /// Whether the generator was late by more than a tenth of the latency it measured, both at the 99th percentile.
  public var isGeneratorLate: Bool {
    guard let lateness = generatorLateness.quantile(0.99), latency.max > .zero else { return false }
    return lateness * 10 > latency.p99
  }

  /// The part of the offered requests that finished within a time; those rejected, failed, unsent or in flight did not.
  ///
  /// Latencies are counted as in `Histogram.count(upTo:)`.
  public func share(within bound: Duration) -> Double {
    let offered = counts.sent + counts.unsent
    guard offered > 0, latency.histogram.count > 0, counts.settled > 0 else { return 0 }
    let inTime = Double(latency.histogram.count(upTo: bound)) / Double(latency.histogram.count)
    return inTime * Double(counts.finished) / Double(offered)
  }
}
