import Millrace
import MillraceFlags
import Testing

@testable import MillraceLoad

@Suite("FailCondition")
struct FailConditionTests {
  /// 80 requests of 10 ms that finished, 4 that failed, 3 timed out, 2 cancelled, 1 in flight, 5 superseded, 4 rejected, 1 not sent.
  private static let report: LoadReport = {
    var tally = LoadTally(duration: .seconds(1))
    let outcomes: [(Int, Outcome)] = [
      (80, .finished), (4, .failed(LoadError("no"))), (3, .timedOut), (2, .cancelled), (5, .superseded),
      (4, .rejected(.full(""))),
    ]
    for (count, outcome) in outcomes {
      for _ in 0..<count {
        tally.send(due: 0)
        tally.end(outcome, due: 0, began: 0, ended: 10_000_000)
      }
    }
    tally.send(due: 0)
    tally.leaveUnsent(due: 0)
    return .of(tally)
  }()

  @Test(
    "A condition holds for a figure beyond its bound, with a sentence",
    arguments: [
      ("failed > 9 %", "failed is 10 % (10 of 100 requests)"), ("failed>=10%", "failed is 10 % (10 of 100 requests)"),
      ("failed > 10 %", nil), ("failed > 9", "failed is 10 requests"), ("failed > 10", nil),
      ("rejected > 4.9 %", "rejected is 5 % (5 of 100 requests)"), ("rejected > 5 %", nil),
      ("finished < 80.1 %", "finished is 80 % (80 of 100 requests)"), ("finished < 80 %", nil),
      ("finished <= 80", "finished is 80 requests"), ("p99 > 9ms", "p99 is 10 ms"), ("p99 > 11 ms", nil),
      ("max >= 0.01s", "max is 10 ms"), ("max > 10ms", nil), ("throughput < 81", "throughput is 80 requests/s"),
      ("throughput < 80", nil),
    ])
  func holds(text: String, sentence: String?) throws {
    #expect(
      try FailCondition(text).sentence(for: Self.report)
        == sentence.map { "\($0), so the condition '\(text)' of --fail-if holds." })
  }

  @Test("A latency that no request has makes no condition hold", arguments: ["p99 < 1s", "max <= 1s", "p50 > 1us"])
  func noLatency(text: String) throws {
    #expect(try FailCondition(text).sentence(for: .of(LoadTally(duration: .seconds(1)))) == nil)
    #expect(try FailCondition("failed >= 0 %").sentence(for: .of(LoadTally(duration: .seconds(1)))) == nil)
  }

  @Test(
    "Any other text is refused",
    arguments: [
      "", "failed", "failed = 1", "failed >", "> 1", "p99 > 50", "p99 > 1 %", "failed > 1ms", "throughput < 5 %",
      "failed > -1", "failed > nan", "failed > 1e3", "settled > 1", "failed > 1 % %", "p > 1ms", "failed >> 1",
    ])
  func refused(text: String) {
    #expect(throws: FlagError.self) { try FailCondition(text) }
  }
}
