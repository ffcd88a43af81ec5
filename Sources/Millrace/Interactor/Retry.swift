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

  /// The rest after an error that asks for `delay`: never shorter than that, and longer at random by up to `jitter` of the rest.
  ///
  /// - Parameter delay: a delay below zero counts as zero; nil asks for none, and leaves the rest as it is.
  func rest(
    after attempt: Int, asked delay: Duration?, jitter: Double, random: inout some RandomNumberGenerator
  ) -> Duration {
    guard let delay else { return rest(after: attempt, jitter: jitter, random: &random) }
    // By way of nanoseconds, which are bounded: a sum of two durations that does not fit traps.
    let least = Duration.nanoseconds(delay.nanoseconds)
    let rest = rest(after: attempt)
    guard jitter > 0, rest > .zero else { return least }
    return least + rest * (jitter * Double.random(in: 0..<1, using: &random))
  }
}

/// An error that knows how long to wait before the next attempt, as an answer with a `Retry-After` header does.
///
/// ```swift
/// struct TooManyRequests: RetryAfter {
///   let retryAfter: Duration?
/// }
/// ```
///
/// Where a handler throws one and its plan has a ``Plan/retry(_:if:backoff:jitter:budget:afterCommits:)``, the run rests for
/// ``retryAfter`` in place of the rest by the plan's ``Backoff``, however long that is. It never rests for less. Jitter makes the
/// rest longer instead of shorter, by up to its part of the rest by the backoff, so that those who failed together do not come
/// back together. The run keeps its slot meanwhile; bound it by the plan's ``Plan/timeout(_:)``, or end the run with `if`.
public protocol RetryAfter: Error {
  /// The time from the error to the next attempt; zero or less is at once, and nil leaves the rest to the plan.
  ///
  /// The task of the handler reads it once, without the store's lock.
  var retryAfter: Duration? { get }
}

/// What the error of an attempt says of the next one, as data for the scheduler.
@usableFromInline
enum RetryAdvice: Sendable {
  /// The plan alone decides.
  case byPlan
  /// The plan decides whether another attempt follows, and the error how long the run rests before it.
  case after(Duration)
  /// No other attempt follows.
  case never

  /// The delay that the error asks for.
  var delay: Duration? {
    if case .after(let delay) = self { delay } else { nil }
  }

  var allowsRetry: Bool {
    if case .never = self { false } else { true }
  }
}

extension PlanTerms.Retry {
  /// The advice after the error of an attempt; asks the plan's predicate and the error.
  func advice(after error: any Error) -> RetryAdvice {
    if let isRetryable, !isRetryable(error) { return .never }
    return (error as? any RetryAfter)?.retryAfter.map { .after($0) } ?? .byPlan
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
