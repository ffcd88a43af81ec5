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
    await Simulation.run(seed: 1, options: .init(maximumSteps: 100_000_000)) { world in
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
      #expect(window.isHeld == (try #require(window.report.latency.p50) <= .milliseconds(20)), "\(window.rate)")
      #expect(abs(window.report.offeredRate / window.rate - 1) < 0.05)
      #expect(window.report.counts.sent >= 200)
    }
  }

  @Test("A search that has a time ends within it, with the windows until then", arguments: [0.5, 1, 10, 60])
  func atMost(seconds: Double) async throws {
    let condition = try LatencyCondition("p50<=20ms")
    let found = Lock<(LoadLimitReport, Duration)?>(nil)
    await Simulation.run(seed: 1, options: .init(maximumSteps: 100_000_000)) { world in
      let server = QueueingServer(world.clock, service: .milliseconds(10))
      let scenario = LoadScenario("queue", rate: 200) { _ in try await server.serve() }
      let start = world.clock.now
      let report = try await scenario.limit(
        of: condition, atMost: .seconds(seconds), LoadOptions(drain: .seconds(3_600), clock: world.clock))
      found.withLock { $0 = (report, start.duration(to: world.clock.now)) }
    }
    let (report, time) = try #require(found.withLock { $0 })
    #expect(time <= .seconds(seconds))
    #expect(report.isTimeLimit == (seconds < 60) && report.windows.isEmpty == (seconds < 1))
    #expect(report.verdict.contains("the time of the search was over") == (seconds < 60), "\(report)")
    #expect(report.isWithoutSuccess == report.windows.isEmpty)
  }

  @Test("A window tells when it began how long the search may still take, and its line fits the time within it")
  func progress() async throws {
    let condition = try LatencyCondition("p50<=20ms")
    let lines = Lock<[String]>([])
    await Simulation.run(seed: 1, options: .init(maximumSteps: 100_000_000)) { world in
      let scenario = LoadScenario("idle", rate: 400) { _ in }
      let options = LoadOptions(warmUp: .seconds(1), clock: world.clock)
      _ = try await scenario.limit(of: condition, from: nil, atMost: .seconds(5), options) { event in
        guard case .began(let window, _) = event else { return }
        let progress = LoadProgress(figures: LoadTally(duration: .seconds(1)), elapsed: .milliseconds(-500))
        lines.withLock { $0.append(window.text(progress, warmUp: .seconds(1))) }
      }
    }
    #expect(
      lines.withLock { $0 } == [
        "p50<=20ms at 400 requests/s: 500 ms of 2 s, about 4.5 s left",
        "p50<=20ms at 400 requests/s: 500 ms of 2 s, about 2.5 s left",
      ])
  }

  @Test("A window in which the generator alone missed the bound is undecided", arguments: [9, 11])
  func undecided(lateness: Int64) throws {
    var tally = LoadTally(duration: .seconds(1))
    for _ in 0..<100 {
      tally.send(due: 0)
      tally.end(.finished, due: 0, began: 0, ended: 12_000_000)
      tally.addOwnLateness(lateness * 1_000_000, due: 0)
    }
    let report = LoadReport.of(tally)
    #expect(try LatencyCondition("p99<=10ms").result(of: report) == (lateness > 10 ? .undecided : .broken))
    #expect(try LatencyCondition("p99<=20ms").result(of: report) == .held)
  }
}
