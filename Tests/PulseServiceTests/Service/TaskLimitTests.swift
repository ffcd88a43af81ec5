import MillraceTesting
import Testing

@testable import PulseService

@Suite("Task+Limit", .timeLimit(.minutes(1)))
struct TaskLimitTests {
  private let clock = TestClock()

  @Test("A task that ends in time gives what it has thrown, and no sleeper is left")
  func inTime() async throws {
    try await Task<Void, any Error> {}.value(within: .seconds(1), on: clock)
    await #expect(throws: GatewayFailure("no")) {
      try await Task { throw GatewayFailure("no") }.value(within: .seconds(1), on: clock)
    }
    #expect(clock.sleepers == 0)
  }

  @Test("A task that takes longer is cancelled")
  func tooLate() async throws {
    let gate = Gate()
    let work = Task { try await gate.enter() as Void }
    let waiting = Task { [clock] in try await work.value(within: .seconds(1), on: clock) }
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(gate.waiting == 0)
  }
}
