import Millrace
import Testing

@testable import MillraceTesting

@Suite("The store's guarantees, simulated")
struct GuaranteeSimulationTests {
  @Test("L, R, A, O, S: what the store guarantees holds under each seed")
  func guarantees() async {
    let report = await Simulation.run(seeds: 0..<1_000) { await GuaranteeWorld()($0) }
    #expect(report.failingPlan == nil && report.worlds >= 1_000)
    #expect(report.leftOverTasks == 0, "\(report.leftOvers)")
  }
}
