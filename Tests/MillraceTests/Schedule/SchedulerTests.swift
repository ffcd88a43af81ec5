import Testing

@testable import Millrace

/// Tables of events and the actions that they are answered with, in order.
@Suite("Scheduler")
struct SchedulerTests {
  // MARK: Slots and the waiting room

  @Test("R4, A1: a slot is free when the handler has returned, and goes to the first that waits")
  func slots() {
    let plan = Plan.concurrent.timeout(.seconds(1))
    check(
      Table(slots: 1),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), []),
        (.arrive("c", plan), ["decide c"]), (.handles("c"), []),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["settle d rejected", "forget d"]),
        (.end("a"), ["settle a cancelled, closing"]),
        (.returns("a"), ["start b", "forget a"]),
        (.end("c"), ["settle c cancelled, closing", "forget c"]),
        (.returns("b"), ["settle b finished", "forget b"]),
      ])
  }

  @Test("A1: where the policy drops, the oldest or the newest that waits makes room", arguments: ["oldest", "newest"])
  func dropping(which: String) {
    let dropped = which == "oldest" ? "b" : "c"
    check(
      Table(slots: 1, waiting: 2, onOverflow: which == "oldest" ? .dropOldest : .dropNewest),
      [
        (.arrive("a", .serial(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .serial(key: "k")), []), (.arrive("c", .serial(key: "k")), []),
        (.arrive("d", .serial(key: "k")), ["settle \(dropped) rejected", "forget \(dropped)"]),
      ])
  }

  // MARK: Overlap

  @Test("R4: a serial key takes up the next one in a step of its own, when the handler has returned")
  func serial() {
    check(
      Table(),
      [
        (.arrive("a", .serial(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .serial(key: "k")), []), (.arrive("c", .serial(key: "k")), []),
        (.end("a"), ["settle a cancelled, closing"]), (.step, ["nothing is due"]),
        (.returns("a"), ["forget a"]), (.step, ["decide b"]),
        (.finishes("b"), ["settle b finished", "forget b"]), (.step, ["decide c"]),
        (.rejects("c"), ["settle c rejected, closing", "forget c"]), (.step, ["nothing is due"]),
      ])
  }

  @Test("R2, R4: an action that .latest replaces ends before the new one is decided, also while its handler is out")
  func latest() {
    check(
      Table(),
      [
        (.arrive("a", .latest(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .latest(key: "k")), ["settle a superseded, closing", "decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", .latest(key: "k")), ["settle b superseded, closing", "decide c"]), (.handles("c"), []),
        (.arrive("d", .latest(key: "k")), ["settle c superseded, closing", "forget c", "decide d"]),
      ])
  }

  @Test("R4: .exclusive rejects beside one that has not ended, and lets in beside one whose handler is out")
  func exclusive() {
    check(
      Table(),
      [
        (.arrive("a", .exclusive(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .exclusive(key: "k")), ["settle b rejected", "forget b"]),
        (.end("a"), ["settle a cancelled, closing"]),
        (.arrive("c", .exclusive(key: "k")), ["decide c"]),
      ])
  }

  @Test("R4: actions that share a run have its outcome, and the run ends with the last of them")
  func shared() {
    check(
      Table(),
      [
        (.arrive("a", .shared(key: "k")), ["share a", "decide run of a"]), (.handles("run of a"), ["start run of a"]),
        (.arrive("b", .shared(key: "k")), ["join b to run of a"]),
        (.end("a"), ["settle a cancelled", "forget a"]),
        (.end("b"), ["settle run of a cancelled, closing", "settle b cancelled", "forget b"]),
        (.returns("run of a"), ["forget run of a"]),
        (.arrive("c", .shared(key: "k")), ["share c", "decide run of c"]), (.handles("run of c"), ["start run of c"]),
        (.arrive("d", .shared(key: "k")), ["join d to run of c"]),
        (
          .returns("run of c"),
          [
            "settle run of c finished", "settle c finished", "forget c", "settle d finished", "forget d",
            "forget run of c",
          ]
        ),
      ])
  }

  /// Makes four actions share a run, of which two end as `finished` in one step, and returns from its handler.
  private func rowsOfSharing() -> [(Event, [String])] {
    [
      (.arrive("a", .shared(key: "k")), ["share a", "decide run of a"]), (.handles("run of a"), ["start run of a"]),
      (.arrive("b", .shared(key: "k")), ["join b to run of a"]),
      (.arrive("c", .shared(key: "k").timeout(.nanoseconds(5))), ["join c to run of a"]),
      (.arrive("d", .shared(key: "k")), ["join d to run of a"]),
      (
        .returns("run of a"),
        ["settle run of a finished", "settle a finished", "forget a", "settle b finished", "forget b"]
      ),
    ]
  }

  @Test("R3, R4: many actions that share a run get the outcome finished in several steps; a new one begins another run")
  func sharedInSeveralSteps() {
    check(
      Table(waiting: 4, membersAStep: 2),
      rowsOfSharing() + [
        (.arrive("e", .shared(key: "k")), ["share e", "decide run of e"]), (.handles("run of e"), ["start run of e"]),
        (
          .step,
          ["settle c finished", "forget c", "settle d finished", "forget d", "forget run of a"]
        ),
        (.step, ["nothing is due"]),
        (.end("e"), ["settle run of e cancelled, closing", "settle e cancelled", "forget e"]),
        (.returns("run of e"), ["forget run of e"]),
      ])
  }

  @Test("R3: actions whose outcome is left for the next step are cancelled and time out like others")
  func endBetweenTheSteps() {
    let cancelled = ["settle c cancelled", "forget c", "settle d cancelled", "forget d"]
    for event in [Event.endKey("k"), .endAll] {
      let shutDown = cancelled.map { $0.replacing("cancelled", with: "shutDown") }
      let ends = if case .endKey = event { cancelled } else { shutDown }
      check(
        Table(waiting: 4, membersAStep: 2),
        rowsOfSharing() + [(event, ends), (.step, ["forget run of a"]), (.step, ["nothing is due"])])
    }
    check(
      Table(waiting: 4, membersAStep: 2),
      rowsOfSharing() + [
        (.end("d"), ["settle d cancelled", "forget d"]), (.time(5), ["settle c timedOut", "forget c"]),
        (.step, ["forget run of a"]), (.step, ["nothing is due"]),
      ])
  }

  @Test("A limit counts at once: none begins with 0, and those that wait are taken up when it is raised")
  func limits() {
    check(
      Table(),
      [
        (.limit(0, "k"), []), (.arrive("a", .concurrent(max: 9, key: "k")), []),
        (.arrive("b", .concurrent(max: 9, key: "k")), []), (.limit(1, "k"), []),
        (.step, ["decide a"]), (.finishes("a"), ["settle a finished", "forget a"]), (.step, ["decide b"]),
      ])
  }

  @Test("R3: the end of a key ends what waits first, and the rest in accepted order")
  func endOfAKey() {
    check(
      Table(),
      [
        (.arrive("a", .concurrent(max: 2, key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .concurrent(max: 2, key: "k")), ["decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", .concurrent(max: 2, key: "k")), []),
        (
          .endKey("k"),
          ["settle c cancelled", "forget c", "settle a cancelled, closing", "settle b cancelled, closing"]
        ),
        (.endKey("k"), []),
      ])
  }

  // MARK: Time

  @Test("A debounced action passes when no other has come for the interval")
  func debounce() {
    let plan = Plan.latest(key: "k").debounce(.nanoseconds(10))
    check(
      Table(),
      [
        (.arrive("a", plan), []), (.time(9), ["nothing is due"]),
        (.arrive("b", plan), ["settle a superseded", "forget a"]), (.time(18), ["nothing is due"]),
        (.time(19), ["decide b"]),
      ])
  }

  @Test("A throttle lets the first one pass, and the last one of each window at its end")
  func throttle() {
    let plan = Plan.latest(key: "k").throttle(.nanoseconds(10))
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.finishes("a"), ["settle a finished", "forget a"]),
        (.arrive("b", plan), []), (.arrive("c", plan), ["settle b superseded", "forget b"]),
        (.time(10), ["decide c"]), (.finishes("c"), ["settle c finished", "forget c"]), (.time(20), []),
      ])
  }

  @Test("A timeout ends an action wherever it stands, and is gone with it")
  func timeout() {
    let plan = Plan.serial(key: "k").timeout(.nanoseconds(10))
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a"]), (.arrive("b", plan), []),
        (.time(10), ["settle a timedOut, closing"]), (.time(10), ["settle b timedOut", "forget b"]),
        (.time(99), ["nothing is due"]), (.returns("a"), ["forget a"]),
      ])
  }

  @Test("An attempt that fails or takes too long is followed by the next one after its rest, as often as the plan says")
  func attempts() {
    let plan = Plan.concurrent.attemptTimeout(.nanoseconds(10)).retry(3, backoff: .none)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["draw a after 1"]), (.drawn("a", 5), []), (.time(5), ["start a 2"]),
        (.time(15), ["give up a"]), (.gaveUp("a"), ["draw a after 2"]), (.drawn("a", 0), []),
        (.time(15), ["start a 3"]), (.returns("a", attempt: 2), []),
        (.returns("a", attempt: 3, fails: true), ["settle a failed, closing", "forget a"]),
      ])
  }

  @Test("An error may say that no other attempt follows, or how long the run rests at least before it")
  func advice() {
    let plan = Plan.concurrent.retry(3, backoff: .none)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true, .after(.seconds(7))), ["draw a after 1, 7.0 seconds at least"]),
        (.drawn("a", 5), []), (.time(5), ["start a 2"]),
        (.returns("a", attempt: 2, fails: true, .never), ["settle a failed, closing", "forget a"]),
        // Without a retry there is nothing that an error could say.
        (.arrive("b", .concurrent.attemptTimeout(.seconds(1))), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.returns("b", attempt: 1, fails: true, .after(.zero)), ["settle b failed, closing", "forget b"]),
      ])
  }

  @Test("There is no other attempt once the first has committed, unless the plan says so")
  func attemptsAfterCommits() {
    let plan = Plan.concurrent.retry(3, backoff: .none)
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true, hasCommitted: true), ["settle a failed, closing", "forget a"]),
      ])
  }

  /// A plan whose breaker opens at the first failure.
  static let guarded = Plan.concurrent.breaker(
    Plan.Breaker(failures: 1, within: .nanoseconds(100), openFor: .nanoseconds(10)), key: "k")

  @Test("R2: an open breaker refuses what is to be handled, passes what is decided, and later lets one probe in")
  func breaker() {
    let plan = SchedulerTests.guarded
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "forget a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["settle b rejected", "forget b"]),
        (.arrive("c", plan), ["decide c"]), (.finishes("c"), ["settle c finished", "forget c"]),
        (.time(10), ["nothing is due"]),
        (.arrive("d", plan), ["decide d"]), (.finishes("d"), ["settle d finished", "forget d"]),
        (.arrive("e", plan), ["decide e"]), (.handles("e"), ["start e 1"]),
        (.arrive("f", plan), ["decide f"]), (.handles("f"), ["settle f rejected", "forget f"]),
      ])
  }

  @Test(
    "R2: actions that waited for a slot while their breaker opened are closed, each in a step; a probe is not asked again"
  )
  func breakerAfterAWait() {
    let plan = SchedulerTests.guarded
    check(
      Table(slots: 1, waiting: 9),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), []), (.arrive("c", plan), ["decide c"]),
        (.handles("c"), []), (.arrive("d", .concurrent.timeout(.seconds(1))), ["decide d"]), (.handles("d"), []),
        (
          .returns("a", attempt: 1, fails: true),
          ["settle a failed, closing", "settle b rejected, closing", "forget b", "forget a"]
        ),
        // It waits behind them, although the slot is free.
        (.arrive("e", .concurrent.timeout(.seconds(1))), ["decide e"]), (.handles("e"), []),
        (.step, ["settle c rejected, closing", "forget c"]), (.step, ["start d"]), (.time(10), ["nothing is due"]),
        (.arrive("f", plan), ["decide f"]), (.handles("f"), []),
        (.returns("d"), ["settle d finished", "start e", "forget d"]),
        (.returns("e"), ["settle e finished", "start f 1", "forget e"]),
      ])
  }

  @Test("R2: a full room is asked before the breaker, so that no probe is refused")
  func roomBeforeBreaker() {
    let plan = SchedulerTests.guarded
    check(
      Table(slots: 1, waiting: 0),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["settle a failed, closing", "forget a"]),
        (.arrive("b", .concurrent.timeout(.seconds(1))), ["decide b"]), (.handles("b"), ["start b"]),
        (.time(10), ["nothing is due"]),
        (.arrive("c", plan), ["decide c"]), (.handles("c"), ["settle c rejected", "forget c"]),
        (.returns("b"), ["settle b finished", "forget b"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d 1"]),
      ])
  }

  @Test("A run whose breaker opens while it rests ends with the error it has, and is no probe")
  func breakerAfterARest() {
    let breaker = Plan.Breaker(failures: 2, within: .nanoseconds(100), openFor: .nanoseconds(10))
    let plan = Plan.concurrent.breaker(breaker, key: "k")
    let patient = plan.attemptTimeout(.nanoseconds(5)).retry(3, backoff: .none)
    check(
      Table(),
      [
        (.arrive("a", patient), ["decide a"]), (.handles("a"), ["start a 1"]),
        (.returns("a", attempt: 1, fails: true), ["draw a after 1"]), (.drawn("a", 50), []),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.returns("b", attempt: 1, fails: true), ["settle b failed, closing", "forget b"]),
        (.time(50), ["settle a failed, closing", "forget a"]),
      ])
    check(
      Table(),
      [
        (.arrive("a", patient), ["decide a"]), (.handles("a"), ["start a 1"]), (.time(5), ["give up a"]),
        (.gaveUp("a"), ["draw a after 1"]), (.drawn("a", 50), []),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b 1"]),
        (.returns("b", attempt: 1, fails: true), ["settle b failed, closing", "forget b"]),
        (.time(55), ["settle a timedOut, closing"]), (.returns("a", attempt: 1), ["forget a"]),
      ])
  }

  // MARK: The end

  @Test(
    "S1: a drain lets delayed actions continue in accepted order, each in a step of its own, and checks whether all is over"
  )
  func drain() {
    let plan = Plan.latest(key: "k").debounce(.seconds(1))
    check(
      Table(),
      [
        (.arrive("a", plan), []), (.arrive("b", Plan.latest(key: "l").debounce(.seconds(1))), []), (.drain(50), []),
        (.step, ["decide a"]), (.finishes("a"), ["settle a finished", "forget a"]),
        (.step, ["decide b"]), (.handles("b"), ["start b"]), (.step, ["drained"]), (.time(50), ["drainEnd"]),
        (.endAll, ["settle b shutDown, closing"]),
      ])
  }
}
