/// How a plan contradicts itself.
package enum PlanProblem: Sendable, Hashable, CaseIterable {
  case maximum, key, needsKey, pacing, throttle, interval, timeout, attempts, backoff, jitter, budget, breaker

  /// The problem as a sentence that says the fix.
  package var description: String {
    switch self {
    case .maximum:
      "A plan's `concurrent(max:key:)` lets nothing run; give it a `max` of 1 or more."
    case .key:
      "A plan's key is not equal to itself, as NaN is not, so that nothing could be found by it; give it another one."
    case .needsKey:
      "A plan that is debounced or throttled, or has a breaker or a retry budget, needs a key; begin it with `serial(key:)`, "
        + "`latest(key:)` or another overlap that has one, or give the breaker a key of its own."
    case .pacing:
      "A plan is debounced or throttled more than once; leave all but one of them out."
    case .throttle:
      "A plan's `throttle` lets nothing through; let `leading` or `trailing` be true."
    case .interval:
      "A plan's `debounce` or `throttle` has no interval; give it one above zero."
    case .timeout:
      "A plan's `timeout` or `attemptTimeout` is over before it begins; give it one above zero."
    case .attempts:
      "A plan's `retry` makes no attempt; give it 1 attempt or more."
    case .backoff:
      "A plan's `backoff` shrinks or is negative; give it rests of zero or more, a factor of 1 or more, and a maximum that is "
        + "not below the initial rest."
    case .jitter:
      "A plan's `jitter` is not a part of the rest; give it one from 0 to 1."
    case .budget:
      "A plan's retry budget never allows a further attempt; give it a capacity of 1 or more and a refill above zero."
    case .breaker:
      "A plan's breaker is open for ever or never; give it 1 failure or more, and times above zero."
    }
  }
}
