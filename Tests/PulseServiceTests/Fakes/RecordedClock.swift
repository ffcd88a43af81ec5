import Millrace
import MillraceTesting

/// A test clock that tells for when the tasks that use it sleep: a test that moves the time to an alarm knows that it is
/// set.
final class RecordedClock: Clock {
  typealias Instant = TestClock.Instant

  private let clock = TestClock()
  private let sleeps = Recorder<Duration>()
  private let seen = Lock<Set<Duration>>([])

  var now: Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    sleeps.record(deadline.offset)
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  /// Waits until a task sleeps, or has slept, until so long after the start; one waits at a time.
  func waitForAlarm(at offset: Duration) async throws {
    while !seen.withLock({ $0.contains(offset) }) {
      let sleep = try await sleeps.next()
      seen.withLock { _ = $0.insert(sleep) }
    }
  }

  /// Waits as ``waitForAlarm(at:)`` does, and moves the time there.
  func advance(toAlarmAt offset: Duration) async throws {
    try await waitForAlarm(at: offset)
    clock.advance(to: Instant(offset: offset))
  }

  func advance(by duration: Duration) {
    clock.advance(by: duration)
  }

  /// The number of tasks that sleep now.
  var sleepers: Int { clock.sleepers }
}
