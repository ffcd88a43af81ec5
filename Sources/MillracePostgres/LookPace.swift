#if Postgres
  import Millrace

  /// The time between two looks for changes: short while there are some, and longer once it has been quiet, so that idle processes leave the server alone.
  ///
  /// A change is a record that the journal has stored or read. The snapshot of the database tells none: it also changes with each renewal of a lease, and
  /// with what other databases do.
  final class LookPace: Sendable {
    /// The time without a change after which it is quiet.
    private static let quietTime = Duration.seconds(10)
    /// The least time between two looks while it is quiet.
    private static let quietInterval = Duration.seconds(1)

    private let interval: Duration
    private let lastChange: Lock<ContinuousClock.Instant>

    init(interval: Duration, at now: ContinuousClock.Instant) {
      self.interval = max(interval.bounded, .milliseconds(1))
      lastChange = Lock(now)
    }

    func noteChange(at now: ContinuousClock.Instant) { lastChange.withLock { $0 = now } }

    func interval(at now: ContinuousClock.Instant) -> Duration {
      lastChange.withLock { now - $0 } < Self.quietTime ? interval : max(interval, Self.quietInterval)
    }
  }
#endif
