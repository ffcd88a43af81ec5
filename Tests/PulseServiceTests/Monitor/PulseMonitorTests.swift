import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, in a store, against fake gateways and a test clock", .timeLimit(.minutes(1)))
struct PulseMonitorTests {
  private let clock = RecordedClock()
  private let machine = FakeMachineGateway()
  private let endpoints = FakeEndpointGateway()

  private func store(limits: PulseMonitor.Limits = .init()) -> Store<PulseMonitor> {
    Store(
      initial: PulseState(),
      interactor: PulseMonitor.fake(machine: machine, endpoints: endpoints, clock: clock, limits: limits),
      configuration: .fake(clock))
  }

  private func finish() async {
    await machine.finish()
    await endpoints.finish()
  }

  @Test("A target is probing at once, and up with its latency when it has answered")
  func up() async throws {
    let held = endpoints.probes.hold()
    let store = store()
    let receipt = store.send(.probe(.web))
    #expect(await store.state.target(.web)?.word == "probing")
    #expect(try await held.arrived() == .web)
    clock.advance(by: .milliseconds(30))
    held.release()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
    #expect(await store.state.target(.web)?.result == .up(latency: .milliseconds(30)))
    #expect(await store.state.elapsed == .milliseconds(30))
    await finish()
  }

  @Test("A target that does not answer is down after three attempts, with the reason of the last one")
  func down() async throws {
    endpoints.probes.fail(GatewayFailure("connection lost"), times: 2)
    endpoints.probes.fail(GatewayFailure("connection refused"))
    endpoints.probes.reply()
    let store = store()
    let receipt = store.send(.probe(.web))
    try await clock.advance(toAlarmAt: .milliseconds(100))
    #expect(await store.state.target(.web)?.word == "probing")
    try await clock.advance(toAlarmAt: .milliseconds(300))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.state.target(.web)?.result == .down(reason: "connection refused"))
    #expect(await store.metrics.retries == 2)

    #expect(await store.send(.probe(.web)).outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
    await finish()
  }

  @Test("An attempt that succeeds mends a probe, and only its own time is the latency")
  func mended() async throws {
    endpoints.probes.fail(GatewayFailure("connection lost"))
    let held = endpoints.probes.hold()
    let store = store()
    let receipt = store.send(.probe(.web))
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await held.arrived()
    clock.advance(by: .milliseconds(7))
    held.release()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.result == .up(latency: .milliseconds(7)))
    await finish()
  }

  @Test("A failure that no further attempt mends is a result at once")
  func lasting() async throws {
    endpoints.probes.fail(GatewayFailure.status(404))
    let store = store()
    #expect(await store.send(.probe(.web)).outcome.kind == .finished)
    #expect(await store.state.target(.web)?.result == .down(reason: "status 404", status: 404))
    await finish()
  }

  @Test("The status of an answer is in the result, also after the last attempt")
  func status() async throws {
    let endpoints = FakeEndpointGateway(status: 204)
    endpoints.probes.reply()
    endpoints.probes.fail(GatewayFailure.status(503), times: 3)
    let store = Store(
      initial: PulseState(), interactor: PulseMonitor.fake(endpoints: endpoints, clock: clock),
      configuration: .fake(clock))
    #expect(await store.send(.probe(.web)).outcome.kind == .finished)
    #expect(await store.state.target(.web)?.result == .up(latency: .zero, status: 204))
    let receipt = store.send(.probe(.web))
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await clock.advance(toAlarmAt: .milliseconds(300))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.state.target(.web)?.result == .down(reason: "status 503", status: 503))
    await endpoints.finish()
  }

  @Test("A target that hangs is down when the limit has passed on the injected clock")
  func hangs() async throws {
    let hanging = endpoints.probes.hold()
    let store = store()
    let receipt = store.send(.probe(.web))
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .milliseconds(2_250))
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.state.target(.web)?.result == .down(reason: "no answer within 2.25 s"))
    await finish()
  }

  @Test("Where the interval leaves time for it, an attempt that hangs is followed by another one")
  func hangsOnce() async throws {
    let hanging = endpoints.probes.hold()
    endpoints.probes.reply()
    let store = store(limits: .init(interval: .seconds(10)))
    let receipt = store.send(.probe(.web))
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .milliseconds(2_250))
    try await clock.advance(toAlarmAt: .milliseconds(3_250))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
    await finish()
  }

  @Test("A target that is being probed is not probed a second time, while others are, and that is no failure")
  func oneAtATime() async throws {
    let held = [Endpoint.web, .database].map { endpoints.probes.when($0).hold() }
    let store = store()
    let receipts = [Endpoint.web, .web, .database].map { store.send(.probe($0)) }
    guard case .rejected(.exclusive) = await receipts[1].outcome else {
      Issue.record("The second probe of a target was not dropped.")
      return
    }
    #expect(await receipts[1].firstCommit == nil)
    for held in held { try await held.arrived() }
    #expect(await store.state.targets.map(\.word) == ["probing", "probing"])
    for held in held { held.release() }
    for receipt in [receipts[0], receipts[2]] { #expect(await receipt.outcome.kind == .finished) }
    #expect(await store.state.targets.map(\.word) == ["up", "up"])
    await finish()
  }

  @Test("No target stays probing: not when the probe is cancelled, and not when the store is shut down")
  func closed() async throws {
    let held = [endpoints.probes.hold(), endpoints.probes.hold()]
    machine.readings.reply(.fake())
    let store = store()
    let receipt = store.send(.probe(.web))
    try await held[0].arrived()
    receipt.cancel()
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.state.target(.web)?.word == "unknown")

    let second = store.send(.probe(.web))
    let sample = store.send(.sample)
    try await held[1].arrived()
    try await machine.readings.waitForCalls()
    #expect(await store.state.target(.web)?.word == "probing")
    await store.shutdown()
    #expect(await second.outcome.kind == .shutDown)
    #expect(await sample.outcome.kind == .shutDown)
    #expect(await store.state.target(.web)?.word == "unknown")
    await finish()
  }

  @Test("The first sample is made of two readings a tenth of a second apart, the next of one more")
  func sample() async throws {
    for (busy, total) in [(1000, 5000), (1003, 5010), (1033, 5110)] as [(UInt64, UInt64)] {
      machine.readings.reply(.fake(busy: busy, total: total))
    }
    let store = store()
    let first = store.send(.sample)
    let state = try await store.wait { $0.machine.reading != nil }
    #expect(state.machine.sample == nil)
    try await clock.advance(toAlarmAt: .milliseconds(100))
    #expect(await first.outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)

    #expect(await store.send(.sample).outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)
    #expect(await store.state.series[.cpu]?.values == [30, 30])
    await finish()
  }

  @Test("A machine that cannot be read, or not in time, is a state with the reason, and is read once at a time")
  func unreadable() async throws {
    machine.readings.fail(MachineFailure("no /proc"))
    let hanging = machine.readings.hold()
    let store = store()
    #expect(await store.send(.sample).outcome.kind == .failed)
    #expect(await store.state.machine.failure == "no /proc")

    let late = store.send(.sample)
    #expect(await store.send(.sample).outcome.kind == .rejected)
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .seconds(1))
    #expect(await late.outcome.kind == .timedOut)
    #expect(await store.state.machine.failure == "no answer within 1 s")
    await finish()
  }
}
