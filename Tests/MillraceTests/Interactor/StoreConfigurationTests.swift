import Foundation
import Millrace
import MillraceTesting
import Testing

@Suite("StoreConfiguration", .timeLimit(.minutes(1)))
struct StoreConfigurationTests {
  @Test("The clock is a ContinuousClock unless another one is given")
  func theClock() {
    #expect(StoreConfiguration().clock is ContinuousClock)
    #expect(StoreConfiguration(clock: SuspendingClock()).clock is SuspendingClock)
    var configuration = StoreConfiguration()
    let copy = configuration
    configuration.clock = SuspendingClock()
    #expect(configuration.clock is SuspendingClock)
    #expect(copy.clock is ContinuousClock)
  }

  @Test("The limits are the standard ones unless others are given")
  func theLimits() {
    #expect(StoreConfiguration().limits == .standard)
    let given = StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 2))
    #expect(given.limits == StoreConfiguration.Limits(runsInFlight: 2))
    #expect(given.clock is ContinuousClock)
    var configuration = given
    configuration.limits = StoreConfiguration.Limits(runsInFlight: 2, actionsWaiting: 3)
    #expect(configuration.limits == StoreConfiguration.Limits(runsInFlight: 2, actionsWaiting: 3))
    #expect(given.limits == StoreConfiguration.Limits(runsInFlight: 2))
  }

  @Test("Handlers start on the sender's thread unless the configuration says otherwise")
  func handlersStart() {
    #expect(StoreConfiguration().handlersStart == .onSender)
    #expect(StoreConfiguration(limits: StoreConfiguration.Limits()).handlersStart == .onSender)
    var configuration = StoreConfiguration(handlersStart: .onPool)
    #expect(configuration.handlersStart == .onPool)
    configuration.clock = SuspendingClock()
    #expect(configuration.handlersStart == .onPool)
    configuration.handlersStart = .onSender
    #expect(configuration.handlersStart == .onSender)
  }

  @Test("The random source is the system's unless another one is set, and is copied when it is drawn from")
  func theRandomSource() {
    #expect(StoreConfiguration().random is SystemRandomNumberGenerator)
    let configuration = StoreConfiguration(random: SeededGenerator(seed: 1))
    var one = configuration.random
    var other = configuration.random
    var expected = SeededGenerator(seed: 1)
    let first = expected.next()
    #expect(one.next() == first)
    #expect(other.next() == first)
  }

  @Test("The report is the one that is given, also as a trailing closure")
  func theReport() {
    let reports = Notes<String>()
    let configuration = StoreConfiguration { reports.note("\($0)") }
    configuration.report(Incident(.lateEmit, of: Int.self, "It was late."))
    #expect(reports.all == ["It was late."])
  }

  @Test("Setting one part of a configuration leaves the other parts, and copies, as they were")
  func settingsAreIndependent() {
    let reports = Box(0)
    var configuration = StoreConfiguration(clock: SuspendingClock(), limits: StoreConfiguration.Limits(runsInFlight: 2))
    let before = configuration
    configuration.random = SeededGenerator(seed: 1)
    let between = configuration
    configuration.report = { _ in reports.update { $0 += 1 } }
    configuration.limits = StoreConfiguration.Limits(runsInFlight: 3)
    configuration.clock = ContinuousClock()

    #expect(before.random is SystemRandomNumberGenerator)
    #expect(between.random is SeededGenerator)
    for earlier in [before, between] {
      #expect(earlier.clock is SuspendingClock)
      #expect(earlier.limits.runsInFlight == 2)
    }
    #expect(configuration.clock is ContinuousClock)
    #expect(configuration.limits.runsInFlight == 3)
    #expect(configuration.random is SeededGenerator)
    configuration.report(Incident(.lateEmit, of: Int.self, "It was late."))
    #expect(reports.value == 1)
  }

  @Test("All settings are given in one call, and each is its own")
  func allSettings() {
    let reports = Notes<String>()
    let configuration = StoreConfiguration(
      clock: SuspendingClock(), random: SeededGenerator(seed: 1), limits: StoreConfiguration.Limits(runsInFlight: 2),
      report: { reports.note("\($0)") })
    #expect(configuration.clock is SuspendingClock)
    #expect(configuration.random is SeededGenerator)
    #expect(configuration.limits == StoreConfiguration.Limits(runsInFlight: 2))
    configuration.report(Incident(.lateEmit, of: Int.self, "It was late."))
    #expect(reports.all == ["It was late."])
  }

  @Test("The wall time is the system's, that of a test clock, or the one that is given")
  func theWallTime() {
    let before = Int64(Date().timeIntervalSince1970 * 1_000)
    let system = StoreConfiguration().wallTime()
    #expect((before...before + 3_600_000).contains(system))
    let clock = TestClock()
    var configuration = StoreConfiguration(clock: clock)
    #expect(configuration.wallTime() == clock.wallTime())
    #expect(StoreConfiguration(clock: clock, wallTime: { 7 }).wallTime() == 7)
    configuration.wallTime = { 8 }
    #expect(configuration.wallTime() == 8)
  }

  @Test("A configuration is one word, for there may be many stores")
  func aConfigurationIsOneWord() {
    #expect(MemoryLayout<StoreConfiguration>.size == MemoryLayout<Int>.size)
  }

  @Test("A wait of the store times out on the configured clock")
  func waitsGoByTheClock() async throws {
    let clock = TestClock()
    let store = Store(StoreConfiguration(clock: clock))
    let waiting = Task { try await store.wait(until: { !$0.log.isEmpty }, timeout: .seconds(5)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await #expect(throws: StoreError.self) { try await waiting.value }?.code == .timedOut)
  }
}
