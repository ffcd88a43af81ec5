@testable import Millrace

/// The plans of the walk, the facts that it knows about actions, and the rules that hold between two events.
extension SchedulerWalk {
  /// The facts that the walk knows about an action.
  struct Known {
    var plan: Int
    var order = 0
    var isRestored = false
    var isShared = false
    var isTakenUp = false
    var isSettled = false
    var handlersOut = 0
    var attempt = 0
    var isAttemptOver = false

    /// Whether its handler rests; whether it has its slot and its permits, once it was started; and whether it waits for them to continue.
    var isResting = false
    var hasSlot = true
    var wantsSlot = false
  }

  /// A handler that has not returned.
  struct Handler {
    let handle: Handle
    let attempt: Int?
  }

  /// The number of plans that each key has.
  static let kinds = 22

  /// The kinds whose turns have a distance.
  static let spaced = [16, 19]

  /// The kinds of plans that have one key together.
  static let (mixedSerial, mixedShared) = (17, 18)

  /// The plans, those of one key after those of another.
  ///
  /// Each plan has keys of its own, so that one overlap and one maximum hold for a key, but for the two of ``mixedSerial``. The last three have
  /// several parts on one key.
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
      .serial(key: "spaced and guarded \(key)").spacing(.nanoseconds(SchedulerWalk.spacing)).timeout(.nanoseconds(90))
        .attemptTimeout(.nanoseconds(20)).retry(
          3, backoff: .none, budget: Plan.RetryBudget(capacity: 1, refill: .nanoseconds(50)), afterCommits: true
        ).breaker(Plan.Breaker(failures: 2, within: .nanoseconds(100), openFor: .nanoseconds(30))),
      .latest(key: "debounced and guarded \(key)").debounce(.nanoseconds(10)).timeout(.nanoseconds(30)).limited(
        to: 1, key: "one \(key)"
      ).attemptTimeout(.nanoseconds(20)).retry(2, backoff: .none).breaker(
        Plan.Breaker(failures: 1, within: .nanoseconds(100), openFor: .nanoseconds(30)), key: "debounced \(key)"
      ).named("debounced"),
      .shared(key: "throttled and shared \(key)").throttle(.nanoseconds(25), leading: false).timeout(.nanoseconds(30))
        .limited(to: 3, key: "all").named("throttled"),
    ]
    return plans.compactMap(\.terms)
  }

  // MARK: What holds after each step

  mutating func checkBounds() {
    if scheduler.freeSlots < 0 { fail("A1: more handlers are out than there are slots") }
    if scheduler.withoutSlot > SchedulerWalk.resting { fail("T12: more runs rest without a slot than may") }
    if scheduler.room.count > SchedulerWalk.room { fail("A1: more actions wait than may") }
    if scheduler.freeSlots > 0, !scheduler.ring.isEmpty { fail("R4: an action waits for a slot that is free") }
    guard arrived % 32 == 0 else { return }
    for key in scheduler.keys.all {
      if scheduler.hasTurnForFirst(of: key) {
        fail("R4: an action waits for a turn that has come")
      }
      for handle in scheduler.queues.handles(of: scheduler.keys[key].line.actions) where scheduler.canLaunch(handle) {
        fail("R4: an action waits for permits and a slot that are free")
      }
    }
  }
}
