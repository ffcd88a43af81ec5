import MillraceSystem

/// The time of one store: its clock in nanoseconds.
@usableFromInline
package final class TimeSource: Sendable {
  /// What a clock that is not the default one does; the default one is read without generics.
  private struct Other: Sendable {
    let now: @Sendable () -> Instant
    let sleep: @Sendable (Instant) async throws -> Void
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
    } sleep: { instant in
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(instant)), tolerance: nil)
    }
  }

  /// The time now.
  @usableFromInline
  package func now() -> Instant {
    if let other { return other.now() }
    return millrace_nanoseconds()
  }

  /// Returns when `instant` is reached, or at once when the task is cancelled.
  package func sleep(until instant: Instant) async throws {
    guard let other else { return try await ContinuousClock().sleep(for: .nanoseconds(instant - now())) }
    try await other.sleep(instant)
  }
}

extension Duration {
  /// The whole nanoseconds of it that are over.
  fileprivate var wholeNanoseconds: Instant {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
