import Millrace

/// The time of a simulation, and a line on standard error every ten seconds where it is long.
struct TimeBudget {
  private let start = ContinuousClock.now
  private let time: Duration?
  private let place: String
  private var lines = 0
  private var hasBegun = false

  /// - Parameter time: the whole time; nil has no end.
  init(_ time: Duration?, place: String) {
    self.time = time
    self.place = place
  }

  /// Whether another world may begin; the first one always may.
  mutating func hasTime(after report: SimulationReport) -> Bool {
    guard let time else { return true }
    defer { hasBegun = true }
    let passed = ContinuousClock.now - start
    if passed >= .seconds(10) * (lines + 1) {
      lines += 1
      writeToStandardError(
        line: """
          the simulation at \(place) has run \(report.worlds) worlds with \(report.steps) steps in \
          \(passed.components.seconds) of \(time.components.seconds) seconds; failures: \(report.failures.count).
          """)
    }
    return !hasBegun || passed < time
  }
}
