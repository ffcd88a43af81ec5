import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, in a store, against fake gateways and a test clock", .timeLimit(.minutes(1)))
struct PulseMonitorTests {
  private let clock = TestClock()

  private func store(
    machine: FakeMachineGateway = FakeMachineGateway { _ in .fake() },
    endpoints: FakeEndpointGateway = FakeEndpointGateway()
  ) -> Store<PulseMonitor> {
    Store(
      initial: PulseState(),
      interactor: PulseMonitor(machine: machine, endpoints: endpoints, stopwatch: Stopwatch(clock)),
      configuration: StoreConfiguration(clock: clock))
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

  @Test("A target that does not answer is down with the reason, and the next probe goes on as if nothing was")
  func down() async throws {
    let outcomes = Recorder<Outcome.Kind>()
    let answers = Lock([EndpointFailure("connection refused"), nil])
    let store = store(
      endpoints: FakeEndpointGateway { _ in
        if let failure = answers.withLock({ $0.removeFirst() }) { throw failure }
      })
    outcomes.record(await store.send(.probe(.web)).outcome.kind)
    #expect(await store.state.target(.web)?.result == .down(reason: "connection refused"))
    outcomes.record(await store.send(.probe(.web)).outcome.kind)
    #expect(await store.state.target(.web)?.word == "up")
    #expect(outcomes.recorded == [.failed, .finished])
  }

  @Test("A target that hangs is down when the limit has passed on the injected clock")
  func hangs() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipt = store.send(.probe(.web))
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.state.target(.web)?.result == .down(reason: "no answer within 2 s"))
  }

  @Test("A target that is being probed is not probed a second time, while others are")
  func oneAtATime() async throws {
    let gate = Gate()
    let store = store(endpoints: FakeEndpointGateway { _ in try await gate.enter() })
    let receipts = [Endpoint.web, .web, .database].map { store.send(.probe($0)) }
    #expect(await receipts[1].outcome.kind == .finished)
    #expect(await receipts[1].firstCommit == nil)
    try await gate.waitForArrivals(2)
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
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
    #expect(await store.state.machine.isSampling == false)
  }

  @Test("The first sample is made of two readings a tenth of a second apart, the next of one more")
  func sample() async throws {
    let busy: [UInt64] = [1000, 1003, 1033]
    let total: [UInt64] = [5000, 5010, 5110]
    let store = store(machine: FakeMachineGateway { .fake(busy: busy[$0], total: total[$0]) })
    let first = store.send(.sample)
    let state = try await store.wait { $0.machine.reading != nil }
    #expect(state.machine.sample == nil && state.machine.isSampling)
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(100))
    #expect(await first.outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)

    #expect(await store.send(.sample).outcome.kind == .finished)
    #expect(await store.state.machine.sample?.cpu == 30)
    #expect(await store.state.series[.cpu]?.values == [30, 30])
    #expect(await store.state.machine.isSampling == false)
  }

  @Test("A machine that cannot be read, or not in time, is a state with the reason")
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
    let ignored = store.send(.sample)
    #expect(await ignored.outcome.kind == .finished)
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await late.outcome.kind == .failed)
    #expect(await store.state.machine.failure == "no answer within 1 s")
    #expect(gate.arrivals == 1)
  }
}
