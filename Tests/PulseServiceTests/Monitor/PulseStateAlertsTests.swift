import Testing

@testable import PulseService

@Suite("PulseState+Alerts")
struct PulseStateAlertsTests {
  /// The state after these mutations, with a webhook.
  private func state(
    _ rules: [String], webhooks: [Webhook] = [.chat], _ mutations: PulseMutation...
  ) throws -> PulseState {
    var state = PulseState(rules: try rules.map { try AlertRule($0) }, webhooks: webhooks)
    for mutation in mutations { state.apply(mutation) }
    return state
  }

  private func rules(_ texts: String...) throws -> PulseMutation {
    .rulesRead(try texts.map { try AlertRule($0) })
  }

  private let down = PulseMutation.probed(.web, .down(reason: "no"), at: .seconds(1))
  private let up = PulseMutation.probed(.web, .up(latency: .zero), at: .seconds(2))

  @Test(
    "Each begin and each end of an alert is kept until each webhook has its notice or has lost it, and nothing else")
  func changes() throws {
    let name = Alert.Name(rule: "target down", subject: Endpoint.web.name)
    let changes = try state(["target down"], down, down, up, up, down).changes
    #expect(
      changes == [
        AlertChange(number: 1, alert: name, isFiring: true, value: 0, reason: "no"),
        AlertChange(number: 2, alert: name, isFiring: false, value: 1),
        AlertChange(number: 3, alert: name, isFiring: true, value: 0, reason: "no"),
      ])
    let outbox = try state(
      ["target down"], webhooks: [.chat, .pager], down, up, down, .notifying(.pager, change: 1),
      .notifying(.chat, change: 3), .notifySkipped(.pager, change: 3, reason: "b")
    ).outbox
    #expect(outbox.map(\.change) == [changes[0], changes[1]])
    #expect(outbox.map(\.webhooks) == [[.chat], [.chat, .pager]])
    #expect(try state(["target down"], webhooks: [], down, up).changes == [])
  }

  @Test("A change of a metric's alert has its number")
  func metric() throws {
    let state = try state(
      ["cpu >= 40 %"], .read(.fake(), at: .zero), .read(.fake(busy: 40, total: 100), at: .seconds(1)),
      .read(.fake(busy: 70, total: 200), at: .seconds(2)))
    #expect(state.changes.map(\.value) == [40, 30])
    #expect(state.changes.map(\.isFiring) == [true, false])
  }

  @Test("New rules leave the alerts of those that stay as they are, end those that are gone, and add their own")
  func replaced() throws {
    let state = try state(
      ["load > 9", "target down", "\(Endpoint.web.name) down"], down,
      rules("target down", "cpu > 1", "target down for 9 h"))
    #expect(state.alerts.map(\.rule.text) == ["cpu > 1", "target down", "target down for 9 h"])
    #expect(state.alerts.map(\.status) == [.ok, .firing(since: .seconds(1)), .ok])
    let end = try #require(state.changes.last)
    #expect(end.alert.rule == "\(Endpoint.web.name) down" && !end.isFiring && end.value == nil)
    #expect(end.reason == "the rule was removed")
    #expect(state.changes.map(\.number) == [1, 2, 3])
  }

  @Test("A rule that is given twice is one")
  func twice() throws {
    #expect(try state(["load > 9", "load > 9"]).alerts.count == 1)
  }

  @Test("Rules that were not replaced leave the reason, until they are")
  func kept() throws {
    let failed = PulseMutation.rulesKept(reason: "no")
    #expect(try state(["load > 9"], failed).rulesFailure == "no")
    #expect(try state(["load > 9"], failed, rules()).rulesFailure == nil)
    #expect(try state(["load > 9"], rules()).alerts.isEmpty)
  }

  @Test("A webhook counts what is under way, what was delivered, and what was not, with the last reason")
  func receiver() throws {
    let begun = PulseMutation.notifying(.chat, change: 1)
    let failed = PulseMutation.notifyFailed(.chat, reason: "a")
    let steps: [([PulseMutation], String)] = [
      ([], ""), ([begun], "1 under way"), ([begun, .notified(.chat)], "1 delivered"), ([begun, failed], "1 failed: a"),
      ([begun, begun, failed, .notified(.chat)], "1 delivered, 1 failed: a"),
      ([begun, failed, .notifySkipped(.chat, change: 2, reason: "b")], "2 failed: a"),
      ([.notifySkipped(.chat, change: 2, reason: "b")], "1 failed: b"),
      ([begun, failed, begun, failed], "2 failed: a"),
      ([.notifying(.pager, change: 1)], ""),
    ]
    for (mutations, words) in steps {
      var state = try state([])
      mutations.forEach { state.apply($0) }
      #expect(state.receivers.map(\.words) == [words])
    }
  }
}
