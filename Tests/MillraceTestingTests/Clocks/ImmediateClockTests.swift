import MillraceTesting
import Testing

@Suite("ImmediateClock", .timeLimit(.minutes(1)))
struct ImmediateClockTests {
  let clock = ImmediateClock()

  @Test("A sleep returns at once and moves the time to its deadline; the time does not go back")
  func aSleepMovesTheTime() async throws {
    try await clock.sleep(for: .seconds(5))
    #expect(clock.now.offset == .seconds(5))
    try await clock.sleep(until: .init(offset: .seconds(3)))
    #expect(clock.now.offset == .seconds(5))
    let any: any Clock<Duration> = clock
    try await any.sleep(for: any.minimumResolution)
    #expect(clock.now.offset == .seconds(5) + any.minimumResolution)
  }

  @Test("A sleep does not suspend its task")
  func aSleepDoesNotSuspend() {
    let recorder = Recorder<String>()
    Task.immediate {
      try await clock.sleep(for: .seconds(1))
      recorder.record("woken")
    }
    #expect(recorder.recorded == ["woken"])
  }

  @Test("A cancelled task does not sleep, and the time stays")
  func aCancelledTaskDoesNotSleep() async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
    }.value
    #expect(clock.now.offset == .zero)
  }

  @Test("Its wall time begins with the year 2026, and moves with it")
  func wallTime() async throws {
    #expect(clock.wallTime() == 1_767_225_600_000)
    try await clock.sleep(for: .milliseconds(1_500))
    #expect(clock.wallTime() == 1_767_225_601_500)
  }
}
