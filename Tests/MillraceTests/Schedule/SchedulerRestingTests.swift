import Testing

@testable import Millrace

/// Runs that rest, told to a scheduler by hand.
extension SchedulerTests {
  private var limited: Plan { .serial(key: "k").limited(to: 1, key: "gateway") }

  @Test("T12: a run that rests gives slot and permits to the first action that waits, and takes them again behind it")
  func restingGivesSlot() {
    check(
      Table(slots: 1),
      [
        (.arrive("a", limited), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .concurrent(max: 9, key: "b").limited(to: 1, key: "gateway")), ["decide b"]), (.handles("b"), []),
        (.rests("a"), ["start b"]), (.wakes("a"), []),
        (.arrive("c", .serial(key: "c").limited(to: 1, key: "gateway")), ["decide c"]), (.handles("c"), []),
        (.returns("b"), ["settle b finished", "resume a", "forget b"]),
        (.returns("a"), ["settle a finished", "start c", "forget a"]),
      ])
  }

  @Test("T12: a run that rests keeps the turn of its key")
  func restingKeepsTurn() {
    check(
      Table(slots: 4),
      [
        (.arrive("a", .serial(key: "k")), ["decide a"]), (.handles("a"), ["start a"]), (.rests("a"), []),
        (.arrive("b", .serial(key: "k")), []), (.step, ["nothing is due"]),
        (.arrive("c", .exclusive(key: "e")), ["decide c"]), (.handles("c"), ["start c"]), (.rests("c"), []),
        (.arrive("d", .exclusive(key: "e")), ["settle d rejected", "forget d"]),
        (.arrive("e", .latest(key: "l")), ["decide e"]), (.handles("e"), ["start e"]), (.rests("e"), []),
        (.arrive("f", .latest(key: "l")), ["settle e superseded, closing", "decide f"]),
      ])
  }

  @Test("T12: beyond the number of runs that may rest, a run that rests keeps its slot")
  func restingIsBounded() {
    check(
      Table(slots: 2, resting: 1),
      [
        (.arrive("a", .serial(key: "a")), ["decide a"]), (.handles("a"), ["start a"]), (.rests("a"), []),
        (.arrive("b", .serial(key: "b")), ["decide b"]), (.handles("b"), ["start b"]), (.rests("b"), []),
        (.arrive("c", .serial(key: "c")), ["decide c"]), (.handles("c"), ["start c"]),
        (.arrive("d", .serial(key: "d")), ["decide d"]), (.handles("d"), []), (.wakes("b"), []), (.rests("b"), []),
        (.end("a"), ["settle a cancelled, closing"]), (.returns("a"), ["forget a"]),
        (.wakes("b"), []), (.rests("b"), ["start d"]),
      ])
  }

  @Test("T12: a run that ends while it rests, or waits for its slot, returns no slot that it does not have")
  func restingEnds() {
    var table = Table(slots: 1)
    let rows: [(Event, [String])] = [
      (.arrive("a", limited), ["decide a"]), (.handles("a"), ["start a"]), (.rests("a"), []),
      (.arrive("b", .serial(key: "b").limited(to: 1, key: "gateway")), ["decide b"]), (.handles("b"), ["start b"]),
      (.wakes("a"), []), (.end("a"), ["settle a cancelled, closing"]), (.returns("a"), ["forget a"]),
      (.arrive("c", .serial(key: "c")), ["decide c"]), (.handles("c"), []),
      (.returns("b"), ["settle b finished", "start c", "forget b"]), (.rests("c"), []),
      (.returns("c"), ["settle c finished", "forget c"]),
    ]
    for (event, answer) in rows { #expect(table.raise(event) == answer, "\(event)") }
    #expect(table.scheduler.freeSlots == 1)
    #expect(table.scheduler.withoutSlot == 0)
  }

  @Test("T12: a run whose attempt is over while it has no slot begins the next one once it has one again")
  func restingBetweenAttempts() {
    check(
      Table(slots: 1),
      [
        (.arrive("a", Plan.serial(key: "k").attemptTimeout(.nanoseconds(10)).retry(3, backoff: .none)), ["decide a"]),
        (.handles("a"), ["start a 1"]), (.rests("a"), []),
        (.arrive("b", .serial(key: "b")), ["decide b"]), (.handles("b"), ["start b"]), (.time(10), ["give up a"]),
        (.gaveUp("a"), ["draw a after 1"]), (.drawn("a", 0), []), (.time(10), []),
        (.wakes("a"), []), (.returns("b"), ["settle b finished", "start a 2", "forget b"]),
        (.rests("a"), []), (.wakes("a"), ["resume a"]),
      ])
  }

  @Test("T12: a breaker that opened while runs had no slot ends each before its next attempt, in a step of its own")
  func restingAndBreaker() {
    let breaker = Plan.Breaker(failures: 1, within: .seconds(1), openFor: .seconds(1))
    let guarded = Plan.concurrent(max: 9, key: "k").breaker(breaker, key: "gateway")
    let repeated = guarded.attemptTimeout(.nanoseconds(10)).retry(3, backoff: .none)
    check(
      Table(slots: 1),
      [
        (.arrive("a", repeated), ["decide a"]), (.handles("a"), ["start a 1"]), (.rests("a"), []),
        (.arrive("b", repeated), ["decide b"]), (.handles("b"), ["start b 1"]), (.rests("b"), []),
        (.arrive("c", guarded), ["decide c"]), (.handles("c"), ["start c 1"]),
        (.returns("a", attempt: 1, fails: true, counts: false), ["draw a after 1"]), (.drawn("a", 0), []),
        (.time(0), []),
        (.returns("b", attempt: 1, fails: true, counts: false), ["draw b after 1"]), (.drawn("b", 0), []),
        (.time(0), []),
        (
          .returns("c", attempt: 1, fails: true),
          ["settle c failed, closing", "settle a failed, closing", "forget a", "forget c"]
        ),
        (.step, ["settle b failed, closing", "forget b"]),
      ])
  }

  @Test("A request that waits for a permit waits for the runs that have one, and for none that has given it back")
  func ownersOfPermits() {
    var table = Table(slots: 9, waiting: 9)
    for name in ["a", "b", "c"] {
      _ = table.raise(.arrive(name, .serial(key: name).limited(to: 1, key: "gateway")))
      _ = table.raise(.handles(name))
      if name == "a" { _ = table.raise(.rests(name)) }
    }
    func owners(of name: String) -> [Scheduler.Handle] {
      guard let handle = table.handles[name], case .ends(let owners) = table.scheduler.wait(of: handle) else {
        return []
      }
      return owners
    }
    #expect(owners(of: "c") == [table.handles["b"]])
    _ = table.raise(.wakes("a"))
    #expect(owners(of: "a") == [table.handles["b"]])
  }

  // Their handlers were counted nowhere, so that there was no bound for those that ignore their cancellation.
  @Test("T12: a run that has ended while it rested counts among those that rest until its handler has returned")
  func endedWhileResting() {
    check(
      Table(slots: 1, waiting: 3, resting: 1),
      [
        (.arrive("a", .serial(key: "a")), ["decide a"]), (.handles("a"), ["start a"]), (.rests("a"), []),
        (.end("a"), ["settle a cancelled, closing"]),
        (.arrive("b", .serial(key: "b")), ["decide b"]), (.handles("b"), ["start b"]), (.rests("b"), []),
        (.arrive("c", .serial(key: "c")), ["decide c"]), (.handles("c"), []),
        (.returns("a"), ["forget a"]), (.wakes("b"), []), (.rests("b"), ["start c"]),
      ])
  }

  // The end of the first gave its slot to the second, which began another attempt, or ended as its last attempt had.
  @Test(
    "S1: everything that ends at once has the one outcome, also a run that waits for a slot for its next attempt",
    arguments: [true, false], [true, false])
  func endAllWithoutSlot(ofKey: Bool, isFirstInLine: Bool) {
    let plan = Plan.concurrent(max: 9, key: "k").attemptTimeout(.nanoseconds(10)).retry(
      3, backoff: .constant(.nanoseconds(5)))
    var table = Table(slots: 1)
    var events: [Event] = [.arrive("a", plan), .handles("a"), .rests("a"), .arrive("b", plan), .handles("b")]
    // The run that waits is ended before or after the one that has the slot.
    if !isFirstInLine { events += [.rests("b"), .wakes("a")] }
    let (waits, hasSlot) = isFirstInLine ? ("a", "b") : ("b", "a")
    events += [
      .returns(waits, attempt: 1, fails: true), .drawn(waits, 0), .time(0), .returns(hasSlot, attempt: 1, fails: true),
      .drawn(hasSlot, 5),
    ]
    for event in events { _ = table.raise(event) }
    let answer = table.raise(ofKey ? .endKey("k") : .endAll)
    let outcome = ofKey ? "cancelled" : "shutDown"
    #expect(answer.filter { $0.hasPrefix("settle") }.sorted() == ["a", "b"].map { "settle \($0) \(outcome), closing" })
    #expect(!answer.contains { $0.hasPrefix("start") })
  }

  @Test("A request does not wait for a run that may give its permit back before it ends")
  func ownersThatMayRest() {
    var table = Table(slots: 9, waiting: 9)
    for name in ["b", "c"] {
      _ = table.raise(.arrive(name, .serial(key: name).limited(to: 1, key: "gateway").recovery(.handleAgain)))
      _ = table.raise(.handles(name))
    }
    guard let handle = table.handles["c"], case .other = table.scheduler.wait(of: handle) else {
      Issue.record("it waits for the run to end")
      return
    }
  }
}
