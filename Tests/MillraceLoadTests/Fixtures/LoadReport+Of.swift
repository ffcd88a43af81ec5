@testable import MillraceLoad

extension LoadReport {
  /// A report of these figures, of a run of one second at 100 requests a second.
  static func of(
    _ tally: LoadTally, schedule: LoadSchedule? = .constant(100), maximumInFlight: Int = 100_000,
    measuredOneOf: Int = 1,
    isCut: Bool = false
  ) -> LoadReport {
    LoadReport(
      scenario: "shop", options: LoadOptions(duration: .seconds(1), maximumInFlight: maximumInFlight),
      schedule: schedule,
      elapsed: .seconds(1), isCut: isCut, figures: tally, measuredOneOf: measuredOneOf)
  }
}
