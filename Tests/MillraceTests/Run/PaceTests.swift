import MillraceTesting
import Testing

@testable import Millrace

@Suite("Debounce", .timeLimit(.minutes(1)))
struct DebounceTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let plan = Plan.latest(key: "k").debounce(.seconds(10))

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  func send(_ name: String, _ plan: Plan? = nil) -> Receipt {
    store.send(
      ScriptedInteractor.Action.commit(ScriptedInteractor.Mutation(name)).closed(as: name).planned(plan ?? self.plan))
  }

  @Test("An action waits for the interval, undecided, and passes when it is over")
  func anActionWaits() async {
    let receipt = send("a")
    await store.pass(.seconds(10) - .nanoseconds(1), on: clock)
    #expect(await store.log == [])
    #expect(await store.metrics.waiting == 1)
    await store.pass(.nanoseconds(1), on: clock)
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["a"])
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test("R4: a replaced action is superseded at once, unclosed, and the interval begins anew with each")
  func theIntervalBeginsAnew() async {
    var receipts: [Receipt] = []
    for name in ["a", "b", "c", "d"] {
      receipts.append(send(name))
      #expect(await receipts.dropLast().last?.outcome.kind ?? .superseded == .superseded)
      await store.pass(.seconds(9), on: clock)
      #expect(await store.log == [])
    }
    await store.pass(.seconds(1), on: clock)
    #expect(await kinds(receipts) == [.superseded, .superseded, .superseded, .finished])
    #expect(await receipts[0].firstCommit == nil)
    #expect(await store.log == ["d"])
  }

  @Test("The interval is that of the newest one")
  func theNewestInterval() async {
    let first = send("a")
    let second = send("b", .latest(key: "k").debounce(.seconds(2)))
    await store.pass(.seconds(2), on: clock)
    #expect(await kinds([first, second]) == [.superseded, .finished])
    await store.pass(.seconds(8), on: clock)
    #expect(await store.log == ["b"])
  }

  @Test("Two keys do not disturb each other")
  func twoKeys() async {
    let first = send("a")
    await store.pass(.seconds(5), on: clock)
    let other = send("b", .latest(key: "other").debounce(.seconds(10)))
    await store.pass(.seconds(5), on: clock)
    #expect(await store.log == ["a"])
    await store.pass(.seconds(5), on: clock)
    #expect(await kinds([first, other]) == [.finished, .finished])
    #expect(await store.log == ["a", "b"])
  }

  @Test("An action meets the others of its key only when its interval is over: it waits for its turn then")
  func debounceComesBeforeTheTurn() async throws {
    let running = Probe("running")
    store.send(running.action(.serial(key: "k")))
    let debounced = send("debounced", .serial(key: "k").debounce(.seconds(10)))
    let passing = send("passing", .serial(key: "k"))
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == ["running begins"])
    running.open()
    #expect(await kinds([passing, debounced]) == [.finished, .finished])
    #expect(await store.log == ["running begins", "running done", "passing", "debounced"])
  }

  @Test("A debounced `latest` supersedes the one that runs only when it passes")
  func debouncedLatest() async throws {
    let running = Probe("running")
    let first = store.send(running.action(plan))
    await store.pass(.seconds(10), on: clock)
    try await running.waitForStart()
    let second = send("second")
    await store.pass(.seconds(9), on: clock)
    #expect(await store.log == ["running begins"])
    await store.pass(.seconds(1), on: clock)
    #expect(await kinds([first, second]) == [.superseded, .finished])
    #expect(await store.log == ["running begins", "running: superseded", "second"])
    running.open()
  }

  @Test(
    "R2, R3, R5: an action cancelled while it waits ends undecided and unclosed, and its key is forgotten",
    arguments: 0..<3)
  func cancelled(way: Int) async {
    let receipt = send("a")
    switch way {
    case 0: receipt.cancel()
    case 1: store.cancel(key: "k")
    default: store.cancelAll()
    }
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == [])
  }

  @Test("The timeout counts from acceptance: in the interval it ends an action undecided, after it a run")
  func timeouts() async throws {
    let short = send("short", .latest(key: 1).debounce(.seconds(10)).timeout(.seconds(9)))
    let probe = Probe("long")
    let long = store.send(probe.action(.latest(key: 2).debounce(.seconds(10)).timeout(.seconds(15))))
    await store.pass(.seconds(9), on: clock)
    #expect(await short.outcome.kind == .timedOut)
    await store.pass(.seconds(1), on: clock)
    try await probe.waitForStart()
    await store.pass(.seconds(4), on: clock)
    #expect(await store.log == ["long begins"])
    await store.pass(.seconds(1), on: clock)
    #expect(await long.outcome.kind == .timedOut)
    #expect(await store.log == ["long begins", "long: timedOut"])
    probe.open()
  }

  @Test("A debounced action is not freed though its receipt is discarded (it trapped)")
  func aDiscardedReceipt() async {
    _ = send("a")
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == ["a"])
  }

  @Test("L2: an action without debounce counts a debounced one of its key as earlier (it did not)")
  func aDebouncedOneIsAnEarlierOne() async {
    let first = send("a")
    #expect(await send("b", .exclusive(key: "k")).rejectionKind == .exclusive)
    let third = send("c", .latest(key: "k"))
    #expect(await kinds([first, third]) == [.superseded, .finished])
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == ["c"])
    #expect(await store.keyCount == 0)
  }

  @Test("A1: an action that may not wait is rejected, and one that replaces another needs no more room")
  func room() async {
    let store = Store(StoreConfiguration(clock: clock, limits: StoreConfiguration.Limits(actionsWaiting: 1)))
    let action = ScriptedInteractor.Action.commit("a")
    let first = store.send(action.planned(plan))
    let second = store.send(action.planned(plan))
    let third = store.send(action.planned(.latest(key: "other").debounce(.seconds(1))))
    #expect(await first.outcome.kind == .superseded)
    #expect(await third.rejectionKind == .full)
    #expect(await store.keyCount == 1)
    clock.advance(by: .seconds(10))
    #expect(await second.outcome.kind == .finished)
    #expect(await store.keyCount == 0)
  }

  @Test("S1: a drain takes up at once what is debounced, in accepted order")
  func drain() async {
    let receipts = [
      send("a"), send("b", .serial(key: 2).debounce(.seconds(5))), send("c", .serial(key: 1).debounce(.seconds(7))),
    ]
    let report = await store.shutdown(drainFor: .seconds(60))
    #expect(report.isClean)
    #expect(report.drained == 3)
    #expect(await kinds(receipts) == [.finished, .finished, .finished])
    #expect(await store.log == ["a", "b", "c"])
  }

  @Test(
    "An action that was queued behind another thread's step is debounced, though another key is cancelled there (it was not)"
  )
  func leftWhileAnotherKeyIsCancelled() async throws {
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            store.cancel(key: "other")
          }))
    }
    try await latch.waitForArrival()
    let receipt = send("a")
    latch.open()
    await thread.value
    #expect(await store.log == ["block"])
    await store.pass(.seconds(10), on: clock)
    #expect(await receipt.outcome.kind == .finished)
  }
}

@Suite("Throttle", .timeLimit(.minutes(1)))
struct ThrottleTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  func send(_ name: String, _ plan: Plan) -> Receipt {
    store.send(ScriptedInteractor.Action.commit(ScriptedInteractor.Mutation(name)).closed(as: name).planned(plan))
  }

  func plan(leading: Bool = true, trailing: Bool = true) -> Plan {
    .serial(key: "k").throttle(.seconds(10), leading: leading, trailing: trailing)
  }

  @Test("Leading and trailing: the first passes at once, the last when the window is over, which opens the next one")
  func leadingAndTrailing() async {
    let receipts = ["a", "b", "c"].map { send($0, plan()) }
    #expect(await store.log == ["a"])
    await store.pass(.seconds(9), on: clock)
    #expect(await store.log == ["a"])
    await store.pass(.seconds(1), on: clock)
    #expect(await store.log == ["a", "c"])
    let next = send("d", plan())
    await store.pass(.seconds(9), on: clock)
    #expect(await store.log == ["a", "c"])
    await store.pass(.seconds(1), on: clock)
    #expect(await kinds(receipts + [next]) == [.finished, .superseded, .finished, .finished])
    #expect(await store.log == ["a", "c", "d"])
    #expect(await store.keyCount == 1)
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }

  @Test("Leading only: the others of the window are rejected as throttled, and the first after it passes at once")
  func leadingOnly() async {
    let plan = plan(trailing: false)
    let receipts = ["a", "b", "c"].map { send($0, plan) }
    #expect(await receipts[0].outcome.kind == .finished)
    #expect(await receipts[1].rejectionKind == .throttled)
    #expect(await receipts[2].rejectionKind == .throttled)
    await store.pass(.seconds(9), on: clock)
    #expect(await send("d", plan).rejectionKind == .throttled)
    clock.advance(by: .seconds(1))
    #expect(await send("e", plan).outcome.kind == .finished)
    #expect(await store.log == ["a", "e"])
    #expect(await store.metrics.rejections[.throttled] == 3)
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 0)
  }

  @Test("Trailing only: the last of the window passes when that is over, and those before it are superseded")
  func trailingOnly() async {
    let plan = plan(leading: false)
    let receipts = ["a", "b", "c"].map { send($0, plan) }
    await store.pass(.seconds(9), on: clock)
    #expect(await store.log == [])
    await store.pass(.seconds(1), on: clock)
    #expect(await kinds(receipts) == [.superseded, .superseded, .finished])
    #expect(await store.log == ["c"])
    // The one that passed opened a window, in which the next one is held.
    let next = send("d", plan)
    await store.pass(.seconds(10), on: clock)
    #expect(await next.outcome.kind == .finished)
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 0)
  }

  @Test("An action that comes when the window is over finds it over, whether the store was woken by then or not")
  func aWindowThatIsOver() async {
    let first = [send("a", plan()), send("b", plan())]
    clock.advance(by: .seconds(10))
    let next = send("c", plan())
    #expect(await first[1].outcome.kind == .finished)
    #expect(await store.log == ["a", "b"])
    await store.pass(.seconds(10), on: clock)
    #expect(await next.outcome.kind == .finished)
    #expect(await store.log == ["a", "b", "c"])
  }

  @Test(
    "A held action passes before one that comes when the window is over, though the store was not woken yet",
    arguments: [true, false])
  func aLateTrailingOne(leading: Bool) async throws {
    let plan = plan(leading: leading)
    let first = leading ? [send("a", plan)] : []
    let held = send("b", plan)
    let next = Box<Receipt?>(nil)
    // Queued behind this step in this order: the action, and then what the clock wakes.
    store.send(
      .commit(
        ScriptedInteractor.Mutation("late") {
          next.value = send("c", plan)
          clock.advance(by: .seconds(12))
        }))
    try #require(await store.log == (leading ? ["a"] : []) + ["late", "b"])
    #expect(await kinds(first + [held]).allSatisfy { $0 == .finished })
    // The next window lasts from when the held one passed.
    await store.pass(.seconds(10) - .nanoseconds(1), on: clock)
    #expect(await store.log.last == "b")
    await store.pass(.nanoseconds(1), on: clock)
    #expect(await next.value?.outcome.kind == .finished)
    #expect(await store.log.last == "c")
  }

  @Test("Windows of two keys do not disturb each other")
  func twoKeys() async {
    let one = send("a", .serial(key: 1).throttle(.seconds(10)))
    let other = send("b", .serial(key: 2).throttle(.seconds(10)))
    #expect(await kinds([one, other]) == [.finished, .finished])
    #expect(await store.log == ["a", "b"])
  }

  @Test("R2, R3: an action cancelled while it is held ends undecided, and the window continues without it")
  func cancelled() async {
    _ = send("a", plan())
    let held = send("b", plan())
    held.cancel()
    #expect(await held.outcome.kind == .cancelled)
    let next = send("c", plan())
    #expect(await store.log == ["a"])
    await store.pass(.seconds(10), on: clock)
    #expect(await next.outcome.kind == .finished)
    #expect(await store.log == ["a", "c"])
  }

  @Test("An action that passes the pace waits for its turn of the key, and delays nothing of the pace")
  func overlapComesAfter() async throws {
    let running = Probe("running")
    let first = store.send(running.action(plan()))
    let second = send("b", plan())
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == ["running begins"])
    let third = send("c", plan())
    await store.pass(.seconds(10), on: clock)
    running.open()
    #expect(await kinds([first, second, third]) == [.finished, .finished, .finished])
    #expect(await store.log == ["running begins", "running done", "b", "c"])
  }

  @Test("A throttled action is not freed though its receipt is discarded (it trapped)")
  func aDiscardedReceipt() async {
    _ = send("a", plan())
    _ = send("b", plan())
    await store.pass(.seconds(10), on: clock)
    #expect(await store.log == ["a", "b"])
  }

  @Test("A debounced action on a key with an open window waits for its own interval (the window let it pass)")
  func debouncedInAWindow() async {
    _ = send("a", plan())
    let debounced = send("b", .serial(key: "k").debounce(.seconds(20)))
    await store.pass(.seconds(19), on: clock)
    #expect(await store.log == ["a"])
    await store.pass(.seconds(1), on: clock)
    #expect(await debounced.outcome.kind == .finished)
    await store.pass(.seconds(20), on: clock)
    #expect(await store.keyCount == 0)
  }

  @Test("A throttled action replaces a debounced one of its key, and its window ends in time (it did not)")
  func throttledAfterDebounced() async {
    let debounced = send("a", .serial(key: "k").debounce(.seconds(25)))
    let leading = send("b", plan())
    let trailing = send("c", plan())
    #expect(await kinds([debounced, leading]) == [.superseded, .finished])
    await store.pass(.seconds(10), on: clock)
    #expect(await trailing.outcome.kind == .finished)
    #expect(await store.log == ["b", "c"])
    await store.pass(.seconds(10), on: clock)
    #expect(await store.keyCount == 0)
  }

  @Test("R5, R6: a shutdown frees what a key remembers of its window (it stayed)")
  func nothingIsLeftOfAWindow() async {
    _ = send("a", plan())
    #expect(await store.keyCount == 1)
    await store.shutdown()
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
  }
}
