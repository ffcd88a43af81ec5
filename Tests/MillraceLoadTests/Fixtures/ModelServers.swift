import Millrace
import MillraceTesting

/// A server that takes any number of requests side by side, and answers none for a second every ten seconds.
struct PausingServer: Sendable {
  let clock: TestClock

  /// The time from a request to its answer when there is no pause.
  static let service = Duration.milliseconds(1)

  func serve() async throws {
    try await clock.sleep(until: answer(to: clock.now))
  }

  /// The answer's time: a pause lasts from 9 to 10 seconds, from 19 to 20 and so on.
  private func answer(to arrival: TestClock.Instant) -> TestClock.Instant {
    let end = arrival.advanced(by: Self.service)
    let second = end.offset.components.seconds
    return second % 10 == 9 ? TestClock.Instant(offset: .seconds(second + 1)) : end
  }
}

/// A queue before one server that takes a fixed time for each request: its limit is known.
final class QueueingServer: Sendable {
  private let clock: TestClock
  private let service: Duration
  private let freeAt = Lock(TestClock.Instant(offset: .zero))

  init(_ clock: TestClock, service: Duration) {
    self.clock = clock
    self.service = service
  }

  func serve() async throws {
    let end = freeAt.withLock { freeAt in
      freeAt = max(freeAt, clock.now).advanced(by: service)
      return freeAt
    }
    try await clock.sleep(until: end)
  }
}
