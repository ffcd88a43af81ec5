import Foundation
public import Millrace
import MillraceFlags

/// The figures of a load run.
public struct LoadReport: Sendable {
  /// The name of the scenario.
  public let scenario: String

  /// The options of the run, with its users, and with the clients of a closed loop.
  public let options: LoadOptions

  /// The origin of the report; nil unless a load program has made it.
  var origin: LoadOrigin?

  /// The figures of the loaded system at the end; empty for most scenarios.
  var figures: [LoadFigure] = []

  /// The schedule of the run; nil for a closed loop.
  public let schedule: LoadSchedule?

  /// The capacity that was measured before the run, in finished requests a second; nil unless the rate was a multiple of it.
  public internal(set) var capacity: Double?

  /// The length of the measured part; shorter than asked for when the run was cancelled.
  public let elapsed: Duration

  /// Whether the run was cancelled before its end.
  public let isCut: Bool

  /// The numbers of requests that were sent, and that ended in each way.
  public let counts: LoadCounts

  /// Rejected requests by the reason.
  public let rejections: [Rejection.Kind: Int]

  /// Requests by the status of their HTTP answer; empty where there were no such answers.
  public let statuses: [Int: Int]

  /// Failed requests by the text of their error, which is cut at 200 characters.
  ///
  /// The first 50 texts are told apart; failures with further ones are counted as `other errors`.
  public let errors: [String: Int]

  /// The time from when a request was due to its end, of requests that finished.
  ///
  /// It includes the time a request waited to be sent because the system held up the sender: no coordinated omission. In a closed
  /// loop a request is due when it is sent.
  public let latency: LoadLatency

  /// The time from when a request was sent to its end, of requests that finished.
  public let uncorrected: LoadLatency

  /// The time from when a request was due to its end, of requests that ended otherwise and were not rejected.
  public let failureLatency: LoadLatency

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
    statuses = figures.statuses
    errors = figures.errors
    latency = figures.latency
    uncorrected = figures.uncorrected
    failureLatency = figures.failureLatency
    generatorLateness = figures.ownLateness
    slices = figures.slices
  }
}

extension LoadReport {
  /// Requests that were due, in requests a second.
  public var offeredRate: Double { rate(of: counts.offered) }

  /// Requests that finished within the measured part, in requests a second.
  public var throughput: Double { rate(of: finishedInTime) }

  private func rate(of count: Int) -> Double {
    elapsed > .zero ? Double(count) / (elapsed / .seconds(1)) : 0
  }

  /// Whether requests were due, and not a single one of them finished.
  public var isWithoutSuccess: Bool { counts.offered > 0 && counts.finished == 0 }

  /// Whether the real percentiles may be higher: requests were not sent, or had not ended.
  public var isLowerBound: Bool { counts.unsent > 0 || counts.inFlight > 0 }

  /// Whether the generator was late by more than a tenth of the latency it measured, both at the 99th percentile.
  public var isGeneratorLate: Bool {
    guard let lateness = generatorLateness.quantile(0.99), let p99 = latency.p99 else { return false }
    return lateness * 10 > p99
  }

  /// The part of the offered requests that finished within a time; those rejected, failed, unsent or in flight did not.
  ///
  /// Latencies are counted as in `Histogram.count(upTo:)`.
  public func share(within bound: Duration) -> Double {
    guard counts.offered > 0, latency.histogram.count > 0 else { return 0 }
    let inTime = Double(latency.histogram.count(upTo: bound)) / Double(latency.histogram.count)
    return inTime * Double(counts.finished) / Double(counts.offered)
  }
}

/// The origin of a report: which program has loaded what, where and when.
struct LoadOrigin: Sendable {
  /// The URL of the service, as it may be shown; nil for a scenario without one.
  let target: String?
  let start: Date
  let host: String
  let version: String

  /// The origin of a run that begins now on this machine.
  ///
  /// - Parameter target: the URL of the service, as it may be shown.
  static func now(target: String?) -> LoadOrigin {
    LoadOrigin(target: target, start: Date(), host: hostName, version: Version.text)
  }

  /// The start by RFC 3339, in UTC and to the second.
  var startText: String { start.formatted(.iso8601) }

  /// The name as the kernel has it; no name server is asked.
  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
