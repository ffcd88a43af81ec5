import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Playback", .timeLimit(.minutes(1)))
struct RecordingPlaybackTests {
  let clock = TestClock()

  /// Three commits, 10, 40 and 50 nanoseconds after the start.
  private func recording() -> Recording<Till> {
    let recordingClock = TestClock()
    let ring = RingRecorder<Till>(initial: Till.State(), clock: recordingClock)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    for (time, price) in [(10, 1), (30, 2), (10, 3)] {
      recordingClock.advance(by: .nanoseconds(time))
      store.send(.add("tea", price: price))
    }
    return ring.recording
  }

  /// Plays and tells each state with the time it came at.
  private func play(
    _ pace: PlaybackPace, from revision: Int = 0
  ) throws -> (Task<Void, Never>, Recorder<String>) {
    var cursor = try RecordingCursor(recording())
    try cursor.go(to: revision)
    let seen = Recorder<String>()
    let task = Task { [cursor, clock] in
      for await snapshot in cursor.play(pace, clock: clock) {
        seen.record("\(snapshot.revision): \(snapshot.state.total) at \(clock.now.offset / .nanoseconds(1))")
      }
    }
    return (task, seen)
  }

  @Test(
    "The states come in their time: as recorded, faster, or one in each duration",
    arguments: [
      (.recorded(speed: 1), [10, 40, 50]), (.recorded(speed: 2), [5, 20, 25]), (.every(.nanoseconds(7)), [7, 14, 21]),
    ] as [(PlaybackPace, [Int])])
  func pace(pace: PlaybackPace, times: [Int]) async throws {
    let (task, seen) = try play(pace)
    #expect(try await seen.next() == "0: 0 at 0.0")
    for (index, time) in times.enumerated() {
      try await clock.waitForSleepers(1)
      clock.advance(to: TestClock.Instant(offset: .nanoseconds(time - 1)))
      #expect(clock.sleepers == 1)
      clock.advance(to: TestClock.Instant(offset: .nanoseconds(time)))
      #expect(try await seen.next() == "\(index + 1): \([1, 3, 6][index]) at \(time).0")
    }
    await task.value
  }

  @Test("From the middle on, the first state comes at once and the next ones as long after it as they were")
  func fromTheMiddle() async throws {
    let (task, seen) = try play(.recorded(speed: 1), from: 1)
    #expect(try await seen.next() == "1: 1 at 0.0")
    try await clock.waitForSleepers(1)
    clock.advance(by: .nanoseconds(100))
    #expect(try await seen.next(2) == ["2: 3 at 100.0", "3: 6 at 100.0"])
    await task.value
  }

  @Test("Behind a gap it tells how many revisions are missing")
  func gap() async throws {
    let cursor = try RecordingCursor(RecordingCursorTests().withGap())
    var seen: [String] = []
    for await snapshot in cursor.play(.recorded(speed: 0)) { seen.append("\(snapshot.revision), \(snapshot.missed)") }
    #expect(seen == ["0, 0", "1, 0", "2, 0", "6, 3", "7, 0"])
  }

  @Test("A speed of 0, or below, lets all come at once", arguments: [0, -1, .nan])
  func atOnce(speed: Double) async throws {
    let (task, seen) = try play(.recorded(speed: speed))
    await task.value
    #expect(seen.recorded.count == 4)
  }

  @Test("In a cancelled task it ends")
  func cancellation() async throws {
    let (task, seen) = try play(.every(.seconds(1)))
    #expect(try await seen.next() == "0: 0 at 0.0")
    try await clock.waitForSleepers(1)
    task.cancel()
    await task.value
    #expect(seen.recorded.count == 1)
    #expect(clock.sleepers == 0)
  }

  @Test("Offsets that would not fit are as long as any")
  func longest() {
    let longest = Int64.max / 4
    #expect(PlaybackPace.every(.seconds(1 << 40)).offset(at: 0, from: 0, steps: 1 << 40) == longest)
    #expect(PlaybackPace.recorded(speed: 1e-300).offset(at: 1, from: 0, steps: 1) == longest)
    #expect(PlaybackPace.recorded(speed: 1).offset(at: 0, from: 9, steps: 1) == 0)
  }
}
