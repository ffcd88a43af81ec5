import Millrace
import Testing

@testable import MillraceLoad

@Suite("LatencyCondition")
struct LatencyConditionTests {
  @Test(
    "A percentile, <= and a time are read",
    arguments: [
      ("p99<=10ms", 0.99, Duration.milliseconds(10)), ("p50 <= 1.5 s", 0.5, .milliseconds(1_500)),
      ("p999<=250us", 0.999, .microseconds(250)), ("p9999<=3µs", 0.9999, .microseconds(3)),
      ("p999999<=999999s", 0.999999, .seconds(999_999)),
    ])
  func read(text: String, quantile: Double, bound: Duration) throws {
    let condition = try LatencyCondition(text)
    #expect(condition.quantile == quantile)
    #expect(condition.bound == bound)
  }

  @Test(
    "Anything else is refused in a sentence",
    arguments: [
      "", "p99", "p99<10ms", "99<=10ms", "p0<=1s", "p00<=1s", "p9<=1s", "p99<=10", "p99<=-1ms", "p99<=0s", "p99<=1e9s",
      "p99<=1000000s", "p99<=1000001s", "p9999999<=1s",
    ])
  func refused(text: String) {
    let error = #expect(throws: LoadError.self) { try LatencyCondition(text) }
    #expect(
      error?.description
        == "'\(text)' is no condition on a latency; write a percentile, <= and a time, such as p99<=10ms.")
  }

  @Test("A percentile is told from at least a hundred requests beyond it")
  func leastRequests() throws {
    #expect(try LatencyCondition("p50<=1s").leastRequests == 200)
    #expect(try LatencyCondition("p99<=1s").leastRequests == 10_000)
    #expect(try LatencyCondition("p999<=1s").leastRequests == 100_000)
  }

  @Test("Requests that failed, were rejected, were not sent or have not ended are not in time")
  func holds() throws {
    let condition = try LatencyCondition("p90<=10ms")
    func report(late: Int = 0, failed: Int = 0, rejected: Int = 0, unsent: Int = 0, open: Int = 0) -> LoadReport {
      var tally = LoadTally(duration: .seconds(1))
      let bad = late + failed + rejected + unsent + open
      for _ in 0..<(100 - unsent) { tally.send(due: 0) }
      for _ in 0..<(100 - bad) { tally.end(.finished, due: 0, began: 0, ended: 1_000_000) }
      for _ in 0..<late { tally.end(.finished, due: 0, began: 0, ended: 100_000_000) }
      for _ in 0..<failed { tally.end(.failed(LoadError("no")), due: 0, began: 0, ended: 1_000_000) }
      for _ in 0..<rejected { tally.end(.rejected(.full("")), due: 0, began: 0, ended: 0) }
      for _ in 0..<unsent { tally.leaveUnsent(due: 0) }
      return .of(tally)
    }
    #expect(condition.holds(for: report()))
    #expect(condition.holds(for: report(late: 10)))
    #expect(!condition.holds(for: report(late: 11)))
    #expect(condition.holds(for: report(failed: 10)))
    #expect(!condition.holds(for: report(failed: 11)))
    #expect(!condition.holds(for: report(rejected: 11)))
    #expect(!condition.holds(for: report(unsent: 11)))
    #expect(!condition.holds(for: report(open: 11)))
  }
}
