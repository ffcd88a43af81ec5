import Foundation
import Millrace
import Testing

@testable import MillraceTesting

@Suite("The store's guarantees, simulated")
struct GuaranteeSimulationTests {
  /// 1,000 unless the environment says otherwise, as CI does.
  private static let seeds: UInt64 =
    ProcessInfo.processInfo.environment["MILLRACE_SEEDS"].flatMap { UInt64($0) } ?? 1_000

  @Test("L, R, A, O, S: what the store guarantees holds under each seed")
  func guarantees() async {
    let report = await Simulation.run(seeds: 0..<Self.seeds) { await ErrandWorld()($0) }
    #expect(report.failingPlan == nil && report.worlds == Self.seeds)
    #expect(report.leftOverTasks == 0, "\(report.leftOvers)")
  }
}
