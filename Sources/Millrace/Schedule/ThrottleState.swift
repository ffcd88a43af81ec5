/// Which actions of one key a throttle lets through, as a value without tasks and locks.
///
/// Each event is given the terms of the newest plan, which decides where plans differ. The scheduler holds the
/// action, and tells here whether there still is one.
struct ThrottleState: Equatable {
  enum Phase: Equatable {
    /// As new: none has passed within the interval.
    ///
    /// Becomes: a window (one passes, or the first one is held).
    case idle

    /// One has passed, or is held, and no other passes before `end`; `interval` is how long the next window lasts.
    ///
    /// Becomes: the next window (it ended, and the one held passes), or idle (it ended without one).
    case window(end: Instant, interval: Int64)
  }

  /// What becomes of an action that comes.
  enum Verdict: Equatable {
    /// It passes now.
    case pass
    /// It is held until the window ends, in place of the one held before.
    case hold
    /// It is rejected.
    case drop
  }

  private(set) var phase = Phase.idle

  /// When the window ends, or nil.
  var windowEnd: Instant? {
    if case .window(let end, _) = phase { end } else { nil }
  }

  /// An action comes.
  ///
  /// A window that is over has ended, whether that was told or not; while one is held, it has to be told before.
  mutating func arrive(interval: Duration, leading: Bool, trailing: Bool, at now: Instant) -> Verdict {
    let interval = interval.nanoseconds
    if case .window(let end, _) = phase, now < end {
      guard trailing else { return .drop }
      phase = .window(end: end, interval: interval)
      return .hold
    }
    guard leading || trailing else { return .drop }
    phase = .window(end: now + interval, interval: interval)
    return leading ? .pass : .hold
  }

  /// The window ended: whether the action that is held passes now.
  ///
  /// Told too early, or without a window, it changes nothing.
  mutating func windowEnded(holdsOne: Bool, at now: Instant) -> Bool {
    guard case .window(let end, let interval) = phase, end <= now else { return false }
    phase = holdsOne ? .window(end: now + interval, interval: interval) : .idle
    return holdsOne
  }
}
