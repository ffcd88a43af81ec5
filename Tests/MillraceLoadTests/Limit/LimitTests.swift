import Millrace
import MillraceTesting
import Testing

@testable import MillraceLoad

@Suite("Limit of a scenario")
struct LimitTests {
  @Test("The limit of a queue that takes 100 requests a second is found within 5 %", arguments: [20.0, 200])
  func queue(from rate: Double) async throws {
    let condition = try LatencyCondition("p50<=20ms")
    let found = Lock<LoadLimitReport?>(nil)
    await Simulation.run(seed: 1, maximumSteps: 100_000_000) { world in
      let server = QueueingServer(world.clock, service: .milliseconds(10))
      let scenario = LoadScenario("queue", rate: 100) { _ in try await server.serve() }
      let report = try await scenario.limit(
        of: condition, from: rate, LoadOptions(drain: .seconds(3_600), clock: world.clock))
      found.withLock { $0 = report }
    }
    let report = try #require(found.withLock { $0 })
    #expect((95.0...105).contains(report.rate ?? 0), "\(report)")
    #expect(report.windows.count >= 8)
    for window in report.windows {
      #expect(window.isHeld == (window.report.latency.p50 <= .milliseconds(20)), "\(window.rate)")
      #expect(abs(window.report.offeredRate / window.rate - 1) < 0.05)
      #expect(window.report.counts.sent >= 200)
    }
  }
}
