import Testing

@testable import MillraceTesting

extension ErrandWorld {
  /// What the first of 1,000 seeds that breaks a rule says of it; nil if none does.
  var brokenRule: String? {
    get async {
      let failures = Failures()
      await failures.collect {
        let report = await Simulation.run(seeds: 0..<1_000, maximumSteps: 20_000, shrinkingAttempts: 0) {
          await self($0)
        }
        #expect((report.failingPlan == nil) == failures.messages.isEmpty)
      }
      return failures.messages.first
    }
  }
}
