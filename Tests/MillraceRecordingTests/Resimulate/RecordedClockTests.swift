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
}
