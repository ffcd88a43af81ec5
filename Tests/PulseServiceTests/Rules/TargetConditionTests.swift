import Testing

@testable import PulseService

@Suite("TargetCondition")
struct TargetConditionTests {
  @Test(
    "A result is compared with what a rule is about, and says nothing where there is nothing to compare",
    arguments: [
      (.down, .up(latency: .seconds(1)), .init(isMet: false, value: 1)),
      (.down, .down(reason: "no"), .init(isMet: true, value: 0)),
      (.slower(than: .seconds(1)), .up(latency: .seconds(2)), .init(isMet: true, value: 2)),
      (.slower(than: .seconds(1)), .up(latency: .seconds(1)), .init(isMet: false, value: 1)),
      (.slower(than: .seconds(1)), .down(reason: "no"), nil),
      (.status(.atLeast, 500), .up(latency: .zero, status: 200), .init(isMet: false, value: 200)),
      (.status(.atLeast, 500), .down(reason: "status 503", status: 503), .init(isMet: true, value: 503)),
      (.status(.unequal, 200), .up(latency: .zero, status: 204), .init(isMet: true, value: 204)),
      (.status(.equal, 404), .down(reason: "refused"), nil), (.status(.equal, 404), .up(latency: .zero), nil),
    ] as [(TargetCondition, Target.Result, TargetCondition.Observation?)])
  func observation(condition: TargetCondition, result: Target.Result, expected: TargetCondition.Observation?) {
    #expect(condition.observation(of: result) == expected)
  }

  @Test(
    "An alert about a slow target begins and ends by what was measured, and is left alone by a probe without an answer")
  func slow() throws {
    var state = PulseState(rules: [try AlertRule("target slower than 200 ms")], webhooks: [.chat])
    let results: [Target.Result] = [
      .up(latency: .milliseconds(100)), .up(latency: .milliseconds(300)), .down(reason: "no"),
      .up(latency: .milliseconds(200)),
    ]
    var values: [Double?] = []
    let words = results.enumerated().map { second, result in
      state.apply(.probed(.web, result, at: .seconds(second)))
      values += state.owedNotices.map(\.change.value)
      state.deliverAll()
      return state.alerts.map(\.status.word)
    }
    #expect(words == [["ok"], ["firing"], ["firing"], ["resolved"]])
    #expect(values == [0.3, 0.2])
  }
}
