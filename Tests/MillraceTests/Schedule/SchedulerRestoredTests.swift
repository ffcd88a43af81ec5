import Testing

@testable import Millrace

/// Tables of events and the actions that they are answered with: actions that were accepted before the store was restored.
@Suite("Scheduler, actions that are handled again", .timeLimit(.minutes(1)))
struct SchedulerRestoredTests {
  typealias Table = SchedulerTests.Table
  typealias Event = SchedulerTests.Event

  private func check(
    _ table: consuming Table, _ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    SchedulerTests().check(table, rows, sourceLocation: sourceLocation)
  }

  // MARK: Pace

  // A throttle rejected the second one, and a debounce superseded the first one.
  @Test(
    "T13: an action that is handled again is neither delayed nor dropped by its pace",
    arguments: [
      Plan.concurrent(max: 9, key: "k").debounce(.nanoseconds(10)),
      .concurrent(max: 9, key: "k").throttle(.nanoseconds(10)),
      .concurrent(max: 9, key: "k").throttle(.nanoseconds(10), leading: false),
    ])
  func pace(_ plan: Plan) {
    check(
      Table(),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arriveAgain("b", plan), ["decide b"]), (.handles("b"), ["start b"]),
        (.time(10), ["nothing is due"]),
      ])
  }

  @Test("T13: no spacing applies to actions that are handled again, and a new action keeps its distance from them")
  func spacing() {
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(10))
    check(
      Table(),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.arriveAgain("b", plan), []), (.arrive("c", plan), []),
        (.handles("a"), ["start a"]), (.returns("a"), ["settle a finished", "forget a"]),
        (.step, ["decide b"]), (.handles("b"), ["start b"]), (.returns("b"), ["settle b finished", "forget b"]),
        (.step, ["nothing is due"]), (.time(9), ["nothing is due"]), (.time(10), []), (.step, ["decide c"]),
      ])
  }

  // MARK: Timeouts

  @Test("T14: a timeout has run on since the take-up, and one that is over ends its action before that is decided")
  func timeout() {
    let plan = Plan.serial(key: "k").timeout(.nanoseconds(10))
    check(
      Table(),
      [
        (.arriveAgain("a", plan, age: 10), ["settle a timedOut", "forget a"]),
        (.arriveAgain("b", plan, age: 4), ["decide b"]), (.arriveAgain("c", plan), []), (.handles("b"), ["start b"]),
        (.time(5), ["nothing is due"]), (.time(6), ["settle b timedOut, closing"]),
        (.returns("b"), ["forget b"]), (.step, ["decide c"]), (.handles("c"), ["start c"]),
        (.time(9), ["nothing is due"]), (.time(10), ["settle c timedOut, closing"]),
      ])
  }

  // MARK: Overlap

  // `.exclusive` rejected the second one, `.latest` superseded the first one, and a second `.shared` one joined the first.
  @Test(
    "T13: actions of one key that are handled again have their turns in order, whatever the overlap",
    arguments: [
      Plan.serial(key: "k"), .latest(key: "k"), .exclusive(key: "k"), .serial(key: "k").spacing(.nanoseconds(5)),
    ])
  func turns(_ plan: Plan) {
    check(
      Table(waiting: 0),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.arriveAgain("b", plan), []), (.arriveAgain("c", plan), []),
        (.handles("a"), ["start a"]), (.returns("a"), ["settle a finished", "forget a"]),
        (.step, ["decide b"]), (.handles("b"), ["start b"]), (.end("b"), ["settle b cancelled, closing"]),
        (.step, ["nothing is due"]), (.returns("b"), ["forget b"]), (.step, ["decide c"]), (.handles("c"), ["start c"]),
      ])
  }

  @Test("T13: two actions of an overlap with a max of 2 have turns beside each other", arguments: [true, false])
  func turnsOfTwo(isLatest: Bool) {
    let plan = isLatest ? Plan.latest(max: 2, key: "k") : .exclusive(max: 2, key: "k")
    check(
      Table(waiting: 0),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.arriveAgain("b", plan), ["decide b"]), (.arriveAgain("c", plan), []),
        (.handles("a"), ["start a"]), (.handles("b"), ["start b"]),
        (.returns("b"), ["settle b finished", "forget b"]), (.step, ["decide c"]),
      ])
  }

  @Test("T13: a shared run that is handled again joins no other one, and a new action joins the newest")
  func shared() {
    let plan = Plan.shared(key: "k")
    check(
      Table(),
      [
        (.arriveAgain("a", plan), ["share a", "decide run of a"]), (.arriveAgain("b", plan), ["share b"]),
        (.arrive("c", plan), ["join c to run of b"]), (.handles("run of a"), ["start run of a"]),
        (
          .returns("run of a"),
          ["settle run of a finished", "settle a finished", "forget a", "forget run of a"]
        ),
        (.step, ["decide run of b"]),
      ])
  }

  @Test("T13, R4: new actions meet those that are handled again as they meet others")
  func newActions() {
    check(
      Table(),
      [
        (.arriveAgain("a", .exclusive(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arriveAgain("b", .exclusive(key: "k")), []),
        (.arrive("c", .exclusive(key: "k")), ["settle c rejected", "forget c"]),
        (
          .arrive("d", .latest(key: "k")),
          ["settle b superseded", "forget b", "settle a superseded, closing", "decide d"]
        ),
      ])
  }

  // MARK: Room, permits and slots

  @Test(
    "T13: an action that is handled again waits for a slot without a bound, and is not dropped for another one",
    arguments: StoreConfiguration.Overflow.allCases)
  func room(_ policy: StoreConfiguration.Overflow) {
    var table = Table(slots: 1, waiting: 1, onOverflow: policy)
    for name in ["a", "b", "c"] { #expect(table.raise(.arriveAgain(name, .concurrent)) == ["decide \(name)"]) }
    #expect(table.raise(.handles("a")) == ["start a"])
    for name in ["b", "c"] { #expect(table.raise(.handles(name)) == []) }
    let plan = Plan.concurrent(max: 9, key: "k")
    #expect(table.raise(.arrive("d", plan)) == ["decide d"])
    #expect(table.raise(.handles("d")) == [], "The room is the new actions' own.")
    #expect(table.scheduler.waitingCount == 3)
    #expect(table.raise(.arrive("e", plan)) == ["decide e"])
    let answer = table.raise(.handles("e"))
    let isDropped = policy == .dropOldest || policy == .dropNewest
    #expect(answer == (isDropped ? ["settle d rejected, closing", "forget d"] : ["settle e rejected", "forget e"]))
    #expect(table.raise(.returns("a")) == ["settle a finished", "start b", "forget a"])
    #expect(table.raise(.returns("b")) == ["settle b finished", "start c", "forget b"])
    #expect(table.raise(.endAll).first == "settle \(isDropped ? "e" : "d") shutDown, closing")
  }

  @Test("T13: an action that is handled again takes a permit of each of its limits, and waits for it")
  func permits() {
    let plan = Plan.concurrent.limited(to: 1, key: "l")
    check(
      Table(slots: 9, waiting: 0),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arriveAgain("b", plan), ["decide b"]), (.handles("b"), []),
        (.arrive("c", plan), ["decide c"]), (.handles("c"), ["settle c rejected", "forget c"]),
        (.returns("a"), ["settle a finished", "start b", "forget a"]),
      ])
  }

  @Test("T13: an open breaker does not reject an action that is handled again, and hears how it ends")
  func breaker() {
    let plan = Plan.concurrent.breaker(Plan.Breaker(failures: 1, openFor: .nanoseconds(10)), key: "g")
    check(
      Table(slots: 1),
      [
        (.arriveAgain("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.arriveAgain("b", plan), ["decide b"]), (.handles("b"), []),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "start b 1", "forget a"]),
        (.arriveAgain("c", plan), ["decide c"]), (.handles("c"), []),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["settle d rejected", "forget d"]),
      ])
  }

  @Test("S1, T13: a drain waits for actions that are handled again and wait")
  func drain() {
    var table = Table()
    #expect(table.raise(.limit(0, "k")) == [])
    #expect(table.raise(.arriveAgain("a", .serial(key: "k"))) == [])
    #expect(table.raise(.drain(100)) == [])
    #expect(table.scheduler.isDrained == false)
    #expect(table.raise(.end("a")) == ["settle a cancelled", "forget a"])
    #expect(table.scheduler.isDrained == true)
  }
}
