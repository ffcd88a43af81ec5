/// When actions were accepted that have not ended.
final class AcceptanceTimes: Sendable {
  private let time: TimeSource
  private let instants = Lock<[RunID: Instant]>([:])

  init(_ clock: any Clock<Duration>) {
    time = TimeSource(clock)
  }

  /// How many actions are open.
  var count: Int { instants.withLock { $0.count } }

  /// Notes that an action was accepted now.
  func begin(_ run: RunID) {
    let now = time.now()
    instants.withLock { $0[run] = now }
  }

  /// The time since an action was accepted, which is forgotten; nil if it was not.
  func end(_ run: RunID) -> Duration? {
    guard let instant = instants.withLock({ $0.removeValue(forKey: run) }) else { return nil }
    return .nanoseconds(time.now() - instant)
  }
}
