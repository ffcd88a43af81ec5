import Testing

@testable import Millrace

/// Tables of the instant at which a token is asked for → whether there is one; times are nanoseconds.
@Suite("RetryBudgetState")
struct RetryBudgetStateTests {
  /// An instant at which a token is asked for, whether there is one, and the instant at which the bucket is full again.
  struct Step {
    let now: Instant
    let isTaken: Bool
    let fullAt: Instant?

    init(at now: Instant, _ isTaken: Bool, full fullAt: Instant?) {
      self.now = now
      self.isTaken = isTaken
      self.fullAt = fullAt
    }
  }

  private func check(_ budget: Plan.RetryBudget, _ steps: [Step]) {
    var state = RetryBudgetState()
    #expect(state.fullAt(budget) == nil)
    for (index, step) in steps.enumerated() {
      let isTaken = state.take(budget, at: step.now)
      #expect(isTaken == step.isTaken, "step \(index)")
      #expect(state.fullAt(budget) == step.fullAt, "step \(index)")
    }
  }

  @Test("As many tokens as the capacity are there at once, and then one for every refill")
  func tokensComeBack() {
    check(
      Plan.RetryBudget(capacity: 2, refill: .nanoseconds(10)),
      [
        Step(at: 5, true, full: 15),
        Step(at: 5, true, full: 25),
        Step(at: 5, false, full: 25),
        Step(at: 14, false, full: 25),
        Step(at: 15, true, full: 35),
        Step(at: 15, false, full: 35),
        Step(at: 34, true, full: 45),
        Step(at: 35, true, full: 55),
        Step(at: 35, false, full: 55),
      ])
  }

  @Test("A full bucket gets no fuller, however long it stands")
  func aFullBucketGetsNoFuller() {
    check(
      Plan.RetryBudget(capacity: 2, refill: .nanoseconds(10)),
      [
        Step(at: 0, true, full: 10),
        Step(at: 1_000_000, true, full: 1_000_010),
        Step(at: 1_000_000, true, full: 1_000_020),
        Step(at: 1_000_000, false, full: 1_000_020),
        // Full again, so that the next refill begins with the next one taken.
        Step(at: 1_000_027, true, full: 1_000_037),
      ])
  }

  @Test("However often it is asked, it gives what the refill allows, and nothing is lost to rounding")
  func nothingDrifts() {
    let budget = Plan.RetryBudget(capacity: 3, refill: .nanoseconds(7))
    var state = RetryBudgetState()
    let taken = (0..<7_000).count { state.take(budget, at: Instant($0)) }
    // Three at 0, then one at each multiple of 7.
    #expect(taken == 3 + 999)
  }

  @Test("An empty bucket that is asked again and again fills no later")
  func anEmptyBucketIsAsked() {
    let budget = Plan.RetryBudget(capacity: 1, refill: .nanoseconds(10))
    var state = RetryBudgetState()
    let taken = (0...10).map { state.take(budget, at: $0) }
    #expect(taken == [true] + Array(repeating: false, count: 9) + [true])
  }

  @Test("A time before the last one brings nothing back and takes nothing away")
  func theTimeMayGoBack() {
    check(
      Plan.RetryBudget(capacity: 2, refill: .nanoseconds(10)),
      [
        Step(at: 50, true, full: 60),
        Step(at: 3, true, full: 70),
        Step(at: 3, false, full: 70),
        Step(at: 60, true, full: 80),
      ])
  }

  @Test("Where plans differ, the newest budget decides")
  func theNewestBudgetDecides() {
    var state = RetryBudgetState()
    let wide = Plan.RetryBudget(capacity: 5, refill: .nanoseconds(10))
    let wideTaken = (0..<3).map { _ in state.take(wide, at: 0) }
    #expect(wideTaken == [true, true, true])
    let narrow = Plan.RetryBudget(capacity: 2, refill: .nanoseconds(1))
    #expect(state.fullAt(narrow) == 3)
    let narrowTaken = (0..<3).map { state.take(narrow, at: $0) }
    #expect(narrowTaken == [false, false, true])
  }

  @Test("The largest budget and the longest refill do not overflow")
  func theLargestBudget() {
    let budget = Plan.RetryBudget(capacity: .max, refill: .seconds(Int64.max))
    var state = RetryBudgetState()
    let taken = (0..<9).count { _ in state.take(budget, at: Int64.max / 4) }
    #expect(taken == 9)
    #expect(state.fullAt(budget) == .max)
  }
}
