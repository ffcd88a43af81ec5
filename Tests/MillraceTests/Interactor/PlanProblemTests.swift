import Testing

@testable import Millrace

@Suite("PlanProblem")
struct PlanProblemTests {
  /// A plan that contradicts itself, and how.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let plan: Plan
    let problem: PlanProblem

    init(_ testDescription: String, _ plan: Plan, _ problem: PlanProblem) {
      self.testDescription = testDescription
      self.plan = plan
      self.problem = problem
    }
  }

  private static let serial = Plan.serial(key: 1)
  private static let second = Duration.seconds(1)

  static let rows = [
    Row("max 0", .concurrent(max: 0, key: 1), .maximum),
    Row("max below 0", .concurrent(max: -1, key: 1), .maximum),
    Row("latest of 0", .latest(max: 0, key: 1), .maximum),
    Row("exclusive of 0", .exclusive(max: 0, key: 1), .maximum),
    Row("spacing of zero", serial.spacing(.zero), .interval),
    Row("spacing without turns", .latest(key: 1).spacing(second), .spacing),
    Row("spacing without a key", .concurrent.spacing(second), .spacing),
    Row("limited to 0", serial.limited(to: 0, key: 2), .maximum),
    Row("a limit's key that is not equal to itself", serial.limited(to: 1, key: Double.nan), .key),
    Row("the same key as overlap and limit", serial.limited(to: 1, key: 1), .limitedTwice),
    Row("two limits of one key", .concurrent.limited(to: 1, key: 2).limited(to: 2, key: 2), .limitedTwice),
    Row("a key that is not equal to itself", .latest(key: Double.nan), .key),
    Row("a breaker's key that is not equal to itself", .concurrent.breaker(key: Double.nan), .key),
    Row("debounce without a key", .concurrent.debounce(second), .needsKey),
    Row("throttle without a key", .concurrent.throttle(second), .needsKey),
    Row("breaker without a key", .concurrent.breaker(), .needsKey),
    Row("budget without a key", .concurrent.retry(2, budget: Plan.RetryBudget(capacity: 1, refill: second)), .needsKey),
    Row(
      "budget with the breaker's key",
      .concurrent.breaker(key: 1).retry(2, budget: Plan.RetryBudget(capacity: 1, refill: second)), .needsKey),
    Row("debounced and throttled", serial.debounce(second).throttle(second), .pacing),
    Row("throttled and debounced", serial.throttle(second).debounce(second), .pacing),
    Row("neither leading nor trailing", serial.throttle(second, leading: false, trailing: false), .throttle),
    Row("debounce of zero", serial.debounce(.zero), .interval),
    Row("throttle below zero", serial.throttle(.seconds(-1)), .interval),
    Row("timeout of zero", serial.timeout(.zero), .timeout),
    Row("attempt timeout below zero", serial.attemptTimeout(.seconds(-1)), .timeout),
    Row("no attempts", serial.retry(0), .attempts),
    Row("negative backoff", serial.retry(2, backoff: .constant(.seconds(-1))), .backoff),
    Row(
      "backoff that shrinks", serial.retry(2, backoff: .exponential(initial: second, factor: 0.5)), .backoff),
    Row(
      "backoff of no number", serial.retry(2, backoff: .exponential(initial: second, factor: .nan)), .backoff),
    Row(
      "maximum below the initial delay",
      serial.retry(2, backoff: .exponential(initial: .seconds(2), factor: 2, maximum: second)), .backoff),
    Row("jitter below 0", serial.retry(2, jitter: -0.1), .jitter),
    Row("jitter above 1", serial.retry(2, jitter: 1.1), .jitter),
    Row("jitter of no number", serial.retry(2, jitter: .nan), .jitter),
    Row("budget of nothing", serial.retry(2, budget: Plan.RetryBudget(capacity: 0, refill: second)), .budget),
    Row("budget that never fills", serial.retry(2, budget: Plan.RetryBudget(capacity: 1, refill: .zero)), .budget),
    Row("breaker of no failures", serial.breaker(Plan.Breaker(failures: 0)), .breaker),
    Row("breaker within zero", serial.breaker(Plan.Breaker(within: .zero)), .breaker),
    Row("breaker open for zero", serial.breaker(Plan.Breaker(openFor: .zero), key: 2), .breaker),
  ]

  @Test("A plan that contradicts itself has a problem", arguments: rows)
  func aPlanHasAProblem(row: Row) {
    #expect(row.plan.terms?.problem == row.problem)
    // Whatever is added, it stays.
    #expect(row.plan.timeout(.seconds(1)).recovery(.handleAgain).terms?.problem == row.problem)
  }

  @Test("Every problem is that of a plan")
  func everyProblemIsThatOfAPlan() {
    #expect(Set(Self.rows.map(\.problem)) == Set(PlanProblem.allCases))
  }

  @Test("The first problem of several is the one that is told")
  func theFirstProblemIsTold() {
    #expect(Self.serial.timeout(.zero).retry(0).debounce(.zero).terms?.problem == .timeout)
  }

  @Test(
    "A plan that does not contradict itself has no problem",
    arguments: [
      Plan.concurrent(max: 1, key: 1),
      .concurrent.timeout(.nanoseconds(1)).attemptTimeout(.nanoseconds(1)),
      .concurrent.retry(1, backoff: .none, jitter: 0),
      .concurrent.retry(60, backoff: .exponential(initial: .zero, factor: 1, maximum: .zero), jitter: 1),
      .concurrent.breaker(Plan.Breaker(failures: 1, within: .nanoseconds(1), openFor: .nanoseconds(1)), key: 1),
      .concurrent.recovery(.handleAgain),
      .latest(key: 1).debounce(.nanoseconds(1)),
      .exclusive(key: 1).throttle(.nanoseconds(1), leading: true, trailing: false),
      .shared(key: 1).throttle(.nanoseconds(1), leading: false, trailing: true),
      .latest(max: 2, key: 1).debounce(.nanoseconds(1)),
      .concurrent(max: 2, key: 1).throttle(.nanoseconds(1)).spacing(.nanoseconds(1)),
      .serial(key: 1).limited(to: 1, key: 1.0).limited(to: 1, key: "1"),
      .serial(key: 1).breaker().retry(2, budget: Plan.RetryBudget(capacity: 1, refill: .nanoseconds(1))),
    ])
  func aValidPlanHasNoProblem(plan: Plan) throws {
    #expect(try #require(plan.terms).problem == nil)
  }

  @Test(
    "A problem is named by a sentence that says the fix",
    arguments: [
      (
        PlanProblem.maximum,
        "A plan's `max`, or the number of its `limited(to:key:)`, lets nothing run; give it a number of 1 or more."
      ),
      (
        .limitedTwice,
        "A plan's `limited(to:key:)` has the key of its overlap or of another limit of it; give each a key of its own."
      ),
      (
        .needsKey,
        "A plan that is debounced or throttled, or has a breaker or a retry budget, needs a key; begin it with "
          + "`serial(key:)`, `latest(key:)` or another overlap that has one, or give the breaker a key of its own."
      ),
      (
        .key,
        "A plan's key is not equal to itself, as NaN is not, so that nothing could be found by it; give it another one."
      ),
      (.pacing, "A plan is debounced or throttled more than once; leave all but one of them out."),
      (.throttle, "A plan's `throttle` lets nothing through; let `leading` or `trailing` be true."),
      (.interval, "A plan's `debounce`, `throttle` or `spacing` has no interval; give it one above zero."),
      (
        .spacing,
        "A plan's `spacing` is for actions that wait for their turn; begin the plan with `serial(key:)` or "
          + "`concurrent(max:key:)`."
      ),
      (.timeout, "A plan's `timeout` or `attemptTimeout` is over before it begins; give it one above zero."),
      (.attempts, "A plan's `retry` makes no attempt; give it 1 attempt or more."),
      (
        .backoff,
        "A plan's `backoff` shrinks or is negative; give it delays of zero or more, a factor of 1 or more, and a maximum "
          + "that is not below the initial delay."
      ),
      (.jitter, "A plan's `jitter` is not a part of the delay; give it one from 0 to 1."),
      (
        .budget,
        "A plan's retry budget never allows a further attempt; give it a capacity of 1 or more and a refill above zero."
      ),
      (
        .breaker,
        "A plan's breaker is open for ever or never; give it 1 failure or more, and times above zero."
      ),
    ])
  func aProblemIsNamedByASentence(problem: PlanProblem, sentence: String) {
    #expect(problem.description == sentence)
  }
}
