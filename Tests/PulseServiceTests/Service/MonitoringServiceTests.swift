import Millrace
import MillraceFlags
import MillraceTerminal
import MillraceTesting
import Testing

@testable import PulseService

@Suite("MonitoringService", .timeLimit(.minutes(1)))
struct MonitoringServiceTests {
  private let clock = RecordedClock()
  private let output = FakeOutput()
  private let errors = FakeOutput()
  private let stop = StopRequest()

  private func service(
    _ plan: MonitoringService.Plan, output: FakeOutput? = nil, endpoints: FakeEndpointGateway = .up()
  ) -> MonitoringService {
    MonitoringService(
      plan,
      monitor: .fake(machine: .busy(), endpoints: endpoints, clock: clock),
      reporter: Reporter(
        output: output ?? self.output, presentation: RevisionPresentation(), isFinalOnly: plan.isOnce, pace: .zero,
        clock: clock),
      complaints: errors,
      stop: stop,
      configuration: .fake(clock))
  }

  /// Starts the service and moves it past its first round.
  private func started(
    _ service: MonitoringService, alarmAt alarm: Duration? = nil
  ) async throws -> Task<Void, any Error> {
    let running = Task { try await service.run() }
    if let alarm { try await clock.waitForAlarm(at: alarm) }
    try await service.store.wait { $0.machine.reading != nil }
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await service.store.wait { state in
      state.machine.sample != nil && service.plan.endpoints.allSatisfy { state.target($0)?.result != nil }
    }
    return running
  }

  @Test("A round is sent in each interval, until the stop is requested; the last state is the last text")
  func rounds() async throws {
    // No timeout of a run falls on a multiple of this interval, so that an alarm there is a round.
    let service = service(.init(endpoints: [.web], interval: .milliseconds(700)))
    let running = try await started(service)
    _ = try await output.texts.next()
    // What a round has committed may be there before its runs have ended, and as long as they have not, the next round
    // leaves out what they do. So time passes for as many rounds as it takes.
    let passing = Task { for round in 1... { try await clock.advance(toAlarmAt: .milliseconds(700) * round) } }
    try await service.store.wait { ($0.series[.cpu]?.count ?? 0) >= 2 && ($0.target(.web)?.latencies.count ?? 0) >= 2 }
    passing.cancel()
    _ = await passing.result
    stop.request()
    try await running.value
    #expect(await output.texts.recorded.last == "\(service.store.snapshot.revision)")
    #expect(clock.sleepers == 0)
  }

  @Test("A target with a shorter interval than that of the rounds is probed in its own interval, without a sample")
  func shortInterval() async throws {
    var web = Endpoint.web
    web.interval = .milliseconds(700)
    let service = service(.init(endpoints: [web], interval: .seconds(1000)))
    let running = try await started(service)
    let passing = Task { for time in 1... { try await clock.advance(toAlarmAt: .milliseconds(700) * time) } }
    try await service.store.wait { ($0.target(.web)?.latencies.count ?? 0) >= 3 }
    passing.cancel()
    _ = await passing.result
    #expect(await service.store.state.series[.cpu]?.count == 1)
    stop.request()
    try await running.value
  }

  @Test("The service ends by itself when its time is up")
  func duration() async throws {
    let service = service(.init(interval: .seconds(100), duration: .seconds(10)))
    let running = try await started(service, alarmAt: .seconds(10))
    try await clock.advance(toAlarmAt: .seconds(10))
    try await running.value
    #expect(await output.texts.recorded.last == "\(service.store.snapshot.revision)")
  }

  @Test("A single round is waited for, and its end is the only text")
  func once() async throws {
    let endpoints = FakeEndpointGateway()
    endpoints.probes.when(.database).fail(GatewayFailure.lasting("no"))
    let held = endpoints.probes.when(.web).hold()
    let service = service(.init(endpoints: [.web, .database], isOnce: true), endpoints: endpoints)
    let running = Task { try await service.run() }
    try await service.store.wait { $0.machine.reading != nil && $0.target(.database)?.result != nil }
    try await held.arrived()
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await service.store.wait { $0.machine.sample != nil }
    #expect(output.texts.recorded.isEmpty)
    held.release()
    try await running.value
    let last = await service.store.snapshot
    #expect(output.texts.recorded == ["\(last.revision)"])
    #expect(last.state.targets.map(\.word) == ["up", "down"])
    await endpoints.finish()
  }

  @Test("A stop closes the probes under way before the last state is written")
  func stopped() async throws {
    let endpoints = FakeEndpointGateway()
    let held = endpoints.probes.hold()
    let service = service(.init(endpoints: [.web]), endpoints: endpoints)
    let running = Task { try await service.run() }
    try await held.arrived()
    stop.request()
    try await running.value
    let last = await service.store.snapshot
    #expect(output.texts.recorded.last == "\(last.revision)")
    #expect(last.state.target(.web)?.word == "unknown")
    await endpoints.finish()
  }

  @Test("An output that is closed ends the service")
  func closed() async throws {
    let service = service(.init(), output: FakeOutput { throw OutputError.closed })
    let running = try await started(service)
    await #expect(throws: OutputError.closed) { try await running.value }
  }

  @Test("A reader that takes nothing holds up the end for a second and no longer")
  func stuck() async throws {
    let gate = Gate()
    let service = service(.init(isOnce: true), output: FakeOutput { try await gate.enter() })
    let running = Task { try await service.run() }
    try await service.store.wait { $0.machine.reading != nil }
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .milliseconds(1100))
    await #expect(throws: OutputError.closed) { try await running.value }
  }
}
