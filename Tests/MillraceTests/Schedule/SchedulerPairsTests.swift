import Testing

@testable import Millrace

/// Tables of events and the actions that they are answered with: two parts of a plan at once, and each number of a plan at its bound.
@Suite("Scheduler, pairs and bounds", .timeLimit(.minutes(1)))
struct SchedulerPairsTests {
  typealias Table = SchedulerTests.Table
  typealias Event = SchedulerTests.Event

  private func check(
    _ table: consuming Table, _ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    SchedulerTests().check(table, rows, sourceLocation: sourceLocation)
  }

  // MARK: Attempts and commits

  @Test(
    "An attempt that has committed and is given up is not repeated, unless the plan says so", arguments: [false, true])
  func givenUpAfterCommits(afterCommits: Bool) {
    let plan = Plan.concurrent.attemptTimeout(.nanoseconds(5)).retry(3, backoff: .none, afterCommits: afterCommits)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]), (.time(5), ["give up a"]),
        (.gaveUp("a", hasCommitted: true), [afterCommits ? "draw a after 1" : "settle a timedOut, closing"]),
      ])
  }

  // MARK: The breaker

  @Test("A timeout while an action waits for a slot says nothing about the gateway", arguments: [1, 2])
  func timeoutOfAWait(failures: Int) {
    let plan = Plan.concurrent.breaker(Plan.Breaker(failures: failures, openFor: .nanoseconds(10)), key: "g")
    check(
      Table(slots: 1),
      [
        (.arrive("a", .concurrent.timeout(.seconds(1))), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan.timeout(.nanoseconds(5))), ["decide b"]), (.handles("b"), []),
        (.arrive("c", plan.timeout(.nanoseconds(5))), ["decide c"]), (.handles("c"), []),
        (.time(5), ["settle b timedOut, closing", "forget b"]), (.time(5), ["settle c timedOut, closing", "forget c"]),
        (.returns("a"), ["settle a finished", "forget a"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d 1"]),
      ])
  }

  @Test("A probe that times out while it waits for a slot lets the next action be the probe")
  func timeoutOfAWaitingProbe() {
    let plan = SchedulerTests.guarded
    check(
      Table(slots: 1),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "forget a"]),
        (.time(10), ["nothing is due"]),
        (.arrive("b", .concurrent.timeout(.seconds(1))), ["decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", plan.timeout(.nanoseconds(5))), ["decide c"]), (.handles("c"), []),
        (.time(15), ["settle c timedOut, closing", "forget c"]), (.returns("b"), ["settle b finished", "forget b"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d 1"]),
        (.arrive("e", plan), ["decide e"]), (.handles("e"), ["settle e rejected", "forget e"]),
      ])
  }

  @Test("An error that says nothing about the gateway neither opens a breaker nor ends a row of failures")
  func uncountedErrors() {
    let plan = Plan.concurrent.breaker(Plan.Breaker(failures: 2, openFor: .nanoseconds(10)), key: "g")
    let failed = ["settle a failed, closing", "forget a"]
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true, counts: false), failed),
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), failed),
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true, counts: false), failed),
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), failed),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["settle b rejected", "forget b"]),
      ])
  }

  @Test(
    "A probe whose error says nothing about the gateway is repeated by no attempt, and the next action is the probe")
  func uncountedProbe() {
    let plan = SchedulerTests.guarded.retry(3, backoff: .none)
    check(
      Table(),
      [
        (.arrive("a", SchedulerTests.guarded), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "forget a"]),
        (.time(10), ["nothing is due"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.returns("b", attempt: 1, fails: true, counts: false), ["settle b failed, closing", "forget b"]),
        (.arrive("c", plan), ["decide c"]), (.handles("c"), ["start c 1"]),
        (.returns("c", attempt: 1), ["settle c finished", "forget c"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d 1"]),
      ])
  }

  @Test(
    "An action that times out while it rests behind an error that says nothing about the gateway says nothing either")
  func timeoutAfterAnUncountedError() {
    let plan = SchedulerTests.guarded
    check(
      Table(),
      [
        (.arrive("a", plan.retry(2, backoff: .none).timeout(.nanoseconds(7))), ["decide a"]),
        (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true, counts: false), ["draw a after 1"]), (.drawn("a", 50), []),
        (.time(7), ["settle a timedOut, closing", "forget a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b 1"]),
      ])
  }

  @Test("An attempt that is given up counts, though the error of the one before it did not")
  func givenUpAfterAnUncountedError() {
    let plan = SchedulerTests.guarded
    check(
      Table(),
      [
        (.arrive("a", plan.attemptTimeout(.nanoseconds(5)).retry(2, backoff: .none)), ["decide a"]),
        (.handles("a"), ["start a 1"]), (.returns("a", attempt: 1, fails: true, counts: false), ["draw a after 1"]),
        (.drawn("a", 0), []), (.time(0), ["start a 2"]), (.time(5), ["give up a"]),
        (.gaveUp("a"), ["settle a timedOut, closing"]), (.returns("a", attempt: 2), ["forget a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["settle b rejected", "forget b"]),
      ])
  }

  // MARK: Spacing, beside a breaker or a budget on the same key

  @Test("A key with a spacing remembers the failures of its breaker when the spacing is over")
  func spacingAndBreaker() {
    let breaker = Plan.Breaker(failures: 2, within: .nanoseconds(100), openFor: .nanoseconds(10))
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(10)).breaker(breaker)
    var table = Table()
    #expect(table.raise(.arrive("a", plan)) == ["decide a"])
    #expect(table.raise(.handles("a")) == ["start a 1"])
    #expect(table.raise(.returns("a", attempt: 1, fails: true)) == ["settle a failed, closing", "forget a"])
    #expect(table.raise(.step) == ["nothing is due"])
    #expect(table.raise(.time(50)) == ["nothing is due"])
    #expect(table.raise(.arrive("b", plan)) == ["decide b"])
    #expect(table.raise(.handles("b")) == ["start b 1"])
    #expect(table.raise(.returns("b", attempt: 1, fails: true)) == ["settle b failed, closing", "forget b"])
    #expect(table.raise(.time(60)) == ["nothing is due"], "The breaker is open until 60, and remembered for 100 more.")
    #expect(table.scheduler.keys.count == 1)
    while table.raise(.time(160)) == [] {}
    #expect(table.scheduler.keys.count == 0 && table.scheduler.timers.count == 0)
  }

  @Test("A key remembers its spacing when the breaker has returned to its initial state")
  func breakerAndLongSpacing() {
    let breaker = Plan.Breaker(failures: 9, within: .nanoseconds(10), openFor: .nanoseconds(10))
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(100)).breaker(breaker)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "forget a"]), (.step, ["nothing is due"]),
        (.time(50), ["nothing is due"]), (.arrive("b", plan), []), (.time(99), ["nothing is due"]), (.time(100), []),
        (.time(100), []), (.step, ["decide b"]),
      ])
  }

  @Test("A key with a spacing remembers which tokens of its retry budget are missing when the spacing is over")
  func spacingAndBudget() {
    let budget = Plan.RetryBudget(capacity: 1, refill: .nanoseconds(100))
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(10)).retry(2, backoff: .none, budget: budget)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["draw a after 1"]), (.drawn("a", 0), []), (.time(0), ["start a 2"]),
        (.returns("a", attempt: 2), ["settle a finished", "forget a"]), (.step, ["nothing is due"]),
        (.time(50), ["nothing is due"]), (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.returns("b", attempt: 1, fails: true), ["settle b failed, closing", "forget b"]), (.step, ["nothing is due"]),
        (.time(99), ["nothing is due"]), (.time(100), []), (.arrive("c", plan), ["decide c"]),
        (.handles("c"), ["start c 1"]),
        (.returns("c", attempt: 1, fails: true), ["draw c after 1"]),
      ])
  }

  // MARK: A drain

  @Test("T9: a drain does not wait for a run that rests, and for one that continues")
  func restingInDrain() {
    var table = Table()
    for event in [Event.arrive("a", .serial(key: "k")), .handles("a"), .rests("a")] { _ = table.raise(event) }
    #expect(table.scheduler.isDrained == true)
    _ = table.raise(.wakes("a"))
    #expect(table.scheduler.isDrained == false)
    _ = table.raise(.drain(100))
    _ = table.raise(.step)
    #expect(table.raise(.rests("a")) == [])
    #expect(table.raise(.step) == ["drained"])
    #expect(table.scheduler.isDrained == true)
  }

  @Test("S1: a drain ends with the last action that everything that ends at once ends, waiting or running")
  func drainAndEndAll() {
    check(
      Table(slots: 1),
      [
        (.arrive("a", .serial(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .serial(key: "k")), []), (.drain(100), []), (.step, ["drained"]), (.step, ["nothing is due"]),
        (.endAll, ["settle b shutDown", "forget b", "settle a shutDown, closing"]), (.step, ["drained"]),
      ])
    var table = Table(slots: 1)
    for event in [Event.arrive("a", .serial(key: "k")), .handles("a"), .arrive("b", .serial(key: "k")), .drain(100)] {
      _ = table.raise(event)
    }
    #expect(table.scheduler.isDrained == false)
    _ = table.raise(.endAll)
    #expect(table.scheduler.isDrained == true)
  }

  // MARK: Exactly at a bound

  /// The answers to as many arrivals as a bound allows, and one more.
  private func expectBound(
    _ bound: Int, _ plan: Plan, slots: Int = 9, waiting: Int = 9, handles: Bool = true, above: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var table = Table(slots: slots, waiting: waiting)
    for number in 1...bound {
      #expect(table.raise(.arrive("\(number)", plan)) == ["decide \(number)"], sourceLocation: sourceLocation)
      if handles { #expect(table.raise(.handles("\(number)")) == ["start \(number)"], sourceLocation: sourceLocation) }
    }
    var answer = table.raise(.arrive("x", plan))
    if answer == ["decide x"] { answer = table.raise(.handles("x")) }
    #expect(answer == above, sourceLocation: sourceLocation)
  }

  @Test(
    "R4, A1: below and at each bound of overlap, limit, slots and room an action begins; above it, it does not",
    arguments: 1...3)
  func bounds(bound: Int) {
    expectBound(bound, .concurrent(max: bound, key: "k"), above: [])
    expectBound(bound, .exclusive(max: bound, key: "k"), above: ["settle x rejected", "forget x"])
    expectBound(
      bound, .latest(max: bound, key: "k"),
      above: ["settle 1 superseded, closing", "decide x"])
    expectBound(bound, .concurrent.limited(to: bound, key: "k"), above: [])
    expectBound(bound, .concurrent.timeout(.seconds(1)), slots: bound, above: [])
    expectBound(
      bound, .concurrent.timeout(.seconds(1)), slots: bound, waiting: 0, above: ["settle x rejected", "forget x"])
  }

  @Test(
    "A1: below and at the bound of the waiting room actions wait; above it the new one is rejected", arguments: 0...3)
  func room(bound: Int) {
    var table = Table(slots: 1, waiting: bound)
    #expect(table.raise(.arrive("a", .serial(key: "k"))) == ["decide a"])
    for number in 0..<bound { #expect(table.raise(.arrive("\(number)", .serial(key: "k"))) == []) }
    #expect(table.raise(.arrive("x", .serial(key: "k"))) == ["settle x rejected", "forget x"])
  }

  @Test("Attempts are as many as the plan says", arguments: 1...3)
  func attempts(bound: Int) {
    let plan = Plan.concurrent.retry(bound, backoff: .none)
    var table = Table()
    _ = table.raise(.arrive("a", plan))
    #expect(table.raise(.handles("a")) == ["start a 1"])
    for number in 1..<max(bound, 1) {
      #expect(table.raise(.returns("a", attempt: number, fails: true)) == ["draw a after \(number)"])
      #expect(table.raise(.drawn("a", 0)) == [])
      #expect(table.raise(.time(0)) == ["start a \(number + 1)"])
    }
    #expect(table.raise(.returns("a", attempt: bound, fails: true)) == ["settle a failed, closing", "forget a"])
  }

  @Test("A breaker opens with the failure that its number names, not before", arguments: 1...3)
  func failures(bound: Int) {
    let plan = Plan.concurrent.breaker(Plan.Breaker(failures: bound, openFor: .nanoseconds(10)), key: "g")
    var table = Table()
    for _ in 0..<bound {
      _ = table.raise(.arrive("a", plan))
      #expect(table.raise(.handles("a")) == ["start a 1"])
      _ = table.raise(.returns("a", attempt: 1, fails: true))
    }
    _ = table.raise(.arrive("b", plan))
    #expect(table.raise(.handles("b")) == ["settle b rejected", "forget b"])
    #expect(table.raise(.time(9)) == ["nothing is due"])
    _ = table.raise(.arrive("c", plan))
    #expect(table.raise(.handles("c")) == ["settle c rejected", "forget c"])
    #expect(table.raise(.time(10)) == ["nothing is due"])
    _ = table.raise(.arrive("d", plan))
    #expect(table.raise(.handles("d")) == ["start d 1"])
  }

  @Test("A retry budget allows as many further attempts as it has tokens", arguments: 1...3)
  func tokens(bound: Int) {
    let budget = Plan.RetryBudget(capacity: bound, refill: .seconds(1))
    let plan = Plan.concurrent(max: 9, key: "k").retry(2, backoff: .none, budget: budget)
    var table = Table(slots: 9)
    for number in 0...bound {
      _ = table.raise(.arrive("\(number)", plan))
      #expect(table.raise(.handles("\(number)")) == ["start \(number) 1"])
      let answer = table.raise(.returns("\(number)", attempt: 1, fails: true))
      #expect(answer.first == (number < bound ? "draw \(number) after 1" : "settle \(number) failed, closing"))
    }
  }

  @Test("A time of a plan is over exactly at its end, and not a nanosecond before")
  func times() {
    check(
      Table(),
      [
        (.arrive("a", .concurrent.timeout(.nanoseconds(7))), ["decide a"]), (.handles("a"), ["start a"]),
        (.time(6), ["nothing is due"]), (.time(7), ["settle a timedOut, closing"]), (.returns("a"), ["forget a"]),
        (.arrive("b", .concurrent.attemptTimeout(.nanoseconds(7))), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.time(13), ["nothing is due"]), (.time(14), ["give up b"]), (.gaveUp("b"), ["settle b timedOut, closing"]),
        (.returns("b", attempt: 1), ["forget b"]),
        (.arrive("c", .latest(key: "k").debounce(.nanoseconds(7))), []), (.time(20), ["nothing is due"]),
        (.time(21), ["decide c"]), (.finishes("c"), ["settle c finished", "forget c"]),
        (.arrive("d", .latest(key: "k").throttle(.nanoseconds(7))), ["decide d"]),
        (.finishes("d"), ["settle d finished", "forget d"]), (.time(27), ["nothing is due"]),
        (
          .arrive("e", .latest(key: "k").throttle(.nanoseconds(7), trailing: false)), ["settle e rejected", "forget e"]
        ),
        (.time(28), []), (.arrive("f", .latest(key: "k").throttle(.nanoseconds(7), trailing: false)), ["decide f"]),
      ])
  }
}
