import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("MonitoringService", .timeLimit(.minutes(1)))
struct MonitoringServiceTests {
  private let clock = TestClock()
  private let output = FakeOutput()
  private let stop = StopRequest()

  private func service(
    _ plan: MonitoringService.Plan, output: FakeOutput? = nil, endpoints: FakeEndpointGateway = FakeEndpointGateway()
  ) -> MonitoringService {
    MonitoringService(
      plan,
      machine: FakeMachineGateway { .fake(busy: UInt64($0) * 10, total: UInt64($0) * 100) },
      endpoints: endpoints,
      reporter: Reporter(
        output: output ?? self.output, presentation: RevisionPresentation(), isFinalOnly: plan.isOnce, pace: .zero,
        clock: clock),
      stop: stop,
      clock: clock)
  }

  /// Starts the service and moves it past its first sample, when it sleeps until the second round and, if it has one, its
  /// end.
  private func started(_ service: MonitoringService) async throws -> Task<Void, any Error> {
    let running = Task { try await service.run() }
    try await service.store.wait { state in
      state.machine.reading != nil && service.plan.endpoints.allSatisfy { state.target($0)?.result != nil }
    }
    // The sample between its two readings, the ticks, and the end.
    try await clock.waitForSleepers(service.plan.duration == nil ? 2 : 3)
    clock.advance(by: .milliseconds(100))
    try await service.store.wait { $0.machine.sample != nil && !$0.machine.isSampling }
    return running
  }

  @Test("A round is sent at each tick, until the stop is requested; the last state is the last text")
  func rounds() async throws {
    let service = service(.init(endpoints: [.web]))
    let running = try await started(service)
    _ = try await output.texts.next()
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(900))
    let state = try await service.store.wait { $0.series[.cpu]?.count == 2 && $0.target(.web)?.latencies.count == 2 }
    #expect(state.target(.web)?.isProbing == false)
    stop.request()
    try await running.value
    #expect(await output.texts.recorded.last == "\(service.store.snapshot.revision)")
    #expect(clock.sleepers == 0)
  }

  @Test("The service ends by itself when its time is up")
  func duration() async throws {
    let service = service(.init(interval: .seconds(100), duration: .seconds(10)))
    let running = try await started(service)
    clock.advance(by: .seconds(10))
    try await running.value
    #expect(await output.texts.recorded.last == "\(service.store.snapshot.revision)")
  }

  @Test("One round is waited for when only one is wanted, and its end is the only text")
  func once() async throws {
    let gate = Gate()
    let endpoints = FakeEndpointGateway { endpoint in
      if endpoint == .database { throw EndpointFailure("no") }
      try await gate.enter()
    }
    let service = service(.init(endpoints: [.web, .database], isOnce: true), endpoints: endpoints)
    let running = Task { try await service.run() }
    try await service.store.wait { $0.machine.reading != nil && $0.target(.database)?.result != nil }
    try await gate.waitForArrivals(1)
    // The sample between its two readings, and the limit of the probe that stands at the gate.
    try await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(100))
    try await service.store.wait { $0.machine.sample != nil && !$0.machine.isSampling }
    #expect(output.texts.recorded.isEmpty)
    gate.open()
    try await running.value
    let last = await service.store.snapshot
    #expect(output.texts.recorded == ["\(last.revision)"])
    #expect(last.state.targets.map(\.word) == ["up", "down"])
  }

  @Test("A stop closes the probes under way before the last state is written")
  func stopped() async throws {
    let gate = Gate()
    let service = service(.init(endpoints: [.web]), endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let running = Task { try await service.run() }
    try await gate.waitForArrivals(1)
    stop.request()
    try await running.value
    let last = await service.store.snapshot
    #expect(output.texts.recorded.last == "\(last.revision)")
    #expect(last.state.target(.web)?.word == "unknown")
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
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(100))
    try await gate.waitForArrivals(1)
    // The round is over, so that the one sleeper is the limit of the end.
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    await #expect(throws: OutputError.closed) { try await running.value }
  }
}
