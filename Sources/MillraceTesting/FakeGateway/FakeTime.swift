/// The clock of a log.
@usableFromInline
enum FakeTime: Sendable {
  /// Real time since then.
  case real(ContinuousClock.Instant)
  /// The time of a clock since it was given.
  case clock(@Sendable () -> Duration)

  static func sinceNow() -> FakeTime { .real(ContinuousClock.now) }

  init(_ clock: any Clock<Duration>) {
    self = Self.opened(clock)
  }

  private static func opened<C: Clock<Duration>>(_ clock: C) -> FakeTime {
    let start = clock.now
    return .clock { start.duration(to: clock.now) }
  }

  @inlinable var now: Duration {
    switch self {
    case .real(let start): ContinuousClock.now - start
    case .clock(let now): now()
    }
  }
}
