import Foundation
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

  @Test("Each beginning of an alert is owed to each webhook until it is taken, and an end to those that took it")
  func changes() throws {
    let name = Alert.Name(rule: "target down", subject: Endpoint.web.name)
    let begin = AlertChange(number: 1, alert: name, isFiring: true, value: 0, reason: "no")
    let notice = Notice(change: begin, time: .init(timeIntervalSince1970: 0))
    let firing = try state(["target down"], webhooks: [.chat, .pager], down, down)
    #expect(
      firing.owedNotices == [OwedNotice(webhook: .chat, change: begin), OwedNotice(webhook: .pager, change: begin)])
    var state = try state(
      ["target down"], webhooks: [.chat, .pager], down, .notifying(.pager, notice), .notified(.pager, begin))
    #expect(state.owedNotices == [OwedNotice(webhook: .chat, change: begin)])
    state.apply(up)
    let end = AlertChange(number: 2, alert: name, isFiring: false, value: 1)
    #expect(state.owedNotices == [OwedNotice(webhook: .pager, change: end)])
    state.apply(down)
    #expect(state.owedNotices.map(\.change.number) == [3, 3])
    #expect(try self.state(["target down"], webhooks: [], down, up).changeCount == 0)
  }

  @Test("A change of a metric's alert has its number")
  func metric() throws {
    var state = try state(
      ["cpu >= 40 %"], .read(.fake(), at: .zero), .read(.fake(busy: 40, total: 100), at: .seconds(1)))
    let change = try #require(state.owedNotices.first).change
    #expect(change.value == 40 && change.isFiring)
    state.deliverAll()
    state.apply(.read(.fake(busy: 70, total: 200), at: .seconds(2)))
    #expect(state.owedNotices.map(\.change.value) == [30] && state.owedNotices.map(\.change.isFiring) == [false])
  }

  @Test("New rules leave the alerts of those that stay as they are, end those that are gone, and add their own")
  func replaced() throws {
    var state = try state(["load > 9", "target down", "\(Endpoint.web.name) down"], down)
    state.deliverAll()
    state.apply(try rules("target down", "cpu > 1", "target down for 9 h"))
    #expect(state.alerts.map(\.rule.text) == ["cpu > 1", "target down", "target down for 9 h"])
    #expect(state.alerts.map(\.status) == [.ok, .firing(since: .seconds(1)), .ok])
    let end = try #require(state.owedNotices.last).change
    #expect(end.alert.rule == "\(Endpoint.web.name) down" && !end.isFiring && end.value == nil)
    #expect(end.reason == "the rule was removed")
    #expect(state.owedNotices.count == 1 && end.number == 3)
  }

  /// The changes that a webhook, which takes each, is notified of by these mutations.
  private func changes(_ rule: String, _ mutations: [PulseMutation]) throws -> [AlertChange] {
    var state = try state([rule])
    var changes: [AlertChange] = []
    for mutation in mutations {
      state.apply(mutation)
      changes += state.owedNotices.map(\.change)
      state.deliverAll()
    }
    return changes
  }

  @Test("An alert is reminded of by the first observation that meets its condition behind each interval")
  func reminders() throws {
    let probes: [(second: Int, isDown: Bool)] = [
      (1, true), (60, true), (61, true), (70, true), (120, true), (125, true), (184, true), (185, false), (200, true),
      (259, true), (260, true),
    ]
    let mutations = probes.map { second, isDown in
      PulseMutation.probed(.web, isDown ? .down(reason: "at \(second)") : .up(latency: .zero), at: .seconds(second))
    }
    let changes = try changes("target down remind every 1 min", mutations)
    #expect(changes.map(\.isFiring) == [true, true, true, false, true, true])
    #expect(changes.map(\.reason) == ["at 1", "at 61", "at 125", nil, "at 200", "at 260"])
    #expect(changes.map(\.number) == Array(1...6) && changes.map(\.value) == [0, 0, 0, 1, 0, 0])
    #expect(try self.changes("target down", mutations).count == 3)
  }

  @Test("A success of an alert that waits for several is no reminder")
  func success() throws {
    let rule = "target down until 2 successes remind every 1 s"
    #expect(try changes(rule, [down, up]).map(\.isFiring) == [true])
    #expect(try changes(rule, [down, up, up]).map(\.isFiring) == [true, false])
  }

  @Test("Webhooks are notified of a certificate that expires soon, with the days that it has left, and of its renewal")
  func certificate() throws {
    let readings: [CertificateReading] = [
      .expires(after: .days(15)), .expires(after: .days(14)), .expires(after: .days(13)), .expires(after: .days(90)),
      .unreadable, .expires(after: .zero), .expires(after: .days(90)),
    ]
    let mutations = readings.enumerated().flatMap { hour, reading in
      [PulseMutation.certificateRead(.guarded, reading, at: .seconds(hour)), down]
    }
    let changes = try changes("target certificate expires within 14 days", mutations)
    #expect(changes.map(\.isFiring) == [true, false, true, false] && changes.map(\.value) == [14, 90, nil, 90])
    #expect(
      changes.map(\.reason) == [
        "the certificate expires in 14 d 0 h", nil, "the date at which the certificate expires cannot be read", nil,
      ])
  }

  @Test("Only a target by https has an alert about certificates")
  func certificateTargets() throws {
    let state = try state(["target certificate expires within 14 days"], .probing(.web), .probing(.guarded))
    #expect(state.alerts.map(\.subject) == [Endpoint.guarded.name])
    #expect(!state.watchesCertificate(of: .web) && state.watchesCertificate(of: .guarded))
  }

  @Test("Certificates are due after an hour, at once for new rules, and as long as they have expired")
  func certificateDue() throws {
    var state = try state(
      ["target certificate expires within 14 days"],
      .certificateRead(.guarded, .expires(after: .days(1)), at: .seconds(10)))
    #expect(!state.isCertificateDue(of: .guarded, at: .seconds(3_609)))
    #expect(state.isCertificateDue(of: .guarded, at: .seconds(3_610)))
    #expect(state.isCertificateDue(of: .web, at: .seconds(10)), "it was never read")
    state.apply(try rules("target certificate expires within 7 days"))
    #expect(state.isCertificateDue(of: .guarded, at: .seconds(11)))
    state.apply(.certificateRead(.guarded, .unreadable, at: .seconds(11)))
    #expect(!state.isCertificateDue(of: .guarded, at: .seconds(12)) && state.elapsed == .seconds(11))
    state.apply(.certificateRead(.guarded, .expires(after: .zero), at: .seconds(12)))
    #expect(state.isCertificateDue(of: .guarded, at: .seconds(12)))
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

  @Test("The counts of an attempt are those of its webhook")
  func receiver() {
    var state = PulseState(owing: .fake(1), to: [.chat, .pager])
    let steps: [(PulseMutation, String)] = [
      (.notifying(.chat, .fake(1)), "1 under way"),
      (.notifyFailed(.chat, .fake(1), reason: "a", mayHaveArrived: true), "1 waiting, 1 failed: a"),
      (.notifying(.chat, .fake(1)), "1 under way, 1 failed: a"),
      (.notified(.chat, .fake(1)), "1 delivered, 1 failed: a"),
    ]
    for (mutation, words) in steps {
      state.apply(mutation)
      #expect(state.receivers.map(\.words) == [words, "1 waiting"])
    }
  }
}
