/// What a store remembers of one key, for as long as there is something to remember.
///
/// All of it is the owner's.
final class KeyRecord<I: Interactor>: @unchecked Sendable {
  let key: PlanKey

  /// Who has the places of the key.
  var lane = Lane()

  /// Those that have met here and have not ended.
  var live = PlacedList<Course<I>>()

  /// Those of them that wait for a place, in accepted order.
  var waiting = LinkedList<ActiveRun<I>>()

  /// Whether those that wait are to be looked at when the step is done.
  var isPumpDue = false

  /// The live one that others may join.
  var flight: ActiveRun<I>?

  /// The one that is debounced or throttled.
  var held: ActiveRun<I>?

  /// When its debounce ends, or the throttle's window.
  var debounceEnd: Timer?
  var windowEnd: Timer?
  var throttle = ThrottleState()

  /// The breaker of the newest plan that has one.
  var breaker = BreakerState()
  var breakerTerms: Breaker?

  /// The retry budget of the newest plan that has one.
  var budget = RetryBudgetState()
  var budgetTerms: RetryBudget?

  /// How many are at work with it and rely on its being remembered.
  var users = 0

  /// Whether the store has forgotten it.
  var isForgotten = false

  /// When breaker and budget can be forgotten.
  var forgetting: Timer?

  init(_ key: PlanKey) {
    self.key = key
  }

  /// Whether the one that is held waits for the end of the throttle's window.
  var holdsThrottled: Bool {
    if case .throttle = held?.course?.terms?.pace { true } else { false }
  }

  /// How many have come and have not ended.
  var earlier: Int { live.elements.count + (held == nil ? 0 : 1) }

  /// Whether no action needs it.
  var isIdle: Bool {
    users == 0 && lane.isIdle && live.isEmpty && held == nil && windowEnd == nil
  }

  /// When there is nothing left to remember of breaker and budget; nil at once.
  func forgottenAt() -> Instant? {
    guard breakerTerms != nil || budgetTerms != nil else { return nil }
    let breakerTime = breakerTerms.flatMap { breaker.forgottenAt($0) }
    let budgetTime = budgetTerms.flatMap { budget.fullAt($0) }
    guard let breakerTime, let budgetTime else { return breakerTime ?? budgetTime }
    return max(breakerTime, budgetTime)
  }
}
