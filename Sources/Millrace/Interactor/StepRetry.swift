/// The calls of a step's body: how many, with which delays, and how long each may take.
///
/// ```swift
/// try await run.step("charge", retry: StepRetry(attempts: 5, timeout: .seconds(10))) { step in
///   try await payments.charge(order, key: step.idempotencyKey)
/// }
/// ```
///
/// It is valid for one attempt of the handler: a further attempt and a run that is handled again after a crash begin anew, and ``Recovery/handleAgain(limit:)`` bounds how
/// often. An error that is a ``RetryAfter`` sets the delay in place of `backoff`.
public struct StepRetry: Sendable {
  let attempts: Int
  let isRetryable: (@Sendable (any Error) -> Bool)?
  let backoff: Plan.Backoff
  let timeout: Duration?

  /// One call, without a timeout.
  public static let none = StepRetry(attempts: 1)

  /// Creates the terms of the calls.
  ///
  /// - Parameters:
  ///   - attempts: the largest number of calls, the first one included; below 1 it is 1.
  ///   - isRetryable: returns whether another call may follow an error; nil allows one after every error. The task of the handler calls it
  ///     after each call that failed but the last one. A call that took too long has failed with a
  ///     ``StepFailure`` whose ``StepFailure/isTimeout`` is true.
  ///   - backoff: the delay between two calls, on the store's clock.
  ///   - timeout: the time of each call, on the store's clock; nil sets no limit. When it is over the body's task is cancelled, and the step
  ///     continues when the body has returned: the body has to heed cancellation. A value that it still returns is the result.
  public init(
    attempts: Int = 1, if isRetryable: (@Sendable (any Error) -> Bool)? = nil, backoff: Plan.Backoff = .exponential(),
    timeout: Duration? = nil
  ) {
    self.attempts = max(attempts, 1)
    self.isRetryable = isRetryable
    self.backoff = backoff
    self.timeout = timeout
  }

  /// Whether there is one call, which may take any time.
  @usableFromInline var isOneCall: Bool { attempts == 1 && timeout == nil }

  /// The delay before the next call; nil if the error of this one is the result.
  func delay(after error: any Error, attempt: Int) -> Duration? {
    guard attempt < attempts, isRetryable?(error) ?? true else { return nil }
    if let asked = (error as? any RetryAfter)?.retryAfter { return max(asked, .zero).bounded }
    return backoff.delay(after: attempt).bounded
  }
}
