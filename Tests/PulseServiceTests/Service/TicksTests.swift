import MillraceTesting
import Testing

@testable import PulseService

@Suite("Ticks", .timeLimit(.minutes(1)))
struct TicksTests {
  private let clock = TestClock()

  @Test("The first tick is at once, the next ones are at multiples of the interval, and missed ones are left out")
  func ticks() async throws {
    let times = Recorder<Duration>()
    let work = Task { [clock] in
      var ticks = Ticks(every: .seconds(2), on: clock)
      while true {
        try await ticks.next()
        times.record(clock.now.offset)
        // Work that takes as long as the test says.
        try await clock.sleep(for: .milliseconds(100))
      }
    }
    #expect(try await times.next() == .zero)
    // From here on there is one sleeper at any time: the work, or the ticks.
    for (step, expected) in [(.milliseconds(100), nil), (.milliseconds(1900), 2), (.milliseconds(4500), nil)]
      as [(Duration, Int?)]
    {
      try await clock.waitForSleepers(1)
      clock.advance(by: step)
      if let expected { #expect(try await times.next() == .seconds(expected)) }
    }
    // The work that began at 2 s ended at 6.5 s: the ticks at 4 s and 6 s are missed, and the next is at 8 s.
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(1500))
    #expect(try await times.next() == .seconds(8))
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test("An interval far below what a machine can do does not stall")
  func tiny() async throws {
    var ticks = Ticks(every: .nanoseconds(1), on: clock)
    try await ticks.next()
    clock.advance(by: .seconds(1_000_000))
    let work = Task { [ticks] in
      var ticks = ticks
      try await ticks.next()
    }
    try await clock.waitForSleepers(1)
    clock.advance(by: .nanoseconds(1))
    try await work.value
  }
}
