import Millrace
import MillraceTesting
import Testing

@testable import MillraceLoad

@Suite("Coordinated omission")
struct CoordinatedOmissionTests {
  @Test(
    """
    Of a server that pauses for 1 s every 10 s, the open loop finds a p99 from 0.85 to 0.95 s, and the closed loop one below \
    0.05 s
    """)
  func pausingServer() async throws {
    let reports = Lock<[LoadReport]>([])
    await Simulation.run(seed: 1, options: .init(maximumSteps: 10_000_000)) { world in
      let server = PausingServer(clock: world.clock)
      let scenario = LoadScenario("pausing", rate: 500) { _ in try await server.serve() }
      for mode in [LoadOptions.Mode.open(), .closed(concurrency: 4)] {
        let report = try await scenario.run(LoadOptions(mode, duration: .seconds(20), clock: world.clock))
        reports.withLock { $0.append(report) }
      }
    }
    let (open, closed) = (reports.withLock { $0[0] }, reports.withLock { $0[1] })
    #expect(open.counts.sent == 10_000 && open.counts.finished == 10_000)
    #expect(
      (Duration.milliseconds(850)...Duration.milliseconds(950)).contains(try #require(open.latency.p99)), "\(open)")
    // Here the sender is not held up, so that the time of sending tells the same.
    #expect(open.uncorrected == open.latency)
    #expect(closed.counts.finished > 50_000)
    #expect(try #require(closed.latency.p99) < .milliseconds(50), "\(closed)")
    #expect(try #require(closed.latency.max) > .milliseconds(950), "\(closed)")
  }
}
