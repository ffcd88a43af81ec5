import Testing

@testable import Millrace

/// Tables of events and the actions that they are answered with: permits of limits, slots and the lines that wait for them.
@Suite("Scheduler, limits")
struct SchedulerLimitsTests {
  typealias Table = SchedulerTests.Table
  typealias Event = SchedulerTests.Event

  private func check(
    _ table: consuming Table, _ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    SchedulerTests().check(table, rows, sourceLocation: sourceLocation)
  }

  @Test(
    "R4: an action without a permit waits taken up, delays no other, and has the permit when that handler has returned")
  func aLimit() {
    let limited = Plan.concurrent.limited(to: 1, key: "t")
    check(
      Table(slots: 3),
      [
        (.arrive("a", limited), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", limited), ["decide b"]), (.handles("b"), []),
        // It asks for no handler, and needs no permit.
        (.arrive("c", limited), ["decide c"]), (.finishes("c"), ["settle c finished", "forget c"]),
        (.arrive("d", .serial(key: "k")), ["decide d"]), (.handles("d"), ["start d"]),
        (.end("a"), ["settle a cancelled, closing"]),
        (.returns("a"), ["start b", "forget a"]),
        (.arrive("e", limited), ["decide e"]), (.handles("e"), []),
        (.end("e"), ["settle e cancelled, closing", "forget e"]),
        (.returns("b"), ["settle b finished", "forget b"]),
      ])
  }

  @Test(
    "R4: the turn of the overlap's key comes before the decision, in accepted order; permits and slot come after it")
  func turnsAndPermits() {
    func plan(_ key: String) -> Plan { .serial(key: key).limited(to: 1, key: "t") }
    check(
      Table(slots: 3, waiting: 9),
      [
        (.arrive("a", plan("k")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan("k")), []), (.arrive("c", plan("l")), ["decide c"]), (.handles("c"), []),
        (.arrive("d", plan("l")), []),
        (.returns("a"), ["settle a finished", "start c", "forget a"]),
        (.step, ["decide b"]), (.handles("b"), []),
        (.returns("c"), ["settle c finished", "start b", "forget c"]), (.step, ["decide d"]),
        (.finishes("d"), ["settle d finished", "forget d"]),
      ])
  }

  @Test("R4: an action with two limits gets both permits and the slot at once, and keeps none while it waits")
  func severalLimits() {
    let both = Plan.concurrent.limited(to: 1, key: "t").limited(to: 1, key: "u")
    check(
      Table(slots: 3, waiting: 9),
      [
        (.arrive("a", .concurrent.limited(to: 1, key: "u")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", both), ["decide b"]), (.handles("b"), []),
        // It takes the permit that the one before has not kept.
        (.arrive("c", .concurrent.limited(to: 1, key: "t")), ["decide c"]), (.handles("c"), ["start c"]),
        (.arrive("d", .concurrent.limited(to: 1, key: "t")), ["decide d"]), (.handles("d"), []),
        (.returns("a"), ["settle a finished", "forget a"]),
        (.arrive("e", .concurrent.limited(to: 1, key: "u")), ["decide e"]), (.handles("e"), ["start e"]),
        (.returns("c"), ["settle c finished", "start d", "forget c"]),
        (.returns("e"), ["settle e finished", "forget e"]),
        (.returns("d"), ["settle d finished", "start b", "forget d"]),
      ])
  }

  @Test("R4: a handler that .latest replaced keeps its permit until it returns, and its successor waits for that")
  func latestWithALimit() {
    let plan = Plan.latest(key: "k").limited(to: 1, key: "t")
    check(
      Table(),
      [
        (.arrive("a", plan), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", plan), ["settle a superseded, closing", "decide b"]), (.handles("b"), []),
        (.arrive("c", plan), ["settle b superseded, closing", "forget b", "decide c"]), (.handles("c"), []),
        (.returns("a"), ["start c", "forget a"]),
      ])
  }

  @Test("R4: a shared run has the permits of its first plan, and all attempts keep them")
  func sharedAndRetried() {
    let limited = Plan.concurrent.limited(to: 1, key: "t")
    check(
      Table(slots: 3, waiting: 9),
      [
        (
          .arrive("a", Plan.shared(key: "k").retry(2, backoff: .none).limited(to: 1, key: "t")),
          [
            "share a", "decide run of a",
          ]
        ), (.handles("run of a"), ["start run of a 1"]),
        (.arrive("b", Plan.shared(key: "k").limited(to: 9, key: "u")), ["join b to run of a"]),
        (.arrive("c", limited), ["decide c"]), (.handles("c"), []),
        (.returns("run of a", attempt: 1, fails: true), ["draw run of a after 1"]), (.drawn("run of a", 5), []),
        (.time(5), ["start run of a 2"]), (.end("a"), ["settle a cancelled", "forget a"]),
        (.end("b"), ["settle run of a cancelled, closing", "settle b cancelled", "forget b"]),
        (.returns("run of a", attempt: 2), ["start c", "forget run of a"]),
      ])
  }

  @Test("A1: an action that would have to wait for a permit needs room, although a slot is free")
  func roomForAPermit() {
    let limited = Plan.concurrent.limited(to: 1, key: "t")
    check(
      Table(slots: 9, waiting: 1),
      [
        (.arrive("a", limited), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", limited), ["decide b"]), (.handles("b"), []),
        (.arrive("c", limited), ["decide c"]), (.handles("c"), ["settle c rejected", "forget c"]),
        (.arrive("d", .concurrent.limited(to: 1, key: "u")), ["decide d"]), (.handles("d"), ["start d"]),
      ])
    check(
      Table(slots: 9, waiting: 1, onOverflow: .dropOldest),
      [
        (.arrive("a", limited), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", limited), ["decide b"]), (.handles("b"), []),
        (.arrive("c", limited), ["decide c"]), (.handles("c"), ["settle b rejected, closing", "forget b"]),
        (.returns("a"), ["settle a finished", "start c", "forget a"]),
      ])
  }

  @Test("setLimit applies to permits at once, and the newest plan's maximum when its action asks for `handle`")
  func newMaxima() {
    func limited(_ maximum: Int) -> Plan { .concurrent.limited(to: maximum, key: "t") }
    check(
      Table(slots: 9, waiting: 9),
      [
        (.limit(0, "t"), []), (.arrive("a", limited(9)), ["decide a"]), (.handles("a"), []),
        (.arrive("b", limited(9)), ["decide b"]), (.handles("b"), []), (.limit(1, "t"), ["start a"]),
        (.limit(nil, "t"), ["start b"]), (.arrive("c", limited(2)), ["decide c"]), (.handles("c"), []),
        (.arrive("d", limited(4)), ["decide d"]), (.handles("d"), []), (.step, ["start c", "start d"]),
      ])
  }

  @Test("Turns and permits of one key are counted apart, so that two actions never wait for each other")
  func turnsAndPermitsOfOneKey() {
    check(
      Table(slots: 9, waiting: 9),
      [
        (.arrive("a", .serial(key: "k").limited(to: 1, key: "l")), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", .serial(key: "l").limited(to: 1, key: "k")), ["decide b"]), (.handles("b"), ["start b"]),
      ])
  }

  @Test("R4: with 1,000 queued of one tenant and one each of nine others, each of the nine starts within one round")
  func roundRobin() {
    var table = Table(slots: 1, waiting: 2_000)
    let big = (0...1_000).map { ("big \($0)", Plan.concurrent.limited(to: 8, key: 0)) }
    let small = (1...9).map { ("small \($0)", Plan.concurrent.limited(to: 8, key: $0)) }
    // Those without limits are one key.
    let none = (1...2).map { ("none \($0)", Plan.concurrent.timeout(.seconds(1))) }
    for (name, plan) in big + small + none {
      _ = table.raise(.arrive(name, plan))
      _ = table.raise(.handles(name))
    }
    var started = ["big 0"]
    for _ in 1...14 {
      let start = table.raise(.returns(started[started.count - 1])).first { $0.hasPrefix("start ") }
      started.append(String((start ?? "start nothing").dropFirst(6)))
    }
    let round = small.map(\.0) + ["none 1"]
    #expect(started == ["big 0", "big 1"] + round + ["big 2", "none 2", "big 3"])
  }

  @Test("A1: with a room full of one tenant's actions, one each of nine others gets in and begins within one round")
  func fairRoom() {
    func plan(_ tenant: Int) -> Plan { .concurrent.limited(to: 1, key: tenant) }
    var table = Table(slots: 1, waiting: 1_000, onOverflow: .dropNewestOfFullestKey)
    for number in 0...1_000 {
      _ = table.raise(.arrive("first \(number)", plan(0)))
      _ = table.raise(.handles("first \(number)"))
    }
    for tenant in 1...9 {
      #expect(table.raise(.arrive("\(tenant)", plan(tenant))) == ["decide \(tenant)"])
      let dropped = "first \(1_001 - tenant)"
      #expect(table.raise(.handles("\(tenant)")) == ["settle \(dropped) rejected, closing", "forget \(dropped)"])
    }
    #expect(table.raise(.arrive("late", plan(0))) == ["decide late"])
    #expect(table.raise(.handles("late")) == ["settle late rejected", "forget late"])
    var running = "first 0"
    var begun: [String] = []
    for _ in 1...10 {
      let words = table.raise(.returns(running))
      running = words.first { $0.hasPrefix("start ") }.map { String($0.dropFirst(6)) } ?? running
      begun.append(running)
    }
    #expect(Set(begun) == Set((1...9).map(String.init) + ["first 1"]))
  }

  @Test("A1: the action dropped is the newest of the fullest key, by the first limit, wherever it waits")
  func fullestKey() {
    let tenant = Plan.serial(key: "k").limited(to: 9, key: "t").limited(to: 9, key: "u")
    check(
      Table(slots: 9, waiting: 3, onOverflow: .dropNewestOfFullestKey),
      [
        (.arrive("a", tenant), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", tenant), []), (.arrive("c", tenant), []),
        (.arrive("d", .serial(key: "k").debounce(.seconds(1))), []),
        // Without a limit it is of the key of "d", which has 2 actions with it, and the tenant no more.
        (.arrive("e", .serial(key: "k")), ["settle e rejected", "forget e"]),
        // The first of a key of its own.
        (.arrive("f", .serial(key: "k").limited(to: 9, key: "u")), ["settle c rejected", "forget c"]),
        // All keys have 1 action now.
        (.arrive("g", .serial(key: "k").limited(to: 9, key: "v")), ["settle g rejected", "forget g"]),
        (.end("b"), ["settle b cancelled", "forget b"]),
        (.arrive("h", .serial(key: "k").limited(to: 9, key: "u")), []),
        (.arrive("i", .serial(key: "k").limited(to: 9, key: "v")), ["settle h rejected", "forget h"]),
      ])
  }

  @Test("R4: a line whose key has no permit is passed over, and gets its turn when it has one")
  func roundRobinWithoutPermits() {
    func limited(_ key: Int) -> Plan { .concurrent.limited(to: 1, key: key) }
    check(
      Table(slots: 2, waiting: 9),
      [
        (.arrive("a", limited(1)), ["decide a"]), (.handles("a"), ["start a"]),
        (.arrive("b", limited(2)), ["decide b"]), (.handles("b"), ["start b"]),
        (.arrive("c", limited(1)), ["decide c"]), (.handles("c"), []),
        (.arrive("d", limited(3)), ["decide d"]), (.handles("d"), []),
        (.arrive("e", limited(3)), ["decide e"]), (.handles("e"), []),
        (.returns("b"), ["settle b finished", "start d", "forget b"]),
        (.returns("a"), ["settle a finished", "start c", "forget a"]),
        (.returns("d"), ["settle d finished", "start e", "forget d"]),
      ])
  }

  @Test("R5: keys of limits are forgotten with the last action that needs them, also while all slots are taken")
  func forgottenKeys() {
    var table = Table(slots: 1, waiting: 9)
    _ = table.raise(.arrive("a", .concurrent.limited(to: 1, key: 0)))
    #expect(table.raise(.handles("a")) == ["start a"])
    for key in 1...3 {
      _ = table.raise(.arrive("b", .concurrent.limited(to: 1, key: key)))
      #expect(table.raise(.handles("b")) == [])
      #expect(table.scheduler.keys.count == 2)
      #expect(table.raise(.end("b")) == ["settle b cancelled, closing", "forget b"])
    }
    _ = table.raise(.arrive("c", .serial(key: 0).limited(to: 1, key: 9)))
    #expect(table.raise(.rejects("c")) == ["settle c rejected, closing", "forget c"])
    #expect(table.scheduler.keys.count == 1)
    #expect(table.raise(.returns("a")) == ["settle a finished", "forget a"])
    #expect(table.scheduler.keys.count == 0)
    #expect(table.scheduler.ring.count == 0)
  }
}
