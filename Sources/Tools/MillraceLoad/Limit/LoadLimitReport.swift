import Millrace

/// The highest rate at which a condition on the latency held, and the windows that were measured to find it.
public struct LoadLimitReport: Sendable {
  /// The name of the scenario.
  public let scenario: String

  /// The condition.
  public let condition: LatencyCondition

  /// The options of the windows.
  let options: LoadOptions

  /// The origin of the report; nil unless a load program has made it.
  var origin: LoadOrigin?

  /// The highest rate that held, in requests a second; nil when none did.
  public internal(set) var rate: Double?

  /// The windows in the order in which they were measured: the curve of latency over rate.
  public internal(set) var windows: [Window] = []

  /// Whether the time of the search was over before the limit was found; it is then at least ``rate``.
  public internal(set) var isTimeLimit = false

  /// Whether the generator could not send at a higher rate; the system's limit is then at least ``rate``.
  public internal(set) var isGeneratorLimit = false

  /// Whether windows were measured, or were to be, and not a single request of them finished.
  public var isWithoutSuccess: Bool {
    windows.isEmpty ? isTimeLimit : windows.allSatisfy(\.report.isWithoutSuccess)
  }

  /// One run at a constant rate.
  public struct Window: Sendable {
    /// The rate, in requests a second.
    public let rate: Double
    /// Whether the condition held.
    public var isHeld: Bool { result == .held }
    /// Whether the generator was too late for the condition, so that the window says nothing about the system.
    public var isGeneratorLate: Bool { result == .undecided }
    let result: LimitSearch.Result
    /// The figures.
    public let report: LoadReport
  }
}

extension LoadScenario {
  /// Finds the highest rate at which a condition holds.
  ///
  /// It raises the rate until the condition breaks in two windows, and then narrows the gap between the highest rate that held and the
  /// lowest that broke to 2 %. A window has at least 100 / (1 - quantile) requests and lasts at least a second. A window in which the
  /// generator was too late for the condition is repeated, up to four times at a rate.
  /// Between windows, requests in flight are waited for, up to the drain of the options.
  ///
  /// **Cancellation** of the calling task ends the search; the report has the windows until then.
  ///
  /// - Parameters:
  ///   - condition: the condition that has to hold, such as `p99<=10ms`.
  ///   - rate: the first rate, in requests a second; by default the rate of the scenario, and 1,000 where that is a multiple of the
  ///     capacity.
  ///   - time: the longest that the search takes; nil is no limit. No window begins that would not end by then.
  ///   - options: users, warm-up, drain, seed and clock of the windows; their mode and duration are not used.
  /// - Throws: ``LoadError`` for options that no run can have, and the error of the scenario when it makes a user.
  @concurrent
  public func limit(
    of condition: LatencyCondition, from rate: Double? = nil, atMost time: Duration? = nil,
    _ options: LoadOptions = LoadOptions()
  ) async throws -> LoadLimitReport {
    try await limit(of: condition, from: rate, atMost: time, options) { _ in }
  }

  /// - Parameter watch: is called when the users are made, when a window begins and when it has ended.
  @concurrent
  func limit(
    of condition: LatencyCondition, from rate: Double?, atMost time: Duration?, _ options: LoadOptions,
    watch: (LimitEvent) -> Void
  ) async throws -> LoadLimitReport {
    try options.check(for: self)
    let clock = TimeSource(options.clock)
    let deadline = time.map { clock.now() + $0.nanoseconds }
    let session = try await LoadSession(self, options)
    watch(.made(session))
    var report = LoadLimitReport(scenario: name, condition: condition, options: session.resolved(options))
    var search = LimitSearch(from: rate ?? firstRate)
    var step = search.first
    while case .measure(let rate) = step, !Task.isCancelled {
      var options = options
      options.mode = .open(.constant(rate))
      options.duration = .seconds(max(1, Double(condition.leastRequests) / rate))
      let length = options.warmUp + options.duration
      var timeLeft = length * search.windowsLeft
      if let deadline {
        let left = Duration.nanoseconds(deadline - clock.now())
        report.isTimeLimit = length > left
        if report.isTimeLimit { break }
        options.drain = min(options.drain, left - length)
        timeLeft = min(timeLeft, left)
      }
      let measured = try await session.run(options) { read in
        watch(.began(LimitProgress(condition: condition, rate: rate, length: length, timeLeft: timeLeft), read))
      }
      if measured.isCut { break }
      let window = LoadLimitReport.Window(rate: rate, result: condition.result(of: measured), report: measured)
      report.windows.append(window)
      watch(.ended(window))
      step = search.next(window.result)
    }
    report.rate = search.held
    report.isGeneratorLimit = search.isGeneratorLimit
    await session.close()
    return report
  }

  private var firstRate: Double {
    if case .perSecond(let rate) = rate { rate } else { 1_000 }
  }
}

extension LatencyCondition {
  /// The result of a window with these figures.
  func result(of report: LoadReport) -> LimitSearch.Result {
    if holds(for: report) { return .held }
    let lateness = report.generatorLateness.quantile(quantile) ?? .zero
    return report.isGeneratorLate && lateness > bound ? .undecided : .broken
  }
}
