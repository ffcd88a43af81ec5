import MillraceSystem

/// The time of one store: its clock in nanoseconds.
@usableFromInline
package final class TimeSource: Sendable {
  /// What a clock that is not the default one does; the default one is read without generics.
  private struct Other: Sendable {
    let now: @Sendable () -> Moment
    let sleep: @Sendable (Moment) async throws -> Void
  }

  private let other: Other?

  /// The time of this clock.
  package init(_ clock: any Clock<Duration>) {
    other = clock is ContinuousClock ? nil : TimeSource.opened(clock)
  }

  private static func opened<C: Clock<Duration>>(_ clock: C) -> Other {
    let origin = clock.now
    return Other {
      origin.duration(to: clock.now).wholeNanoseconds
    } sleep: { moment in
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(moment)), tolerance: nil)
    }
  }

  /// The time now.
  @usableFromInline
  package func now() -> Moment {
    if let other { return other.now() }
    return millrace_nanoseconds()
  }

  /// Returns when `moment` is reached, or at once when the task is cancelled.
  package func sleep(until moment: Moment) async throws {
    guard let other else { return try await ContinuousClock().sleep(for: .nanoseconds(moment - now())) }
    try await other.sleep(moment)
  }
}

extension Duration {
  /// The whole nanoseconds of it that are over.
  fileprivate var wholeNanoseconds: Moment {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
