import MillraceTesting
import Testing

@testable import Millrace

@Suite("Overlap", .timeLimit(.minutes(1)))
struct OverlapTests {
  let store = Store()
  let a = Probe("a")
  let b = Probe("b")
  let c = Probe("c")

  @Test("R4: `concurrent(max:)` never has more than its number of handlers out, and 50 actions all finish")
  func neverMoreThanTheMaximum() async {
    let out = Box(0)
    let most = Box(0)
    let batch = store.send(
      contentsOf: (0..<50).map { _ in
        ScriptedInteractor.Action.handle { run in
          let now = out.update { out in
            out += 1
            return out
          }
          most.update { $0 = max($0, now) }
          _ = try await run.state
          out.update { $0 -= 1 }
        }.planned(.concurrent(max: 3, key: "k"))
      })
    #expect(await batch.outcomes.allSatisfy { $0.kind == .finished })
    #expect(most.value <= 3)
    #expect(most.value > 0)
    #expect(await store.keyCount == 0)
  }

  @Test("L2: actions that wait for their turn are undecided until then, and have it in accepted order")
  func undecidedUntilTheirTurn() async throws {
    let d = Probe("d")
    let receipts = [a, b, c, d].map { store.send($0.action(.concurrent(max: 2, key: "k"))) }
    try await b.waitForStart()
    #expect(await store.log == ["a begins", "b begins"])
    b.open()
    try await c.waitForStart()
    #expect(await store.log == ["a begins", "b begins", "b done", "c begins"])
    a.open()
    try await d.waitForStart()
    #expect(await store.log == ["a begins", "b begins", "b done", "c begins", "a done", "d begins"])
    c.open()
    d.open()
    #expect(await kinds(receipts) == [.finished, .finished, .finished, .finished])
  }

  @Test("L2: an action that waits for its turn is decided on everything that was committed before that")
  func decidedOnTheNewestState() async throws {
    store.send(a.action(.serial(key: "k")))
    let seen = Box<[String]>([])
    let second = store.send(
      ScriptedInteractor.Action.decide { state in
        seen.value = state.log
        return .ignore
      }.planned(.serial(key: "k")))
    store.send(.commit("between"))
    a.open()
    #expect(await second.outcome.kind == .finished)
    #expect(seen.value == ["a begins", "between", "a done"])
  }

  @Test("setLimit counts at once: up, to nothing, back up, and back to the plans")
  func setLimitCountsAtOnce() async throws {
    let d = Probe("d")
    let receipts = [a, b, c, d].map { store.send($0.action(.serial(key: "k"))) }
    try await a.waitForStart()
    store.setLimit(3, key: "k")
    try await b.waitForStart()
    try await c.waitForStart()
    #expect(await store.log == ["a begins", "b begins", "c begins"])
    store.setLimit(0, key: "k")
    for probe in [a, b, c] { probe.open() }
    #expect(await kinds(Array(receipts[0..<3])) == [.finished, .finished, .finished])
    #expect(await !store.log.contains("d begins"))
    #expect(await store.onRuns { $0?.scheduler.room.count } == 1)
    store.setLimit(-1, key: "k")
    #expect(await !store.log.contains("d begins"))
    store.setLimit(nil, key: "k")
    try await d.waitForStart()
    d.open()
    #expect(await receipts[3].outcome.kind == .finished)
    await store.sweep("k")
    #expect(await store.keyCount == 0)
  }

  @Test("setLimit is remembered for a key without actions until it is nil, and leaves other keys alone")
  func setLimitIsRemembered() async throws {
    store.setLimit(0, key: "k")
    let waiting = store.send(b.action(.concurrent(max: 9, key: "k")))
    let other = store.send(a.action(.concurrent(max: 9, key: "other")))
    a.open()
    #expect(await other.outcome.kind == .finished)
    #expect(b.starts == 0)
    store.setLimit(nil, key: "k")
    b.open()
    #expect(await waiting.outcome.kind == .finished)
    store.setLimit(4, key: "k")
    #expect(await store.keyCount == 1)
    store.setLimit(nil, key: "k")
    #expect(await store.keyCount == 0)
  }

  @Test("R4: the serial turn of one that was cancelled is free only when its handler has returned")
  func theTurnIsFreeWhenTheHandlerHasReturned() async throws {
    let first = store.send(a.action(.serial(key: "k")))
    let second = store.send(b.action(.serial(key: "k")))
    try await a.waitForStart()
    first.cancel()
    #expect(await first.outcome.kind == .cancelled)
    #expect(await store.log == ["a begins", "a: cancelled"])
    #expect(await store.metrics.notReturned == 1)
    a.open()
    try await b.waitForStart()
    #expect(await store.log == ["a begins", "a: cancelled", "b begins"])
    b.open()
    #expect(await second.outcome.kind == .finished)
  }

  @Test("R4: `latest` starts at once though the handler of the one it supersedes has not returned")
  func latestStartsAtOnce() async throws {
    let first = store.send(a.action(.latest(key: "k")))
    try await a.waitForStart()
    let second = store.send(b.action(.latest(key: "k")))
    try await b.waitForStart()
    #expect(await first.outcome.kind == .superseded)
    #expect(await store.metrics.notReturned == 1)
    b.open()
    #expect(await second.outcome.kind == .finished)
    a.open()
    await store.sweep("k")
    #expect(await store.log == ["a begins", "a: superseded", "b begins", "b done"])
    #expect(await store.keyCount == 0)
  }

  @Test("R2: `latest` closes all it supersedes, running and waiting, before anything of its own is committed")
  func latestClosesFirst() async throws {
    let receipts = [a, b].map { store.send($0.action(.concurrent(max: 2, key: "k"))) }
    let waiting = store.send(c.action(.concurrent(max: 2, key: "k")))
    let latest = Probe("latest")
    let last = store.send(latest.action(.latest(key: "k")))
    #expect(await kinds(receipts + [waiting]) == [.superseded, .superseded, .superseded])
    for probe in [a, b, c, latest] { probe.open() }
    #expect(await last.outcome.kind == .finished)
    #expect(
      await store.log == [
        "a begins", "b begins", "a: superseded", "b: superseded", "latest begins", "latest done",
      ])
    #expect(c.starts == 0)
  }

  @Test("`latest` supersedes one that was taken up and waits for a slot; its handler never starts")
  func latestSupersedesOneWithoutASlot() async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1)))
    let blocking = Probe("blocking")
    store.send(blocking.action(.concurrent))
    let first = store.send(a.action(.latest(key: "k")))
    let second = store.send(b.action(.latest(key: "k")))
    #expect(await first.outcome.kind == .superseded)
    #expect(await store.log == ["blocking begins", "a begins", "a: superseded", "b begins"])
    blocking.open()
    b.open()
    #expect(await second.outcome.kind == .finished)
    #expect(a.starts == 0)
  }

  @Test("`exclusive` rejects what comes before the earlier one has ended, undecided, and is free from then on")
  func exclusiveRejects() async throws {
    let first = store.send(a.action(.exclusive(key: "k")))
    try await a.waitForStart()
    let dropped = store.send(b.action(.exclusive(key: "k")))
    #expect(await dropped.rejectionKind == .exclusive)
    #expect(await dropped.firstCommit == nil)
    first.cancel()
    let third = store.send(c.action(.exclusive(key: "k")))
    c.open()
    #expect(await third.outcome.kind == .finished)
    #expect(await store.log == ["a begins", "a: cancelled", "c begins", "c done"])
    #expect(b.starts == 0)
    a.open()
  }

  @Test("Keys are compared together with their types, and do not disturb each other")
  func keysAreComparedWithTheirTypes() async throws {
    let plans: [Plan] = [.serial(key: 1), .serial(key: 1.0), .serial(key: "1"), .serial(key: UInt8(1))]
    let probes = plans.indices.map { Probe("\($0)") }
    let receipts = zip(probes, plans).map { store.send($0.action($1)) }
    for probe in probes { try await probe.waitForStart() }
    #expect(await store.keyCount == 4)
    store.cancel(key: 1)
    for probe in probes { probe.open() }
    #expect(await kinds(receipts) == [.cancelled, .finished, .finished, .finished])
  }

  @Test("Where plans differ on one key the newest decides")
  func theNewestDecides() async throws {
    // A maximum that is raised by the plan of one that comes lets those in front of it begin, and then itself.
    let receipts = [a, b].map { store.send($0.action(.serial(key: "k"))) }
    let third = store.send(c.action(.concurrent(max: 3, key: "k")))
    try await b.waitForStart()
    try await c.waitForStart()
    #expect(await store.log == ["a begins", "b begins", "c begins"])
    let exclusive = Probe("exclusive")
    #expect(await store.send(exclusive.action(.exclusive(key: "k"))).rejectionKind == .exclusive)
    let latest = Probe("latest")
    let last = store.send(latest.action(.latest(key: "k")))
    #expect(await kinds(receipts + [third]) == [.superseded, .superseded, .superseded])
    for probe in [a, b, c, latest] { probe.open() }
    #expect(await last.outcome.kind == .finished)
    await store.sweep("k")
    #expect(await store.keyCount == 0)
  }

  @Test("R4: an action cancelled while it waits for its turn is not closed, and never starts its handler")
  func whatIsCancelledWhileItWaits() async throws {
    let first = store.send(a.action(.serial(key: "k")))
    let second = store.send(b.action(.serial(key: "k")))
    let third = store.send(c.action(.serial(key: "k")))
    second.cancel()
    #expect(await second.outcome.kind == .cancelled)
    a.open()
    c.open()
    #expect(await kinds([first, third]) == [.finished, .finished])
    #expect(await store.log == ["a begins", "a done", "c begins", "c done"])
    #expect(b.starts == 0)
  }

  @Test("An action that waits for its turn is not freed though its receipt is discarded (it trapped)")
  func aDiscardedReceipt() async throws {
    for probe in [a, b, c] { store.send(probe.action(.serial(key: "k"))) }
    for probe in [a, b, c] {
      try await probe.waitForStart()
      probe.open()
    }
    await store.sweep("k")
    #expect(await store.log == ["a begins", "a done", "b begins", "b done", "c begins", "c done"])
  }

  @Test("Serial actions that are decided at once are taken up one after the other, 10,000 behind one handler")
  func manyThatAreDecidedAtOnce() async throws {
    let count = 10_000
    store.send(a.action(.serial(key: "k")))
    let batch = store.send(
      contentsOf: (0..<count).map {
        ScriptedInteractor.Action.commit(ScriptedInteractor.Mutation("\($0)")).planned(.serial(key: "k"))
      })
    #expect(await store.log == ["a begins"])
    a.open()
    #expect(await batch.outcomes.allSatisfy { $0.kind == .finished })
    #expect(await store.log == ["a begins", "a done"] + (0..<count).map(String.init))
    #expect(await store.keyCount == 0)
  }
}
