/// When one debounce of a key ends, as a value without tasks and locks.
///
/// The action that is held is the scheduler's; each that comes takes the place of the one before.
struct DebounceState: Equatable {
  enum Phase: Equatable {
    /// None is held. Becomes: quiet (one comes).
    case idle

    /// One is held, and passes at `until` unless another one comes.
    ///
    /// Becomes: quiet again (another one comes), or idle (it passes, or ends).
    case quiet(until: Instant)
  }

  private(set) var phase = Phase.idle

  /// An action comes, and is held; returns when it passes.
  mutating func arrive(interval: Duration, at now: Instant) -> Instant {
    let until = now + interval.nanoseconds
    phase = .quiet(until: until)
    return until
  }

  /// The one that was held is held no more.
  mutating func released() {
    phase = .idle
  }
}
