import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("MonitoringService, its webhooks, rules and end", .timeLimit(.minutes(1)))
struct MonitoringServiceEndTests {
  private let clock = RecordedClock()
  private let errors = FakeOutput()
  private let stop = StopRequest()

  /// A service whose target is down at its first probe, which is an alert.
  private func service(
    webhooks: FakeWebhookGateway = FakeWebhookGateway(), rules: FakeRulesGateway? = nil
  ) throws -> MonitoringService {
    MonitoringService(
      .init(
        endpoints: [.web], rules: [try AlertRule("target down")], webhooks: [.chat], interval: .seconds(1000)),
      monitor: .fake(
        endpoints: FakeEndpointGateway { _ in throw GatewayFailure.lasting("no") }, webhooks: webhooks, rules: rules,
        clock: clock, limits: .init(post: .seconds(50))),
      reporter: Reporter(
        output: FakeOutput(), presentation: RevisionPresentation(), isFinalOnly: true, pace: .zero, clock: clock),
      complaints: errors,
      stop: stop,
      configuration: .fake(clock))
  }

  /// Requests the stop a second after the start, and returns when the drain has begun, with a notice that stands at `gate`.
  private func beginDrain(of service: MonitoringService, _ gate: Gate) async throws {
    try await gate.waitForArrivals(1)
    // The sample was accepted before the time moves: its limit is then the first alarm, and the one of the notice the next.
    try await service.store.wait { $0.machine.reading != nil }
    clock.advance(by: .seconds(1))
    try await clock.waitForAlarm(at: .seconds(50))
    stop.request()
    try await clock.waitForAlarm(at: .seconds(6))
  }

  @Test("A notice that is under way when the stop is requested is delivered before the end")
  func drained() async throws {
    let gate = Gate()
    let webhooks = FakeWebhookGateway { _ in try await gate.enter() }
    let service = try service(webhooks: webhooks)
    let running = Task { try await service.run() }
    try await beginDrain(of: service, gate)
    #expect(await service.store.send(.sample).outcome.kind == .rejected)
    gate.open()
    try await running.value
    #expect(await service.store.state.receivers.map(\.words) == ["1 delivered"])
    #expect(errors.texts.recorded.isEmpty)
    #expect(clock.sleepers == 0)
  }

  @Test("An alert of the last observation before the stop is delivered too")
  func lastChange() async throws {
    let webhooks = FakeWebhookGateway()
    let service = try service(webhooks: webhooks)
    let running = Task { try await service.run() }
    try await service.store.wait { $0.target(.web)?.result != nil }
    stop.request()
    try await running.value
    #expect(webhooks.posts.recorded.map(\.notice.change.isFiring) == [true])
    #expect(await service.store.state.receivers.map(\.words) == ["1 delivered"])
  }

  @Test("A notice that does not arrive in time is cut, and one line says so")
  func cut() async throws {
    let gate = Gate()
    let service = try service(webhooks: FakeWebhookGateway { _ in try await gate.enter() })
    let running = Task { try await service.run() }
    try await beginDrain(of: service, gate)
    try await clock.advance(toAlarmAt: .seconds(6))
    try await running.value
    let line = try #require(errors.texts.recorded.first)
    #expect(errors.texts.recorded.count == 1)
    #expect(line.hasPrefix("pulse has ended with 1 notice not delivered after 5 s: 0 drained, 1 (#"))
    #expect(await service.store.state.receivers.map(\.words) == ["1 failed: cut by the end of pulse"])
  }

  @Test("A reload that succeeds ends the alerts of rules that are gone, and says nothing")
  func reload() async throws {
    let webhooks = FakeWebhookGateway()
    let rules = FakeRulesGateway()
    rules.readings.reply(["load > 9"])
    let service = try service(webhooks: webhooks, rules: rules)
    let running = Task { try await service.run() }
    #expect(try await webhooks.posts.next().notice.change.isFiring)
    service.reload()
    let end = try await webhooks.posts.next().notice.change
    #expect(end.alert.rule == "target down" && !end.isFiring && end.reason == "the rule was removed")
    #expect(await service.store.state.alerts.map(\.rule.text) == ["load > 9"])
    stop.request()
    try await running.value
    #expect(errors.texts.recorded.isEmpty)
    await rules.finish()
  }

  @Test("A reload that fails is one line on standard error, unless it is shown elsewhere; the rules stay")
  func badReload() async throws {
    let rules = FakeRulesGateway()
    rules.readings.always { throw GatewayFailure("a line\nbreak.") }
    let service = try service(rules: rules)
    service.reload()
    #expect(try await errors.texts.next() == "pulse keeps the rules it has: a line?break.\n")
    service.reload(complains: false)
    await service.store.shutdown()
    #expect(await service.store.state.rules.map(\.text) == ["target down"])
    #expect(errors.texts.recorded.count == 1)
  }
}
