/// What is known of the gateway behind one ``Breaker``, as a value without tasks and locks.
///
/// Each event is given the breaker of the newest plan, which decides where plans differ. A run is a probe if it was admitted
/// as one; all others that end while the breaker is open or half-open started before it opened, and say nothing new.
struct BreakerState: Equatable {
  enum Phase: Equatable {
    /// All pass. `failures` in a row, the last of them at `last`; none is as new.
    ///
    /// Becomes: closed with none (a success, or a failure that comes too late to be in a row begins at 1), or open (one
    /// failure too many).
    case closed(failures: Int, last: Instant)

    /// None passes before `until`.
    ///
    /// Becomes: half-open with its probe out (the first that comes at `until` or later), or as new (nobody came for long).
    case open(until: Instant)

    /// One may pass, the probe; while `isProbing` it is out, and none passes. It has been so since `since`.
    ///
    /// Becomes: closed with no failures (the probe succeeded), open (it failed), half-open without a probe (it was
    /// withdrawn), half-open with one (the next that comes), or as new (nobody came for long).
    case halfOpen(isProbing: Bool, since: Instant)
  }

  /// What becomes of an action that comes.
  enum Admission: Equatable {
    case pass
    /// It passes, and its end decides: it is told with `isProbe`.
    case probe
    case reject
  }

  private(set) var phase = Phase.closed(failures: 0, last: 0)

  /// An action comes.
  mutating func admit(_ breaker: Breaker, at now: Instant) -> Admission {
    if isForgotten(breaker, at: now) { self = BreakerState() }
    switch phase {
    case .closed:
      return .pass
    case .open(let until) where now < until:
      return .reject
    case .halfOpen(isProbing: true, _):
      return .reject
    case .open, .halfOpen(isProbing: false, _):
      phase = .halfOpen(isProbing: true, since: now)
      return .probe
    }
  }

  /// Whether a run that failed may make another attempt: only past a closed breaker, for a half-open one lets its probe
  /// through and nothing else.
  var allowsRetry: Bool {
    if case .closed = phase { true } else { false }
  }

  /// A run succeeded.
  mutating func succeeded(isProbe: Bool) {
    switch phase {
    case .closed: self = BreakerState()
    case .halfOpen(isProbing: true, _) where isProbe: self = BreakerState()
    case .open, .halfOpen: break
    }
  }

  /// An attempt failed.
  mutating func failed(_ breaker: Breaker, isProbe: Bool, at now: Instant) {
    switch phase {
    case .closed(let failures, _):
      let inARow = isForgotten(breaker, at: now) ? 1 : failures + 1
      if inARow < breaker.failures {
        phase = .closed(failures: inARow, last: now)
      } else {
        phase = .open(until: now + breaker.openFor.nanoseconds)
      }
    case .halfOpen(isProbing: true, _) where isProbe:
      phase = .open(until: now + breaker.openFor.nanoseconds)
    case .open, .halfOpen:
      break
    }
  }

  /// A run ended as neither success nor failure; if it was the probe, the next one that comes is.
  mutating func withdrew(isProbe: Bool, at now: Instant) {
    if isProbe, case .halfOpen(isProbing: true, _) = phase { phase = .halfOpen(isProbing: false, since: now) }
  }

  /// The first instant at which nothing needs to be remembered: nil when it is as new, never while the probe is out.
  func forgottenAt(_ breaker: Breaker) -> Instant? {
    switch phase {
    case .closed(failures: 0, _): nil
    // At exactly `within` after the last one a failure would still be in a row.
    case .closed(_, let last): last + breaker.within.nanoseconds + 1
    case .open(let until): until + breaker.within.nanoseconds
    case .halfOpen(isProbing: false, let since): since + breaker.within.nanoseconds
    case .halfOpen(isProbing: true, _): .max
    }
  }

  /// Whether it is as new, or as good as that.
  func isForgotten(_ breaker: Breaker, at now: Instant) -> Bool {
    forgottenAt(breaker).map { $0 <= now } ?? true
  }
}
