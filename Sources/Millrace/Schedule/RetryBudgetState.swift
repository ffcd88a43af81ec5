/// How many tokens one ``RetryBudget`` has left, as a value without tasks and locks.
///
/// Each event is given the budget of the newest plan, which decides where plans differ. Tokens come back one at a time, at
/// whole multiples of the refill from when the first was taken, so that nothing drifts.
struct RetryBudgetState: Equatable {
  /// How many tokens are missing; none is as new.
  private var missing = 0

  /// When the last token came back, or the first one was taken since the bucket was full.
  private var since: Instant = 0

  /// A run wants to make another attempt: takes a token, if there is one.
  mutating func take(_ budget: RetryBudget, at now: Instant) -> Bool {
    refill(budget, at: now)
    guard missing < budget.capacity else { return false }
    if missing == 0 { since = now }
    missing += 1
    return true
  }

  /// When all tokens have come back, or nil when none is missing.
  func fullAt(_ budget: RetryBudget) -> Instant? {
    guard missing > 0 else { return nil }
    let (wait, isTooLong) = Int64(missing).multipliedReportingOverflow(by: budget.refill.nanoseconds)
    let (instant, isTooFar) = since.addingReportingOverflow(wait)
    return isTooLong || isTooFar ? .max : instant
  }

  /// Brings back what has come back.
  private mutating func refill(_ budget: RetryBudget, at now: Instant) {
    // Rounded up, a refill is at least one nanosecond.
    let refill = budget.refill.nanoseconds
    let returned = max(now - since, 0) / refill
    since += returned * refill
    missing -= min(missing, Int(clamping: returned))
  }
}
