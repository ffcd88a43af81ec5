import Millrace
import MillraceFlags
import MillraceTesting
import Testing

@testable import PulseService

@Suite("MonitoringService, its webhooks, rules and end", .timeLimit(.minutes(1)))
struct MonitoringServiceEndTests {
  private let clock = RecordedClock()
  private let errors = FakeOutput()
  private let stop = StopRequest()
  private let webhooks = FakeWebhookGateway()

  /// A service whose target is down at its first probe, which is an alert.
  private func service(rules: FakeRulesGateway? = nil) throws -> MonitoringService {
    let endpoints = FakeEndpointGateway()
    endpoints.probes.always { _ in throw GatewayFailure.lasting("no") }
    return MonitoringService(
      .init(
        endpoints: [.web], rules: [try AlertRule("target down")], webhooks: [.chat], interval: .seconds(1000)),
      monitor: .fake(
        endpoints: endpoints, webhooks: webhooks, rules: rules, clock: clock,
        limits: .init(probe: .seconds(100), post: .seconds(50))),
      reporter: Reporter(
        output: FakeOutput(), presentation: RevisionPresentation(), isFinalOnly: true, pace: .zero, clock: clock),
      complaints: errors,
      stop: stop,
      configuration: .fake(clock))
  }

  /// Requests the stop a second after the start, and returns when the drain has begun, with a notice that is held.
  private func beginDrain(of service: MonitoringService, _ held: HeldCall<FakeWebhookGateway.Post, Void>) async throws {
    try await held.arrived()
    // The sample was accepted before the time moves: its limit is then the first alarm, and that of the attempt the next.
    try await service.store.wait { $0.machine.reading != nil }
    clock.advance(by: .seconds(1))
    try await clock.waitForAlarm(at: .seconds(150))
    stop.request()
    try await clock.waitForAlarm(at: .seconds(6))
  }

  @Test("A notice that is under way when the stop is requested is delivered before the end")
  func drained() async throws {
    let held = webhooks.posts.hold()
    let service = try service()
    let running = Task { try await service.run() }
    try await beginDrain(of: service, held)
    #expect(await service.store.send(.sample).outcome.kind == .rejected)
    held.release()
    try await running.value
    #expect(await service.store.state.receivers.map(\.words) == ["1 delivered"])
    #expect(errors.texts.recorded.isEmpty)
    #expect(clock.sleepers == 0)
    await webhooks.finish()
  }

  @Test("An alert of the last observation before the stop is delivered too")
  func lastChange() async throws {
    webhooks.posts.reply()
    let service = try service()
    let running = Task { try await service.run() }
    try await service.store.wait { $0.target(.web)?.result != nil }
    stop.request()
    try await running.value
    #expect(webhooks.posts.requests.map(\.notice.change.isFiring) == [true])
    #expect(await service.store.state.receivers.map(\.words) == ["1 delivered"])
    await webhooks.finish()
  }

  @Test("A notice that does not arrive in time is cut, and one line says so")
  func cut() async throws {
    let held = webhooks.posts.hold()
    let service = try service()
    let running = Task { try await service.run() }
    try await beginDrain(of: service, held)
    try await clock.advance(toAlarmAt: .seconds(6))
    try await running.value
    let line = try #require(errors.texts.recorded.first)
    #expect(errors.texts.recorded.count == 1)
    #expect(
      line
        == "pulse has ended with 1 notice not delivered, https://chat.test/…: cut by the end of pulse.\n")
    #expect(await service.store.state.receivers.map(\.words) == ["1 waiting, 1 failed: cut by the end of pulse"])
    await webhooks.finish()
  }

  @Test("A reload that succeeds ends the alerts of rules that are gone, and says nothing")
  func reload() async throws {
    webhooks.posts.reply(times: 2)
    let rules = FakeRulesGateway()
    rules.readings.reply(["load > 9"])
    let service = try service(rules: rules)
    let running = Task { try await service.run() }
    try await webhooks.posts.waitForCalls(1)
    #expect(webhooks.posts.requests[0].notice.change.isFiring)
    service.reload()
    try await webhooks.posts.waitForCalls(2)
    let end = webhooks.posts.requests[1].notice.change
    #expect(end.alert.rule == "target down" && !end.isFiring && end.reason == "the rule was removed")
    #expect(await service.store.state.alerts.map(\.rule.text) == ["load > 9"])
    stop.request()
    try await running.value
    #expect(errors.texts.recorded.isEmpty)
    await rules.finish()
    await webhooks.finish()
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
    await rules.finish()
  }
}
