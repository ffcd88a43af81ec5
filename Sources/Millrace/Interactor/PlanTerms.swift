/// What a plan says; changed only while the plan is made, by the one that has the only reference to it.
@usableFromInline
package final class PlanTerms: @unchecked Sendable {
  /// What comes before overlap.
  package enum Pace: Sendable, Hashable {
    case debounce(Duration)
    case throttle(Duration, leading: Bool, trailing: Bool)
  }

  package struct Retry: Sendable {
    let attempts: Int
    let backoff: Backoff
    let jitter: Double
    let budget: RetryBudget?
    let afterCommits: Bool
  }

  /// Nil: beside all others, and without a key.
  let overlap: Overlap?
  private(set) var key: PlanKey?
  var pace: Pace?
  var timeout: Duration?
  var attemptTimeout: Duration?
  var retry: Retry?
  var breaker: Breaker?
  var recovery = Recovery.abandon

  /// The breaker's own key.
  private var ownBreakerKey: PlanKey?
  private var firstProblem: PlanProblem?

  init(_ overlap: Overlap?, _ key: PlanKey?, problem: PlanProblem? = nil) {
    self.overlap = overlap
    self.key = key
    firstProblem = problem
  }

  init(copying other: PlanTerms) {
    overlap = other.overlap
    key = other.key
    pace = other.pace
    timeout = other.timeout
    attemptTimeout = other.attemptTimeout
    retry = other.retry
    breaker = other.breaker
    recovery = other.recovery
    ownBreakerKey = other.ownBreakerKey
    firstProblem = other.firstProblem
  }

  /// Keeps the first problem there is.
  func note(_ problem: PlanProblem?) {
    if firstProblem == nil { firstProblem = problem }
  }

  func set(_ breaker: Breaker, key: PlanKey?) {
    note(breaker.failures >= 1 && breaker.within > .zero && breaker.openFor > .zero ? nil : .breaker)
    self.breaker = breaker
    ownBreakerKey = key
  }

  /// Whether the plan names any key.
  var hasKey: Bool { breakerKey != nil }

  /// Makes all keys those of a child.
  func put(within scope: PlanKey) {
    note(scope == scope ? nil : .key)
    key = key.map { PlanKey(ScopedKey(scope: scope, key: $0)) }
    ownBreakerKey = ownBreakerKey.map { PlanKey(ScopedKey(scope: scope, key: $0)) }
  }

  /// Whether there may be more than one attempt, or what becomes of one matters.
  var mayRepeat: Bool { retry != nil || attemptTimeout != nil || breaker != nil }

  /// The key of the breaker.
  var breakerKey: PlanKey? { ownBreakerKey ?? key }

  /// How the plan contradicts itself, or nil.
  var problem: PlanProblem? {
    if let firstProblem { return firstProblem }
    let lacksKey = pace != nil || retry?.budget != nil
    return lacksKey && key == nil || breaker != nil && breakerKey == nil ? .needsKey : nil
  }
}
