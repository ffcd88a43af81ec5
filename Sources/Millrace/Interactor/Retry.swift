/// How long a run rests between one attempt and the next.
public struct Backoff: Sendable, Hashable {
  /// The rest after the first attempt.
  public let initial: Duration

  /// What each further rest is multiplied by.
  public let factor: Double

  /// The longest rest.
  public let maximum: Duration

  /// No rest at all.
  public static let none = Backoff.constant(.zero)

  /// The same rest each time.
  public static func constant(_ rest: Duration) -> Backoff {
    Backoff(initial: rest, factor: 1, maximum: rest)
  }

  /// Rests that grow: `initial`, then each `factor` times as long as the one before, up to `maximum`.
  public static func exponential(
    initial: Duration = .milliseconds(100), factor: Double = 2, maximum: Duration = .seconds(30)
  ) -> Backoff {
    Backoff(initial: initial, factor: factor, maximum: maximum)
  }

  /// The rest after the `attempt`th attempt, counted from 1, before jitter.
  package func rest(after attempt: Int) -> Duration {
    var rest = initial
    for _ in 1..<Swift.max(attempt, 1) {
      guard rest > .zero, factor > 1 else { break }
      // Compared before it is multiplied, for a product that does not fit traps.
      guard factor < maximum / rest else { return maximum }
      rest = rest * factor
    }
    return Swift.min(rest, maximum)
  }

  /// The rest with some of it taken away at random, so that those who failed together do not come back together.
  ///
  /// - Parameter jitter: how much of it may be taken away: 0 is nothing, 1 is all ("full jitter").
  func rest(after attempt: Int, jitter: Double, random: inout some RandomNumberGenerator) -> Duration {
    let rest = rest(after: attempt)
    guard jitter > 0, rest > .zero else { return rest }
    return rest * (1 - jitter * Double.random(in: 0..<1, using: &random))
  }
}

/// When to leave a gateway alone that keeps failing.
///
/// A *closed* breaker lets all actions pass. When `failures` attempts in a row have failed, none further apart than
/// `within`, it opens: actions that ask for `handle` are rejected as ``Rejection/breakerOpen``, and no further attempts are made.
/// After `openFor` it is *half-open*: it lets one action through, whose success closes it and whose failure opens it again.
///
/// A thrown error and a timeout are failures; what was cancelled or superseded counts as neither.
public struct Breaker: Sendable, Hashable {
  /// How many failures in a row open it.
  public let failures: Int

  /// How far apart two failures may be to count as being in a row.
  public let within: Duration

  /// How long it stays open.
  public let openFor: Duration

  /// A breaker that opens after `failures` failures in a row, for `openFor`.
  public init(failures: Int = 5, within: Duration = .seconds(60), openFor: Duration = .seconds(30)) {
    self.failures = failures
    self.within = within
    self.openFor = openFor
  }
}

/// How many attempts more than one the runs of a key may make together, so that a gateway that is down is not hit harder.
///
/// It is a bucket of tokens: each further attempt takes one, and time brings them back. When it is empty the run ends with
/// the error it has.
public struct RetryBudget: Sendable, Hashable {
  /// How many tokens there are at first, and at most.
  public let capacity: Int

  /// How long it takes for one token to come back.
  public let refill: Duration

  /// A budget of `capacity` further attempts at once, and one more for every `refill`.
  public init(capacity: Int, refill: Duration) {
    self.capacity = capacity
    self.refill = refill
  }
}

/// What becomes of a run that was open when its process crashed, once the store is restored from a journal.
///
/// Without a journal it means nothing.
public enum Recovery: Sendable, Hashable {
  /// It ends as ``Outcome/abandoned``, and is closed.
  case abandon

  /// It is handled again, with the same ``Run/idempotencyKey``.
  case handleAgain
}
