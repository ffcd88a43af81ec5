import MillraceTesting
import Testing

@testable import PulseService

@Suite("Timeout", .timeLimit(.minutes(1)))
struct TimeoutTests {
  private let clock = TestClock()

  @Test("Work that ends in time gives its value, and no sleeper is left")
  func inTime() async throws {
    #expect(try await withTimeout(.seconds(1), on: clock) { 7 } == 7)
    #expect(clock.sleepers == 0)
  }

  @Test("Work that throws in time throws its own error")
  func throwing() async {
    await #expect(throws: EndpointFailure("no")) {
      try await withTimeout(.seconds(1), on: clock) { throw EndpointFailure("no") }
    }
  }

  @Test("Work that takes longer is cancelled, and the limit is in the error")
  func tooLate() async throws {
    let gate = Gate()
    let work = Task { [clock] in try await withTimeout(.milliseconds(1500), on: clock) { try await gate.enter() } }
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(1500))
    let error = await #expect(throws: TimeoutError.self) { try await work.value }
    #expect(error?.description == "no answer within 1.5 s")
    #expect(gate.waiting == 0)
  }

  @Test("Cancelling the caller cancels the work")
  func cancelled() async throws {
    let gate = Gate()
    let work = Task { [clock] in try await withTimeout(.seconds(1), on: clock) { try await gate.enter() } }
    try await gate.waitForArrivals(1)
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
  }
}
