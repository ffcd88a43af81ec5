import Millrace

extension LoadScenario {
  /// Finds the highest rate at which a condition holds.
  ///
  /// It raises the rate until the condition breaks in two of three windows, and then narrows the gap between the highest rate that
  /// held and the lowest that broke to 2 %. A window has at least 100 / (1 - quantile) requests and lasts at least a second.
  /// Between windows, requests in flight are waited for, up to the drain of the options.
  ///
  /// **Cancellation** of the calling task ends the search; the report has the windows until then.
  ///
  /// - Parameters:
  ///   - condition: what has to hold, such as `p99<=10ms`.
  ///   - rate: the first rate, in requests a second; by default that of the scenario, and 1,000 where that is a multiple of the
  ///     capacity.
  ///   - options: users, drain, seed and clock of the windows; their mode and duration are not used.
  /// - Throws: ``LoadError`` for options that no run can have, and what the scenario throws when it makes a user.
  @concurrent
  public func limit(
    of condition: LatencyCondition, from rate: Double? = nil, _ options: LoadOptions = LoadOptions()
  ) async throws -> LoadLimitReport {
    try await limit(of: condition, from: rate, options) { _ in }
  }

  /// - Parameter watch: gets each window when it was measured.
  @concurrent
  func limit(
    of condition: LatencyCondition, from rate: Double?, _ options: LoadOptions,
    watch: (LoadLimitReport.Window) -> Void
  ) async throws -> LoadLimitReport {
    try options.check(for: self)
    let session = try await LoadSession(self, options)
    var report = LoadLimitReport(scenario: name, condition: condition)
    var search = LimitSearch(from: rate ?? firstRate)
    var step = search.first
    while case .measure(let rate) = step, !Task.isCancelled {
      let window = await session.window(of: condition, at: rate, options)
      if window.report.isCut { break }
      report.windows.append(window)
      watch(window)
      step = search.next(isHeld: window.isHeld)
      if !window.isHeld, window.report.isGeneratorLate, window.report.generatorMissed(condition) {
        report.isGeneratorLimit = true
      }
    }
    report.rate = search.held
    await session.close()
    return report
  }

  private var firstRate: Double {
    if case .perSecond(let rate) = rate { rate } else { 1_000 }
  }
}

extension LoadSession {
  fileprivate func window(
    of condition: LatencyCondition, at rate: Double, _ options: LoadOptions
  ) async -> LoadLimitReport.Window {
    var options = options
    options.mode = .open(.constant(rate))
    options.duration = .seconds(max(1, Double(condition.leastRequests) / rate))
    let report = await run(options)
    return LoadLimitReport.Window(rate: rate, isHeld: condition.holds(for: report), report: report)
  }
}

extension LoadReport {
  /// Whether the generator alone was too late for the condition.
  fileprivate func generatorMissed(_ condition: LatencyCondition) -> Bool {
    (generatorLateness.quantile(condition.quantile) ?? .zero) > condition.bound
  }
}
