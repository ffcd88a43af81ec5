import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, in a store, against fake gateways and a test clock", .timeLimit(.minutes(1)))
struct PulseMonitorTests {
  private let clock = RecordedClock()

  private func store(
    machine: FakeMachineGateway = FakeMachineGateway { _ in .fake() },
    endpoints: FakeEndpointGateway = FakeEndpointGateway(), limits: PulseMonitor.Limits = .init()
  ) -> Store<PulseMonitor> {
    Store(
      initial: PulseState(),
      interactor: PulseMonitor.fake(machine: machine, endpoints: endpoints, clock: clock, limits: limits),
      configuration: .fake(clock))
  }

  @Test("A target is probing at once, and up with its latency when it has answered")
  func up() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipt = store.send(.probe(.web))
    #expect(await store.state.target(.web)?.word == "probing")
    try await gate.waitForArrivals(1)
    clock.advance(by: .milliseconds(30))
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
    #expect(await store.state.target(.web)?.result == .up(latency: .milliseconds(30)))
    #expect(await store.state.elapsed == .milliseconds(30))
  }

  @Test("A target that does not answer is down after three attempts, with the reason of the last one")
  func down() async throws {
    let failures = Lock(["connection lost", "connection lost", "connection refused"])
    let store = store(
      endpoints: FakeEndpointGateway { _ in
        if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw GatewayFailure(failure) }
      })
    let receipt = store.send(.probe(.web))
    try await clock.advance(toAlarmAt: .milliseconds(100))
    #expect(await store.state.target(.web)?.word == "probing")
    try await clock.advance(toAlarmAt: .milliseconds(300))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.state.target(.web)?.result == .down(reason: "connection refused"))
    #expect(await store.metrics.retries == 2)

    #expect(await store.send(.probe(.web)).outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
  }

  @Test("An attempt that succeeds mends a probe, and only its own time is the latency")
  func mended() async throws {
    let gate = Gate()
    let attempts = Attempts()
    let store = store(
      endpoints: FakeEndpointGateway { _ in
        guard attempts.next() > 1 else { throw GatewayFailure("connection lost") }
        try await gate.enter()
      })
    let receipt = store.send(.probe(.web))
    try await clock.advance(toAlarmAt: .milliseconds(100))
    try await gate.waitForArrivals(1)
    clock.advance(by: .milliseconds(7))
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.result == .up(latency: .milliseconds(7)))
  }

  @Test("A failure that no further attempt mends is a result at once")
  func lasting() async throws {
    let attempts = Attempts()
    let store = store(
      endpoints: FakeEndpointGateway { _ in
        _ = attempts.next()
        throw GatewayFailure.status(404)
      })
    #expect(await store.send(.probe(.web)).outcome.kind == .finished)
    #expect(await store.state.target(.web)?.result == .down(reason: "status 404"))
    #expect(attempts.count == 1)
  }

  @Test("A target that hangs is down when the limit has passed on the injected clock")
  func hangs() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipt = store.send(.probe(.web))
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .seconds(2))
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.state.target(.web)?.result == .down(reason: "no answer within 2 s"))
    #expect(gate.arrivals == 1)
  }

  @Test("Where the interval leaves time for it, an attempt that hangs is followed by another one")
  func hangsOnce() async throws {
    let gate = Gate()
    let attempts = Attempts()
    let store = store(
      endpoints: FakeEndpointGateway { _ in
        if attempts.next() == 1 { try await gate.enter() }
      }, limits: .init(interval: .seconds(10)))
    let receipt = store.send(.probe(.web))
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .seconds(2))
    try await clock.advance(toAlarmAt: .seconds(3))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state.target(.web)?.word == "up")
  }

  @Test("A target that is being probed is not probed a second time, while others are, and that is no failure")
  func oneAtATime() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipts = [Endpoint.web, .web, .database].map { store.send(.probe($0)) }
    guard case .rejected(.exclusive) = await receipts[1].outcome else {
      Issue.record("The second probe of a target was not dropped.")
      return
    }
    #expect(await receipts[1].firstCommit == nil)
    try await gate.waitForArrivals(2)
    #expect(await store.state.targets.map(\.word) == ["probing", "probing"])
    gate.open()
    for receipt in [receipts[0], receipts[2]] { #expect(await receipt.outcome.kind == .finished) }
    #expect(gate.arrivals == 2)
    #expect(await store.state.targets.map(\.word) == ["up", "up"])
  }

  @Test("No target stays probing: not when the probe is cancelled, and not when the store is shut down")
  func closed() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipt = store.send(.probe(.web))
    try await gate.waitForArrivals(1)
    receipt.cancel()
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.state.target(.web)?.word == "unknown")

    let second = store.send(.probe(.web))
    let sample = store.send(.sample)
    try await gate.waitForArrivals(2)
    #expect(await store.state.target(.web)?.word == "probing")
    await store.shutdown()
    #expect(await second.outcome.kind == .shutDown)
    #expect(await sample.outcome.kind == .shutDown)
    #expect(await store.state.target(.web)?.word == "unknown")
  }

  @Test("The first sample is made of two readings a tenth of a second apart, the next of one more")
  func sample() async throws {
    let busy: [UInt64] = [1000, 1003, 1033]
    let total: [UInt64] = [5000, 5010, 5110]
    let store = store(machine: FakeMachineGateway { .fake(busy: busy[$0], total: total[$0]) })
    let first = store.send(.sample)
    let state = try await store.wait { $0.machine.reading != nil }
    #expect(state.machine.sample == nil)
    try await clock.advance(toAlarmAt: .milliseconds(100))
    #expect(await first.outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)

    #expect(await store.send(.sample).outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)
    #expect(await store.state.series[.cpu]?.values == [30, 30])
  }

  @Test("A machine that cannot be read, or not in time, is a state with the reason, and is read once at a time")
  func unreadable() async throws {
    let gate = Gate()
    let machine = FakeMachineGateway { number in
      if number == 0 { throw MachineFailure("no /proc") }
      try await gate.enter()
      return .fake()
    }
    let store = store(machine: machine)
    #expect(await store.send(.sample).outcome.kind == .failed)
    #expect(await store.state.machine.failure == "no /proc")

    let late = store.send(.sample)
    #expect(await store.send(.sample).outcome.kind == .rejected)
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .seconds(1))
    #expect(await late.outcome.kind == .timedOut)
    #expect(await store.state.machine.failure == "no answer within 1 s")
    #expect(gate.arrivals == 1)
  }
}
