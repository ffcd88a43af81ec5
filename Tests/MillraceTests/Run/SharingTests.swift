import MillraceTesting
import Testing

@testable import Millrace

@Suite("Sharing", .timeLimit(.minutes(1)))
struct SharingTests {
  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let probe = Probe("a")

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// Sends the same shared action several times; its handler stands at the gate then.
  func share(_ count: Int, _ plan: Plan = .shared(key: "k"), throwing error: (any Error)? = nil) async throws
    -> [Receipt]
  {
    let receipts = (0..<count).map { _ in store.send(probe.action(plan, throwing: error)) }
    try await probe.waitForStart()
    return receipts
  }

  @Test("R4: 100 actions share one run, which is decided and handled once, and each has its outcome and its revisions")
  func oneRunForAll() async throws {
    let receipts = try await share(100)
    #expect(await store.log == ["a begins"])
    for receipt in receipts { #expect(await receipt.firstCommit == 1) }
    probe.open()
    for receipt in receipts {
      #expect(await receipt.outcome.kind == .finished)
      #expect(await (receipt.firstCommit, receipt.lastRevision) == (1, 2))
    }
    #expect(probe.starts == 1)
    #expect(Set(receipts.map(\.id)).count == 100)
    #expect(await store.log == ["a begins", "a done"])
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test(
    "R2, R4: a shared run that fails is closed once, and each receipt gets the error and the revision of the closing")
  func oneClosingForAll() async throws {
    let receipts = try await share(3, throwing: Mishap())
    probe.open()
    for receipt in receipts {
      guard case .failed(let error) = await receipt.outcome else {
        Issue.record("a receipt of a failed run ended otherwise")
        continue
      }
      #expect(error as? Mishap == Mishap())
      #expect(await receipt.lastRevision == 3)
    }
    #expect(await store.log == ["a begins", "a done", "a: failed"])
  }

  @Test("R4: a shared action behind a serial one waits until the serial handler has returned, and then shares a run")
  func behindASerialAction() async throws {
    let gate = Gate()
    let publish = ScriptedInteractor.Action.handle { _ in await gate.enterIgnoringCancellation() }
    let serial = store.send(publish.planned(.serial(key: "k")))
    try await gate.waitForArrivals()
    let receipts = (0..<3).map { _ in store.send(probe.action(.shared(key: "k"))) }
    let next = store.send(.commit("next").planned(.serial(key: "k")))
    serial.cancel()
    #expect(await serial.outcome.kind == .cancelled)
    #expect(await store.log.isEmpty)
    #expect(await store.metrics.waiting == 4)
    gate.open()
    try await probe.waitForStart()
    #expect(await store.log == ["a begins"])
    probe.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(await next.outcome.kind == .finished)
    #expect(await store.log == ["a begins", "a done", "next"])
    #expect(probe.starts == 1)
    #expect(await store.keyCount == 0)
  }

  @Test("The run has the id of the first action, and its receipt's")
  func theIDIsThatOfTheFirst() async throws {
    let ids = Recorder<ActionID>()
    let gate = Gate()
    let action = ScriptedInteractor.Action.handle { run in
      ids.record(run.id)
      try await gate.enter()
    }.planned(.shared(key: "k"))
    let first = store.send(action)
    let second = store.send(action)
    gate.open()
    #expect(await kinds([first, second]) == [.finished, .finished])
    #expect(ids.recorded == [first.id])
  }

  @Test("An action that joins late knows the first commit at once, though the run made it before")
  func oneThatJoinsLate() async throws {
    _ = try await share(1)
    store.send(.commit("between"))
    let late = store.send(probe.action(.shared(key: "k")))
    #expect(await late.firstCommit == 1)
    probe.open()
    #expect(await late.lastRevision == 3)
  }

  @Test("R4: cancel of any one, the first too, detaches that receipt only, at once", arguments: 0..<3)
  func cancelDetachesOne(index: Int) async throws {
    let receipts = try await share(3)
    receipts[index].cancel()
    #expect(await receipts[index].outcome.kind == .cancelled)
    // What the run had committed by then.
    #expect(await (receipts[index].firstCommit, receipts[index].lastRevision) == (1, 1))
    #expect(await store.log == ["a begins"])
    probe.open()
    for (other, receipt) in receipts.enumerated() where other != index {
      #expect(await receipt.outcome.kind == .finished)
      #expect(await receipt.lastRevision == 2)
    }
    #expect(await store.log == ["a begins", "a done"])
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test("R4: the time of any one, the first too, detaches that receipt only", arguments: 0..<3)
  func timeoutDetachesOne(index: Int) async throws {
    let receipts = (0..<3).map { other in
      let plan = Plan.shared(key: "k")
      return store.send(probe.action(other == index ? plan.timeout(.seconds(1)) : plan))
    }
    try await probe.waitForStart()
    clock.advance(by: .seconds(1))
    #expect(await receipts[index].outcome.kind == .timedOut)
    probe.open()
    for (other, receipt) in receipts.enumerated() where other != index {
      #expect(await receipt.outcome.kind == .finished)
    }
    #expect(await store.log == ["a begins", "a done"])
  }

  @Test(
    "R4: the run is cancelled and closed when the last action has left, in any order",
    arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func cancelledWithTheLast(order: [Int]) async throws {
    let gate = Gate()
    let noticed = Recorder<Bool>()
    let action = ScriptedInteractor.Action.handle { run in
      run.emit("a")
      do { try await gate.enter() } catch { noticed.record(Task.isCancelled) }
    }.closed().planned(.shared(key: "k"))
    let receipts = (0..<3).map { _ in store.send(action) }
    try await gate.waitForArrivals()
    for index in order.dropLast() { receipts[index].cancel() }
    #expect(await store.log == ["a"])
    receipts[order[2]].cancel()
    #expect(await store.log == ["a", "closed: cancelled"])
    #expect(await kinds(receipts) == [.cancelled, .cancelled, .cancelled])
    // The last one to go has the closing among its commits.
    #expect(await receipts[order[2]].lastRevision == 2)
    #expect(try await noticed.next())
    await store.sweep("k")
    #expect(await store.keyCount == 0)
  }

  @Test("R4: a run whose last receipt times out is closed as timed out")
  func timedOutWithTheLast() async throws {
    let receipts = try await share(2, .shared(key: "k").timeout(.seconds(1)))
    receipts[1].cancel()
    clock.advance(by: .seconds(1))
    #expect(await kinds(receipts) == [.timedOut, .cancelled])
    #expect(await store.log == ["a begins", "a: timedOut"])
    probe.open()
  }

  @Test("R2, R3: cancel by the key and cancelAll end all that share a run, closed once", arguments: [true, false])
  func cancelledByKey(byKey: Bool) async throws {
    let receipts = try await share(3)
    if byKey { store.cancel(key: "k") } else { store.cancelAll() }
    #expect(await kinds(receipts) == [.cancelled, .cancelled, .cancelled])
    #expect(await store.log == ["a begins", "a: cancelled"])
    probe.open()
    await store.sweep("k")
    #expect(await store.log == ["a begins", "a: cancelled"])
    #expect(await store.keyCount == 0)
  }

  @Test("R2: `latest` supersedes all that share a run, closed once and before anything of its own")
  func superseded() async throws {
    let receipts = try await share(3)
    let latest = store.send(ScriptedInteractor.Action.commit("latest").planned(.latest(key: "k")))
    #expect(await kinds(receipts + [latest]) == [.superseded, .superseded, .superseded, .finished])
    #expect(await store.log == ["a begins", "a: superseded", "latest"])
    probe.open()
  }

  @Test("R4: the next one after the end of a run begins a new run, though the old handler is still out")
  func theNextOneBeginsANewRun() async throws {
    let receipts = try await share(2)
    store.cancel(key: "k")
    let next = Probe("b")
    let following = [store.send(next.action(.shared(key: "k"))), store.send(next.action(.shared(key: "k")))]
    try await next.waitForStart()
    next.open()
    #expect(await kinds(receipts + following) == [.cancelled, .cancelled, .finished, .finished])
    #expect(next.starts == 1)
    #expect(await store.log == ["a begins", "a: cancelled", "b begins", "b done"])
    probe.open()
    await store.sweep("k")
    #expect(await store.keyCount == 0)
  }

  @Test("Shared actions that are decided at once have nothing to share")
  func decidedAtOnce() async {
    for index in 1...3 {
      let receipt = store.send(ScriptedInteractor.Action.commit("a").planned(.shared(key: "k")))
      #expect(await (receipt.firstCommit, receipt.lastRevision) == (index, index))
    }
    let rejected = store.send(
      ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }.closed().planned(.shared(key: "k")))
    #expect(await rejected.rejectionKind == .decided)
    #expect(await store.log == ["a", "a", "a", "closed: rejected"])
    #expect(await store.keyCount == 0)
  }

  @Test("A run that waits for a slot is shared too; cancelled by its last receipt it never starts")
  func aRunThatWaitsForASlot() async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1)))
    let blocking = Probe("blocking")
    store.send(blocking.action(.concurrent))
    let first = store.send(probe.action(.shared(key: "k")))
    let second = store.send(probe.action(.shared(key: "k")))
    first.cancel()
    second.cancel()
    #expect(await kinds([first, second]) == [.cancelled, .cancelled])
    #expect(await store.log == ["blocking begins", "a begins", "a: cancelled"])
    let third = store.send(probe.action(.shared(key: "k")))
    let fourth = store.send(probe.action(.shared(key: "k")))
    probe.open()
    blocking.open()
    #expect(await kinds([third, fourth]) == [.finished, .finished])
    #expect(probe.starts == 1)
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test(
    "A1: actions that join wait, and are rejected when no more may",
    arguments: [StoreConfiguration.Overflow.reject, .dropOldest])
  func thoseThatJoinWait(policy: StoreConfiguration.Overflow) async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(actionsWaiting: 1, onOverflow: policy)))
    let receipts = (0..<3).map { _ in store.send(probe.action(.shared(key: "k"))) }
    try await probe.waitForStart()
    #expect(await store.metrics.waiting == 1)
    #expect(await receipts[policy == .reject ? 2 : 1].rejectionKind == .full)
    probe.open()
    #expect(await receipts[0].outcome.kind == .finished)
    #expect(await receipts[policy == .reject ? 1 : 2].outcome.kind == .finished)
  }

  @Test("A1: when the last one that shares a run is dropped for one that would join, that one begins a run of its own")
  func theLastOneIsDropped() async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(actionsWaiting: 1, onOverflow: .dropOldest)))
    let receipts = (0..<2).map { _ in store.send(probe.action(.shared(key: "k"))) }
    try await probe.waitForStart()
    receipts[0].cancel()
    let next = Probe("b")
    let third = store.send(next.action(.shared(key: "k")))
    next.open()
    #expect(await receipts[1].rejectionKind == .full)
    #expect(await third.outcome.kind == .finished)
    #expect(await store.log == ["a begins", "a: rejected", "b begins", "b done"])
    probe.open()
  }

  @Test("R4: a run is cancelled when the last that shares it is dropped to make room (its handler went on)")
  func cancelledWithTheLastThatIsDropped() async throws {
    let store = Store<ScriptedInteractor>(
      StoreConfiguration(limits: StoreConfiguration.Limits(actionsWaiting: 1, onOverflow: .dropOldest)))
    let gate = Gate()
    let noticed = Recorder<Bool>()
    let action = ScriptedInteractor.Action.handle { _ in
      try? await gate.enter()
      noticed.record(Task.isCancelled)
    }.closed().planned(.shared(key: "k"))
    let receipts = [store.send(action), store.send(action)]
    try await gate.waitForArrivals()
    receipts[0].cancel()
    store.setLimit(0, key: "other")
    store.send(ScriptedInteractor.Action.commit("waits").planned(.serial(key: "other")))
    #expect(await kinds(receipts) == [.cancelled, .rejected])
    #expect(await store.log == ["closed: rejected"])
    gate.open()
    #expect(try await noticed.next())
  }

  @Test("R6: at release a shared run is not closed, though its first action has left (it was)")
  func releaseDoesNotClose() async throws {
    var store: Store<ScriptedInteractor>? = Store()
    let closings = Notes<Outcome.Kind>()
    var action = probe.action(.shared(key: "k"))
    action.close = { outcome in
      closings.note(outcome.kind)
      return nil
    }
    let receipts = (0..<3).map { [store] _ in store?.send(action) }
    try await probe.waitForStart()
    receipts[0]?.cancel()
    store = nil
    #expect(await receipts[1]?.outcome.kind == .shutDown)
    #expect(await receipts[2]?.outcome.kind == .shutDown)
    #expect(closings.all.isEmpty)
    probe.open()
  }

  @Test("S1: a shared run that shuts its store down is not waited for, though others share it (it was)")
  func shutdownFromASharedRun() async throws {
    let reports = Recorder<ShutdownReport>()
    let gate = Gate()
    let action = ScriptedInteractor.Action.handle { [store] _ in
      try await gate.enter()
      reports.record(await store.shutdown(drainFor: .seconds(10)))
    }.closed().planned(.shared(key: "k"))
    let receipts = (0..<3).map { _ in store.send(action) }
    try await gate.waitForArrivals()
    gate.open()
    #expect(await kinds(receipts) == [.shutDown, .shutDown, .shutDown])
    #expect(try await Set(reports.next().cancelled) == Set(receipts.map(\.id)))
    #expect(await store.log == ["closed: shutDown"])
  }
}
