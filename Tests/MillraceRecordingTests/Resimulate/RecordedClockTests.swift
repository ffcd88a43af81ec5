import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Recorded clock", .timeLimit(.minutes(1)))
struct RecordedClockTests {
  let clock = RecordedClock()

  @Test("Its time is what it is set to, and never goes back")
  func now() {
    clock.advance(to: 7)
    clock.advance(to: 3)
    #expect(clock.now.nanoseconds == 7)
    #expect(clock.now.advanced(by: .nanoseconds(5)).nanoseconds == 12)
    #expect(clock.now.duration(to: RecordedClock.Instant(nanoseconds: 9)) == .nanoseconds(2))
    #expect(RecordedClock.Instant(nanoseconds: .max).advanced(by: .seconds(1)).nanoseconds == .max)
  }

  @Test("It wakes who slept until then, and those whose deadline is over do not sleep")
  func sleeps() async throws {
    clock.advance(to: 5)
    try await clock.sleep(until: RecordedClock.Instant(nanoseconds: 5), tolerance: nil)
    let woken = Recorder<Int>()
    let tasks = [30, 10, 20].map { deadline in
      Task.immediate { [clock] in
        try await clock.sleep(until: RecordedClock.Instant(nanoseconds: Int64(deadline)), tolerance: nil)
        woken.record(deadline)
      }
    }
    clock.advance(to: 9)
    clock.advance(to: 10)
    #expect(try await woken.next() == 10)
    clock.advance(to: 40)
    for task in tasks { try await task.value }
    #expect(Set(woken.recorded) == [10, 20, 30])
  }

  @Test("It wakes who slept until one moment in the order in which they came, and the earlier moment first")
  func equalDeadlines() async {
    // Without a choice the tasks continue in the order in which they were woken.
    await Simulation.run(plan: "0 actions none draws none steps none") { world in
      let (clock, woken) = (RecordedClock(), Recorder<Int>())
      for number in 0..<30 {
        Task {
          let deadline = number < 15 ? 20 : 10
          try await clock.sleep(until: RecordedClock.Instant(nanoseconds: Int64(deadline)), tolerance: nil)
          woken.record(number)
        }
      }
      // Time passes when all of them sleep.
      try await world.clock.sleep(for: .seconds(1))
      clock.advance(to: 25)
      try await world.clock.sleep(for: .seconds(1))
      #expect(woken.recorded == Array(15..<30) + Array(0..<15))
    }
  }

  @Test("A task that is cancelled, before or while it sleeps, is told so")
  func cancels() async {
    let sleeper = Task.immediate { [clock] in
      try await clock.sleep(until: RecordedClock.Instant(nanoseconds: 1), tolerance: nil)
    }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    let cancelled = Task.immediate { [clock] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(until: RecordedClock.Instant(nanoseconds: 1), tolerance: nil)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  /// Performs in order the calls that a run would make of the clock.
  private struct Steps: Interactor {
    struct Mutation: Sendable {}

    let body: @Sendable (Run<Steps>) async throws -> Void

    func handle(_ action: Int, state: Int) -> Effect<Steps> { Effect { run in try await body(run) } }

    static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
  }

  @Test("A run that continues while the time advances rests from when it had its reply")
  func runs() async throws {
    let (asleep, times) = (Gate(), Recorder<Int64>())
    let steps = Steps { [clock] run in
      try await clock.sleep(until: RecordedClock.Instant(nanoseconds: 10), tolerance: nil)
      try await asleep.enter()
      times.record(clock.now.nanoseconds)
      try await clock.sleep(for: .nanoseconds(5))
      times.record(clock.now.nanoseconds)
      try await clock.sleep(for: .nanoseconds(5))
      times.record(clock.now.nanoseconds)
    }
    let store = Store(initial: 0, interactor: steps)
    store.send(1)
    clock.advance(to: 10)
    try await asleep.waitForArrivals(1)
    clock.advance(to: 90)
    asleep.open()
    #expect(try await times.next(3) == [10, 15, 20])
    #expect(clock.now.nanoseconds == 90)
  }
}
