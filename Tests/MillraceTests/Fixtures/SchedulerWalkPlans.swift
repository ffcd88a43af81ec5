@testable import Millrace

/// The plans of the walk, and the facts that it knows about actions.
extension SchedulerWalk {
  /// The facts that the walk knows about an action.
  struct Known {
    var plan: Int
    var order = 0
    var isShared = false
    var isTakenUp = false
    var isSettled = false
    var handlersOut = 0
    var attempt = 0
  }

  /// A handler that has not returned.
  struct Handler {
    let handle: Handle
    let attempt: Int?
  }

  /// The number of plans that each key has.
  static let kinds = 19

  /// The kinds of plans that have one key together.
  static let (mixedSerial, mixedShared) = (17, 18)

  /// The plans, those of one key after those of another.
  ///
  /// Each plan has keys of its own, so that one overlap and one maximum hold for a key; the last two have one key together.
  static let plans: [PlanTerms] = (0..<keys).flatMap { key in
    let plans: [Plan] = [
      .serial(key: "serial \(key)"),
      .concurrent(max: 2, key: "two \(key)"),
      .latest(key: "latest \(key)"),
      .exclusive(key: "exclusive \(key)"),
      .shared(key: "shared \(key)"),
      .serial(key: "timed \(key)").timeout(.nanoseconds(40)),
      .latest(key: "debounced \(key)").debounce(.nanoseconds(10)),
      .serial(key: "throttled \(key)").throttle(.nanoseconds(25)),
      .serial(key: "retried \(key)").attemptTimeout(.nanoseconds(20)).retry(
        3, backoff: .constant(.nanoseconds(5)), budget: Plan.RetryBudget(capacity: 2, refill: .nanoseconds(50))),
      .shared(key: "broken \(key)").attemptTimeout(.nanoseconds(30)).retry(2, backoff: .none).breaker(
        Plan.Breaker(failures: 2, within: .nanoseconds(100), openFor: .nanoseconds(30))),
      .concurrent.limited(to: 2, key: "tenant \(key)"),
      .serial(key: "limited \(key)").limited(to: 2, key: "tenant \(key)").limited(to: 3, key: "all").breaker(
        Plan.Breaker(failures: 2, within: .nanoseconds(100), openFor: .nanoseconds(30)), key: "all"),
      .latest(key: "limited latest \(key)").limited(to: 1, key: "one \(key)"),
      .concurrent.limited(to: 3, key: "all").limited(to: 1, key: "one \(key)"),
      .latest(max: 2, key: "latest two \(key)"),
      .exclusive(max: 2, key: "exclusive two \(key)"),
      .serial(key: "spaced \(key)").spacing(.nanoseconds(SchedulerWalk.spacing)),
      .serial(key: "mixed \(key)"),
      .shared(key: "mixed \(key)"),
    ]
    return plans.compactMap(\.terms)
  }
}
