import Foundation
import Testing

@testable import PulseService

@Suite("PulseState+Start")
struct PulseStateStartTests {
  /// The time of all fake readings.
  private let time = Date(timeIntervalSince1970: 1_700_000_000)

  /// A process that has watched two targets, of which the database is down, and notified one webhook.
  private func state(rules: [String], _ extra: PulseMutation...) throws -> PulseState {
    var state = PulseState(rules: try rules.map { try AlertRule($0) }, webhooks: [.chat])
    let mutations: [PulseMutation] = [
      .read(.fake(), at: .seconds(1)), .read(.fake(busy: 40, total: 100), at: .seconds(2)),
      .probed(.web, .up(latency: .milliseconds(5)), at: .seconds(3)),
      .probed(.database, .down(reason: "no"), at: .seconds(4)),
    ]
    for mutation in mutations { state.apply(mutation) }
    state.deliverAll()
    for mutation in extra { state.apply(mutation) }
    return state
  }

  private func configuration(
    _ rules: [String], endpoints: [Endpoint] = [.web, .database], webhooks: [Webhook] = [.chat]
  ) throws -> Configuration {
    Configuration(endpoints: endpoints, rules: try rules.map { try AlertRule($0) }, webhooks: webhooks)
  }

  @Test("With the same configuration history, results, alerts and counts stay as they are")
  func same() throws {
    let before = try state(rules: ["target down", "load > 9"])
    var state = before
    // The second reading was at 2 s of the service, so this is at 4 s, where the newest observation was.
    state.apply(.started(try configuration(["target down", "load > 9"]), at: time + 2))
    #expect(state.series == before.series && state.targets == before.targets && state.receivers == before.receivers)
    #expect(state.machine.sample == before.machine.sample && state.alerts == before.alerts)
    #expect(state.owedNotices.isEmpty && state.elapsed == .seconds(4) && state.origin == .seconds(4))
  }

  @Test("Counters of an earlier process are not compared with later ones, and its failures are forgotten")
  func counters() throws {
    var state = try state(
      rules: [], .rulesKept(reason: "a"), .recordingFailed(reason: "b"), .sampleFailed(reason: "c"))
    state.apply(.started(try configuration([]), at: time))
    #expect(state.machine.failure == nil && state.rulesFailure == nil && state.recordingFailure == nil)
    state.apply(.read(.fake(busy: 1_000, total: 100_000), at: .zero))
    #expect(state.series[.cpu]?.values == [40], "one reading of a process is no sample")
    state.apply(.read(.fake(busy: 1_010, total: 100_100), at: .seconds(1)))
    #expect(state.series[.cpu]?.values == [40, 10])
  }

  @Test("Times continue by the clock on the wall, and not backward if it was set back", arguments: [3_600, -3_600])
  func times(seconds: TimeInterval) throws {
    var state = try state(rules: ["target down"])
    state.apply(.started(try configuration(["target down"]), at: time + seconds))
    // The time on the wall is that of the reading at 2 s.
    let start = max(.seconds(4), .seconds(2) + .seconds(seconds))
    #expect(state.elapsed == start)
    #expect(state.alerts.map(\.status) == [.ok, .firing(since: .seconds(4))])
    state.apply(.probed(.database, .up(latency: .zero), at: .seconds(1)))
    #expect(state.elapsed == start + .seconds(1))
    #expect(state.alerts.map(\.status) == [.ok, .resolved(at: start + .seconds(1))])
  }

  @Test("A reminder is due by the clock on the wall, whether a process ran or not")
  func reminder() throws {
    let rules = ["target down remind every 1 h"]
    var state = try state(rules: rules)
    // The alert fires since 4 s, and the process starts at 3602 s.
    state.apply(.started(try configuration(rules), at: time + 3_600))
    for (seconds, numbers) in [(1, []), (2, [2])] {
      state.apply(.probed(.database, .down(reason: "no"), at: .seconds(seconds)))
      #expect(state.owedNotices.map(\.change.number) == numbers)
    }
  }

  @Test("A pending alert holds for the rest of its time, without that in which no process ran")
  func pending() throws {
    let rules = ["target down for 10 s"]
    var state = try state(rules: rules, .probed(.database, .down(reason: "no"), at: .seconds(8)))
    state.apply(.started(try configuration(rules), at: time + 3_600))
    // It has held from 4 s to 8 s.
    for (seconds, word) in [(5, "pending"), (6, "firing")] {
      state.apply(.probed(.database, .down(reason: "no"), at: .seconds(seconds)))
      #expect(state.alerts.map(\.status.word) == ["ok", word])
    }
  }

  @Test("Alerts of rules and targets that are not configured any more end, and webhooks are notified of it")
  func removed() throws {
    let rules = ["target down", "target down for 1 probes"]
    var state = try state(rules: rules)
    #expect(state.alerts.filter(\.status.isFiring).count == 2)
    state.apply(.started(try configuration(["target down"], endpoints: [.web]), at: time))
    #expect(state.targets.map(\.endpoint) == [.web] && state.alerts.map(\.rule.text) == ["target down"])
    let ends = state.owedNotices.map(\.change)
    #expect(ends.map(\.isFiring) == [false, false])
    #expect(Set(ends.map(\.alert)) == Set(rules.map { Alert.Name(rule: $0, subject: Endpoint.database.name) }))
    #expect(
      Set(ends.map { "\($0.alert.rule): \($0.reason ?? "")" })
        == ["target down: the target was removed", "target down for 1 probes: the rule was removed"])
  }

  @Test("A webhook that is new is owed the alerts that fire, and one that is not what it was owed before")
  func owed() throws {
    let rules = ["target down"]
    var state = try state(rules: rules)
    state.apply(.probed(.web, .down(reason: "no"), at: .seconds(5)))
    let before = state.owedNotices
    state.apply(.started(try configuration(rules, webhooks: [.chat, .pager]), at: time))
    #expect(before.map(\.change.alert.subject) == [Endpoint.web.name])
    #expect(state.receivers[0].owed == before.map(\.change))
    #expect(state.receivers[1].owed.map(\.alert.subject) == [Endpoint.web.name, Endpoint.database.name])
    #expect(state.receivers[1].owed.map(\.isFiring) == [true, true] && state.changeCount == 4)
  }

  @Test("A configuration that was read again removes targets, which a probe that ends later does not bring back")
  func reread() throws {
    var state = try state(rules: ["target down"], .rulesKept(reason: "no"))
    state.apply(.configured(try configuration(["target down"], endpoints: [.web], webhooks: [.chat])))
    #expect(state.targets.map(\.endpoint) == [.web] && state.endpoints == [.web] && state.rulesFailure == nil)
    #expect(state.owedNotices.map(\.change.reason) == ["the target was removed"])
    for mutation: PulseMutation in [.probeEnded(.database), .probed(.database, .down(reason: "no"), at: .seconds(6))] {
      state.apply(mutation)
    }
    #expect(state.targets.map(\.endpoint) == [.web] && state.alerts.count == 1)
  }

  @Test("New rules, targets and webhooks begin, and those that stay continue")
  func added() throws {
    var state = try state(rules: ["target down"])
    state.apply(
      .started(try configuration(["load > 9", "target down"], webhooks: [.pager, .chat]), at: time))
    #expect(state.alerts.map(\.rule.text) == ["load > 9", "target down", "target down"])
    #expect(state.receivers.map(\.words) == ["1 waiting", "1 delivered"])
    state.apply(.probing(.guarded))
    #expect(state.targets.map(\.word) == ["up", "down"], "it is not configured")
    state.apply(
      .configured(
        try configuration(
          ["load > 9", "target down"], endpoints: [.web, .database, .guarded], webhooks: [.pager, .chat])))
    state.apply(.probing(.guarded))
    #expect(state.targets.map(\.word) == ["up", "down", "probing"])
    state.apply(.started(try configuration([], endpoints: [], webhooks: []), at: time))
    #expect(state.targets.isEmpty && state.alerts.isEmpty && state.receivers.isEmpty)
  }
}
