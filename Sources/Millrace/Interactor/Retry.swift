extension Plan {
  /// The delay between an attempt of a run and the next one.
  public struct Backoff: Sendable, Hashable {
    /// The delay after the first attempt.
    package let initial: Duration

    /// The factor by which each further delay grows.
    package let factor: Double

    /// The longest delay.
    package let maximum: Duration

    /// No delay: the next attempt follows immediately, unless the error is a ``RetryAfter``.
    public static let none = Backoff.constant(.zero)

    /// The same delay after each attempt.
    public static func constant(_ delay: Duration) -> Backoff {
      Backoff(initial: delay, factor: 1, maximum: delay)
    }

    /// Growing delays: `initial`, then each `factor` times as long as the one before, up to `maximum`.
    public static func exponential(
      initial: Duration = .milliseconds(100), factor: Double = 2, maximum: Duration = .seconds(30)
    ) -> Backoff {
      Backoff(initial: initial, factor: factor, maximum: maximum)
    }

    /// The delay after the `attempt`th attempt, counted from 1, before jitter.
    package func delay(after attempt: Int) -> Duration {
      var delay = initial
      for _ in 1..<Swift.max(attempt, 1) {
        guard delay > .zero, factor > 1 else { break }
        // Compared before it is multiplied, for a product that does not fit traps.
        guard factor < maximum / delay else { return maximum }
        delay = delay * factor
      }
      return Swift.min(delay, maximum)
    }

    /// The delay, randomly shortened, so that runs that failed together do not retry together.
    ///
    /// - Parameter jitter: The part of the delay that may be left out: 0 is nothing, 1 is all ("full jitter").
    func delay(after attempt: Int, jitter: Double, random: inout some RandomNumberGenerator) -> Duration {
      let delay = delay(after: attempt)
      guard jitter > 0, delay > .zero else { return delay }
      return delay * (1 - jitter * Double.random(in: 0..<1, using: &random))
    }

    /// The delay after an error that asks for `delay`: at least that, and randomly longer by up to `jitter` of the backoff; zero stays
    /// zero.
    ///
    /// - Parameter delay: The error's delay; a negative one is zero, and nil leaves the delay to the backoff.
    func delay(
      after attempt: Int, asked delay: Duration?, jitter: Double, random: inout some RandomNumberGenerator
    ) -> Duration {
      guard let delay else { return self.delay(after: attempt, jitter: jitter, random: &random) }
      // By way of nanoseconds, which are bounded: a sum of two durations that does not fit traps.
      let least = Duration.nanoseconds(delay.nanoseconds)
      let backoff = self.delay(after: attempt)
      guard jitter > 0, backoff > .zero, least > .zero else { return least }
      return least + backoff * (jitter * Double.random(in: 0..<1, using: &random))
    }
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
/// If a handler throws such an error and its plan has a ``Plan/retry(_:if:backoff:jitter:budget:afterCommits:)``, the run waits
/// for ``retryAfter`` instead of the delay by the plan's ``Plan/Backoff``, and never for less. Jitter lengthens this delay by up to
/// its part of the backoff's delay, so that runs that failed together do not retry together; a delay of zero stays zero. The run keeps its slot
/// meanwhile; bound the wait by the plan's ``Plan/timeout(_:)``, or end the run with `if`.
public protocol RetryAfter: Error {
  /// The time from the error to the next attempt; zero or less is at once, and nil leaves the rest to the plan.
  ///
  /// The task of the handler reads it once, without the store's lock.
  var retryAfter: Duration? { get }
}

/// The advice of an attempt's error on the next attempt, as data for the scheduler.
@usableFromInline
enum RetryAdvice: Sendable {
  /// The plan alone decides.
  case byPlan
  /// The plan decides whether another attempt follows, and the error sets the delay before it.
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

extension Plan {
  /// A circuit breaker: stops calls of a gateway that keeps failing.
  ///
  /// A *closed* breaker lets all actions pass. After `failures` consecutive failed attempts, each within `within` of the one
  /// before, it opens: the store rejects actions that ask for `handle` as ``Rejection/breakerOpen`` and makes no further attempts.
  /// After `openFor` it is *half-open* and lets one action through, whose success closes it and whose failure opens it again.
  ///
  /// A thrown error and a timeout are failures. A cancelled or superseded run is neither a failure nor a success, nor is an error that
  /// `countsIf` leaves out.
  ///
  /// Breakers are equal if their numbers and times are; the results of their closures are not compared.
  public struct Breaker: Sendable, Hashable {
    /// The numbers and times, as the scheduler needs them.
    package struct Figures: Sendable, Hashable {
      /// The number of consecutive failures that open the breaker.
      package let failures: Int

      /// The longest time between two failures that count as consecutive.
      package let within: Duration

      /// The time for which the breaker stays open.
      package let openFor: Duration
    }

    /// The closure that says which errors count; any two are equal.
    struct Judgement: Sendable, Hashable {
      let countsIf: (@Sendable (any Error) -> Bool)?

      static func == (one: Judgement, other: Judgement) -> Bool { true }

      func hash(into hasher: inout Hasher) {}
    }

    package let figures: Figures
    let judgement: Judgement

    /// Creates a breaker that opens for `openFor` after `failures` consecutive failures.
    ///
    /// - Parameters:
    ///   - failures: The number of consecutive failed attempts.
    ///   - within: The longest time between two consecutive failures.
    ///   - openFor: The time for which the breaker rejects actions.
    ///   - countsIf: Returns whether an error says that the gateway fails; nil counts each. An attempt with another error is neither
    ///     a failure nor a success, and the next action may become the probe. The task of the handler calls it once for each
    ///     error that an attempt throws, without the store's lock. A timeout counts without a call.
    public init(
      failures: Int = 5, within: Duration = .seconds(60), openFor: Duration = .seconds(30),
      countsIf: (@Sendable (any Error) -> Bool)? = nil
    ) {
      figures = Figures(failures: failures, within: within, openFor: openFor)
      judgement = Judgement(countsIf: countsIf)
    }
  }
}

extension Plan {
  /// The number of further attempts that the runs of a key may make together, so that retries do not overload a failing gateway.
  ///
  /// The budget is a token bucket: each further attempt takes a token, and time brings tokens back. A run that finds no token
  /// ends with its error.
  public struct RetryBudget: Sendable, Hashable {
    /// The initial and largest number of tokens.
    package let capacity: Int

    /// The time after which one token comes back.
    package let refill: Duration

    /// Creates a budget of `capacity` further attempts at once, and one more for every `refill`.
    public init(capacity: Int, refill: Duration) {
      self.capacity = capacity
      self.refill = refill
    }
  }
}

/// The treatment of a run that was open when its process crashed, once the store is restored from a journal.
///
/// The recovery of the plan with which an action was taken up is valid for the life of its run. It has no effect without a journal.
public struct Recovery: Sendable, Hashable {
  /// The number of times the run is handled again in a row without progress; nil if it is abandoned.
  package let limit: Int?

  /// Ends the run as ``Outcome/abandoned``, with its closing.
  public static let abandon = Recovery(limit: nil)

  /// Handles the action again, with the same ``Run/idempotencyKey``; ends the run as ``Outcome/abandoned`` after 10 times in a row.
  public static let handleAgain = Recovery(limit: 10)

  /// Handles the action again, with the same ``Run/idempotencyKey``, for at most `limit` times in a row.
  ///
  /// A handler that ends its process, as by a trap or by using up the memory, would do so at every start of the process. At the limit
  /// its run ends as ``Outcome/abandoned`` with its closing, and ``Incident/Kind/recoveryLimit`` is reported.
  ///
  /// A run is counted from before its handler starts until it stores a step, rests, or ends. After two times in a row it is handled again
  /// when no other such run is: one at a time, so that only the run that ends the process reaches its limit.
  ///
  /// - Parameter limit: The number of times; 0 or less abandons the run at once.
  public static func handleAgain(limit: Int) -> Recovery { Recovery(limit: max(limit, 0)) }
}
