import MillraceTesting
import Testing

@testable import Millrace

/// Tables of events and the actions that they are answered with: overlaps with a `max`, and spacing.
@Suite("Scheduler, keys", .timeLimit(.minutes(1)))
struct SchedulerKeysTests {
  typealias Table = SchedulerTests.Table
  typealias Event = SchedulerTests.Event

  private func check(
    _ table: consuming Table, _ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    SchedulerTests().check(table, rows, sourceLocation: sourceLocation)
  }

  // MARK: More than one

  @Test("R4: .latest(max: 2) ends the first of a key, so that the newest two continue")
  func latest() {
    let plan = Plan.latest(max: 2, key: "k")
    check(
      Table(slots: 9),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", plan), ["settle a superseded, closing", "decide c"]), (.handles("c"), ["start c"]),
        (.returns("c"), ["settle c finished", "forget c"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d"]),
        // The newest plan decides.
        (
          .arrive("e", .latest(key: "k")),
          ["settle b superseded, closing", "settle d superseded, closing", "decide e"]
        ),
      ])
  }

  @Test("R4: .latest(max: 2) ends what came first, also of those that wait, and what is delayed last")
  func latestAmongOthers() {
    check(
      Table(slots: 9, waiting: 9),
      [
        (.arrive("a", .serial(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .serial(key: "k")), []), (.arrive("c", .latest(key: "k").debounce(.nanoseconds(9))), []),
        (
          .arrive("d", .latest(max: 2, key: "k")),
          ["settle a superseded, closing", "settle b superseded", "forget b", "decide d"]
        ),
        (.time(9), ["settle d superseded", "forget d", "decide c"]),
      ])
  }

  @Test("R4: .exclusive(max: 2) rejects beside two that have not ended")
  func exclusive() {
    let plan = Plan.exclusive(max: 2, key: "k")
    check(
      Table(slots: 9),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan), ["decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", plan), ["settle c rejected", "forget c"]),
        (.end("a"), ["settle a cancelled, closing"]),
        (.arrive("d", plan), ["decide d"]), (.handles("d"), ["start d"]),
        (.arrive("e", plan), ["settle e rejected", "forget e"]),
      ])
  }

  // MARK: Spacing

  @Test("R4: turns of a key with a spacing begin so far apart, in accepted order, and nothing is dropped")
  func spacing() {
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(10))
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.finishes("a"), ["settle a finished", "forget a"]),
        (.arrive("b", plan), []), (.arrive("c", plan), []), (.time(9), ["nothing is due"]),
        // The key would have been forgotten then.
        (.time(10), []), (.time(10), []), (.step, ["decide b"]), (.handles("b"), ["start b"]),
        (.step, ["nothing is due"]), (.time(25), ["nothing is due"]),
        // A turn that lasts longer than the spacing is waited for as ever.
        (.returns("b"), ["settle b finished", "forget b"]), (.step, ["decide c"]),
        (.finishes("c"), ["settle c finished", "forget c"]), (.step, ["nothing is due"]),
        (.time(34), ["nothing is due"]), (.arrive("d", plan), []), (.time(35), []), (.time(35), []),
        (.step, ["decide d"]), (.finishes("d"), ["settle d finished", "forget d"]), (.step, ["nothing is due"]),
        (.time(44), ["nothing is due"]), (.time(45), []), (.time(99), ["nothing is due"]),
      ])
  }

  @Test("Spacing holds between turns that last at once too, and the newest plan's spacing decides")
  func spacingOfSeveral() {
    func plan(_ spacing: Int) -> Plan { .concurrent(max: 2, key: "k").spacing(.nanoseconds(spacing)) }
    check(
      Table(waiting: 9),
      [
        (.arrive("a", plan(50)), ["decide a"]), (.handles("a"), ["start a"]), (.arrive("b", plan(50)), []),
        (.arrive("c", plan(5)), []), (.time(4), ["nothing is due"]), (.time(5), []), (.step, ["decide b"]),
        (.handles("b"), ["start b"]), (.step, ["nothing is due"]), (.time(10), ["nothing is due"]),
        (.returns("a"), ["settle a finished", "forget a"]), (.step, ["decide c"]),
      ])
  }

  @Test("R5: spacing leaves neither a key nor a timer behind, at its end and when the store closes")
  func spacingIsForgotten() {
    var table = Table()
    let plan = Plan.serial(key: "k").spacing(.nanoseconds(10))
    for name in ["a", "b"] { _ = table.raise(.arrive(name, plan)) }
    #expect(table.raise(.finishes("a")) == ["settle a finished", "forget a"])
    #expect(table.raise(.step) == ["nothing is due"])
    #expect(table.raise(.end("b")) == ["settle b cancelled", "forget b"])
    #expect(table.scheduler.keys.count == 1)
    while table.raise(.time(10)) == [] {}
    #expect(table.scheduler.keys.count == 0)
    #expect(table.scheduler.timers.count == 0)
    for name in ["a", "b"] { _ = table.raise(.arrive(name, plan)) }
    #expect(table.raise(.finishes("a")) == ["settle a finished", "forget a"])
    #expect(table.raise(.endAll) == ["settle b shutDown", "forget b"])
    table.scheduler.handle(.close, at: 10)
    #expect(table.scheduler.keys.count == 0)
    #expect(table.scheduler.timers.count == 0)
  }

  @Test("R4: a gateway that takes one request in ten seconds gets them ten seconds apart, in a store")
  func spacingInAStore() async {
    let clock = TestClock()
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
    let plan = Plan.serial(key: "gateway").spacing(.seconds(10))
    let receipts = (1...3).map { number in
      store.send(ScriptedInteractor.Action.handle { $0.emit(ScriptedInteractor.Mutation("\(number)")) }.planned(plan))
    }
    #expect(await receipts[0].outcome.kind == .finished)
    await store.pass(.seconds(10) - .nanoseconds(1), on: clock)
    #expect(await store.log == ["1"])
    await store.pass(.nanoseconds(1), on: clock)
    #expect(await receipts[1].outcome.kind == .finished)
    await store.pass(.seconds(10), on: clock)
    #expect(await receipts[2].outcome.kind == .finished)
    #expect(await store.log == ["1", "2", "3"])
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 0)
  }
}
