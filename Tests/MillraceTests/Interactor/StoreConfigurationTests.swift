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

  @Test("A wait of the store times out on the configured clock")
  func waitsGoByTheClock() async throws {
    let clock = TestClock()
    let store = Store(StoreConfiguration(clock: clock))
    let waiting = Task { try await store.wait(until: { !$0.log.isEmpty }, timeout: .seconds(5)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    await #expect(throws: WaitError(.timedOut)) { try await waiting.value }
  }
}
