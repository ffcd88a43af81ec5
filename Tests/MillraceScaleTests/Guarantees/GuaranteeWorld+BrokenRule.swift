import Testing

@testable import MillraceTesting

extension GuaranteeWorld {
  /// Runs the seeds until one breaks a rule, and returns the text of its failure; nil if none does.
  func brokenRule(seeds: UInt64 = 1_000) async -> String? {
    let failures = Failures()
    await failures.collect {
      let report = await Simulation.run(seeds: 0..<seeds, options: .init(maximumSteps: 20_000, shrinkingAttempts: 0)) {
        await self($0)
      }
      #expect((report.failingPlan == nil) == failures.messages.isEmpty)
    }
    return failures.messages.first
  }
}
