import MillraceTesting
import Synchronization
import Testing

@testable import Millrace

@Suite("Limits", .timeLimit(.minutes(1)))
struct LimitsTests {
  typealias Action = ScriptedInteractor.Action

  func store(runs: Int = 1, waiting: Int = 2, left: Int = 100, _ policy: StoreConfiguration.Overflow = .reject)
    -> Store<
      ScriptedInteractor
    >
  {
    Store(
      StoreConfiguration(
        limits: StoreConfiguration.Limits(
          runsInFlight: runs, actionsWaiting: waiting, queuedActions: left, onOverflow: policy)))
  }

  /// An action that commits its name when it is decided and when its handler begins, which then stays at the gate.
  func action(_ name: String, _ gate: Gate? = nil) -> Action {
    Action(
      decide: { _ in .mutate(ScriptedInteractor.Mutation("\(name) decided"), thenHandle: true) },
      handle: { run, _ in
        run.emit(ScriptedInteractor.Mutation("\(name) handled"))
        await gate?.enterIgnoringCancellation()
      }
    ).closed(as: name)
  }

  // MARK: Slots

  @Test("A1: actions that wait for a slot are decided at once, and handled first come first when a handler returns")
  func slotsAreGivenInOrder() async throws {
    let store = store(runs: 2, waiting: 10)
    let (first, second) = (Gate(), Gate())
    let receipts = [store.send(action("a", first)), store.send(action("b", second))]
    try await first.waitForArrivals()
    try await second.waitForArrivals()
    let waiting = ["c", "d", "e"].map { store.send(action($0)) }
    #expect(await store.log.suffix(3) == ["c decided", "d decided", "e decided"])
    let metrics = await store.metrics
    #expect(metrics.inFlight == 2)
    #expect(metrics.waiting == 3)
    first.open()
    #expect(await kinds(waiting) == [.finished, .finished, .finished])
    #expect(await store.log.suffix(3) == ["c handled", "d handled", "e handled"])
    second.open()
    #expect(await kinds(receipts) == [.finished, .finished])
    #expect(await store.metrics.waiting == 0)
  }

  @Test("A1, R4: the slot of a cancelled run is free only when its handler has returned")
  func theSlotOfACancelledRun() async throws {
    let store = store()
    let gate = Gate()
    let cancelled = store.send(action("a", gate))
    try await gate.waitForArrivals()
    let waiting = store.send(action("b"))
    cancelled.cancel()
    #expect(await cancelled.outcome.kind == .cancelled)
    store.send(.commit("decided"))
    #expect(await store.log == ["a decided", "a handled", "b decided", "a: cancelled", "decided"])
    let metrics = await store.metrics
    #expect(metrics.notReturned == 1)
    #expect(metrics.waiting == 1)
    #expect(metrics.inFlight == 0)
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    #expect(await store.log.last == "b handled")
    #expect(await store.metrics.notReturned == 0)
    #expect(await store.shutdown().notReturned == [])
  }

  @Test("L2: an action that waited for a slot is handled with the newest state")
  func whatWaitedGetsTheNewestState() async throws {
    let store = store()
    let gate = Gate()
    let logs = Recorder<[String]>()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    store.send(
      Action(decide: { _ in .mutate("b decided", thenHandle: true) }, handle: { _, state in logs.record(state.log) }))
    store.send(.commit("newer"))
    gate.open()
    #expect(try await logs.next() == ["a decided", "a handled", "b decided", "newer"])
  }

  @Test("R5: a store gives back what thousands of runs needed, once they have ended or were cancelled together")
  func memoryIsGivenBack() async throws {
    let store = store(runs: 4_000)
    let gates = (Gate(), Gate())
    let finishing = store.send(contentsOf: (0..<2_000).map { _ in Action.handle { _ in try await gates.0.enter() } })
    try await gates.0.waitForArrivals(2_000)
    #expect(store.look { $0.runs?.tables.records.count } == 2_000)
    gates.0.open()
    #expect(await finishing.outcomes.allSatisfy { $0.kind == .finished })
    #expect(store.look { $0.runs?.tables.records.isEmpty } == true)
    store.send(contentsOf: (0..<2_000).map { _ in Action.handle { _ in try await gates.1.enter() } })
    store.cancelAll()
    #expect(store.look { ($0.runs?.tables.pending.capacity ?? .max) <= 1_024 } == true)
    gates.1.open()
  }

  @Test("A1: decided actions need no slot and no room, and continue while all gateways are stalled")
  func decidedActionsGoOn() async throws {
    let store = store(waiting: 1)
    let gate = Gate()
    store.send(contentsOf: [action("a", gate), action("b")])
    try await gate.waitForArrivals()
    let batch = store.send(contentsOf: (0..<1_000).map { .commit(ScriptedInteractor.Mutation("\($0)")) })
    #expect(await batch.outcomes.allSatisfy { $0.kind == .finished })
    let planned = store.send(Action.commit("planned").planned(Plan.serial(key: 1)))
    #expect(await planned.outcome.kind == .finished)
    #expect(await store.log.suffix(2) == ["999", "planned"])
    gate.open()
  }

  // MARK: Overflow

  /// Plans under which an action has to wait for a slot alone.
  static let plans: [Plan] = [
    .concurrent, .concurrent.timeout(.seconds(60)), .concurrent(max: 3, key: "k"), .serial(key: "k"), .latest(key: "k"),
    .exclusive(key: "k"), .shared(key: "k"),
  ]

  @Test(
    "A1, A3: with .reject the new action is untouched, and nothing of its key is remembered", arguments: plans.indices)
  func theNewOneIsRejected(plan: Int) async throws {
    let store = store(waiting: 1)
    let gate = Gate()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    let waiting = store.send(action("b"))
    let rejected = store.send(action("c").planned(LimitsTests.plans[plan]))
    #expect(await isFull(rejected))
    #expect(await rejected.firstCommit == nil)
    #expect(await rejected.lastRevision == nil)
    #expect(await store.log == ["a decided", "a handled", "b decided"])
    #expect(await store.metrics.rejections == [.full: 1])
    #expect(store.look { $0.runs?.scheduler.keys.isEmpty } == true)
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    #expect(await store.send(action("d").planned(LimitsTests.plans[plan])).outcome.kind == .finished)
  }

  @Test("A1: with .dropOldest who waited longest makes room: closed if it was taken up, untouched if not")
  func theOldestIsDropped() async throws {
    let store = store(.dropOldest)
    let gate = Gate()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    store.setLimit(0, key: "k")
    let (takenUp, untouched) = (store.send(action("b")), store.send(action("c").planned(Plan.serial(key: "k"))))
    let (last, newest) = (store.send(action("d")), store.send(action("e")))
    #expect(await isFull(takenUp))
    #expect(await isFull(untouched))
    #expect(await store.log.dropFirst(2) == ["b decided", "d decided", "b: rejected", "e decided"])
    gate.open()
    #expect(await kinds([last, newest]) == [.finished, .finished])
    #expect(await store.metrics.rejections == [.full: 2])
  }

  @Test("A1: with .dropNewest who began to wait last makes room: closed if it was taken up, untouched if not")
  func theNewestIsDropped() async throws {
    let store = store(.dropNewest)
    let gate = Gate()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    store.setLimit(0, key: "k")
    let (oldest, untouched) = (store.send(action("b")), store.send(action("c").planned(Plan.serial(key: "k"))))
    let (takenUp, newest) = (store.send(action("d")), store.send(action("e")))
    #expect(await isFull(untouched))
    #expect(await isFull(takenUp))
    #expect(await store.log.dropFirst(2) == ["b decided", "d decided", "e decided", "d: rejected"])
    gate.open()
    #expect(await kinds([oldest, newest]) == [.finished, .finished])
    #expect(await store.metrics.rejections == [.full: 2])
  }

  // The closing of the one that was dropped used to be committed between a decision and what it decided.
  @Test(
    "L3: an action dropped to make room is closed after the decision of the new one is committed",
    arguments: [StoreConfiguration.Overflow.dropOldest, .dropNewest], [true, false])
  func aDecisionStaysOneStep(policy: StoreConfiguration.Overflow, hasPlan: Bool) async throws {
    let store = store(waiting: 1, policy)
    let gate = Gate()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    let dropped = store.send(action("b"))
    store.send(
      Action(decide: { .mutate(ScriptedInteractor.Mutation("decided on \($0.log.count)"), thenHandle: true) })
        .planned(hasPlan ? Plan.serial(key: "k") : .concurrent))
    #expect(await isFull(dropped))
    #expect(await store.log == ["a decided", "a handled", "b decided", "decided on 3", "b: rejected"])
    gate.open()
  }

  @Test(
    "A1: with no room at all an action that has to wait is rejected untouched",
    arguments: StoreConfiguration.Overflow.allCases)
  func noRoomAtAll(policy: StoreConfiguration.Overflow) async throws {
    let store = store(waiting: 0, policy)
    let gate = Gate()
    store.send(action("a", gate))
    try await gate.waitForArrivals()
    #expect(await isFull(store.send(action("b"))))
    #expect(await isFull(store.send(action("c").planned(Plan.concurrent.timeout(.seconds(60))))))
    store.setLimit(0, key: "k")
    #expect(await isFull(store.send(action("d").planned(Plan.serial(key: "k")))))
    #expect(await isFull(store.send(action("e").planned(Plan.latest(key: "p").debounce(.seconds(60))))))
    #expect(await store.log == ["a decided", "a handled"])
    gate.open()
    _ = await store.send(.handle { _ in }).outcome
  }

  @Test("A2: cancel, shutdown and closing mutations go through however full the store is", arguments: [true, false])
  func endsAreNotShed(shutsDown: Bool) async throws {
    let store = store(waiting: 2, left: 1)
    let gate = Gate()
    let receipts = ["a", "b", "c"].map { store.send(action($0, gate)) }
    try await gate.waitForArrivals()
    #expect(await isFull(store.send(action("d"))))
    if shutsDown { await store.shutdown() } else { store.cancelAll() }
    let kind: Outcome.Kind = shutsDown ? .shutDown : .cancelled
    #expect(await kinds(receipts) == [kind, kind, kind])
    #expect(await store.log.suffix(3) == ["b: \(kind)", "c: \(kind)", "a: \(kind)"])
    #expect(await store.metrics.waiting == 0)
    gate.open()
  }

  // MARK: What is queued behind another thread's step

  @Test("A1, A3: past queuedActions new actions are rejected, one by one and in batches, and counted")
  func tooManyAreQueued() async throws {
    let store = store(left: 3)
    let (latch, thread) = try await store.block()
    let left = [store.send(.commit("1")), store.send(.commit("2"), context: TraceContext(traceparent: "t"))]
    let batch = store.send(contentsOf: [.commit("3"), .commit("4")])
    let late = [store.send(.commit("5")), store.send(.commit("6"), context: TraceContext(traceparent: "t"))]
    for receipt in late { #expect(await isFull(receipt, "Limits.queuedActions")) }
    #expect(Set((left + late).map(\.id)).count == 4)
    latch.open()
    await thread.value
    #expect(await kinds(left) == [.finished, .finished])
    #expect(await batch.outcomes.map(\.kind) == [.finished, .rejected])
    store.send(.commit("7"))
    #expect(await store.log == ["block", "1", "2", "3", "7"])
    let metrics = await store.metrics
    #expect(metrics.rejections == [.full: 3])
    #expect(metrics.sent == 8)
    #expect(metrics.accepted == 5)
  }

  @Test(
    "A1: an action whose sender pauses while it counts the queue is not rejected (it was, where the holder took more up meanwhile)",
    arguments: [
      (7, 3, 4), (3, 3, 0), (3, 5, 0), (2, UInt32.max - 1, 4), (UInt32.max, 1, 0), (1 << 31, 1 << 31, 0),
    ] as [(UInt32, UInt32, Int)])
  func countingTheQueue(_ queued: UInt32, _ taken: UInt32, _ left: Int) {
    #expect(StoreCore<ScriptedInteractor>.difference(queued: queued, taken: taken) == left)
  }

  @Test(
    "A3: interceptors learn of each action that is rejected because too many are queued, before `send` returns (they missed it)"
  )
  func interceptorsLearnOfRejections() async throws {
    let (store, ends) = (store(left: 2), Notes<Ends.End>())
    store.setInterceptors([Ends { ends.note($0) }])
    let (latch, thread) = try await store.block()
    let queued = [store.send(.commit("1")), store.send(.commit("2"))]
    #expect(ends.all == [])
    let trace = TraceContext(traceparent: "t")
    let rejected = [store.send(.commit("3")), store.send(.commit("4"), context: trace)]
    let batch = store.send(contentsOf: [.commit("5")])
    #expect(ends.all.map(\.isRefusal) == [true, false, true, false, true, false])
    #expect(ends.all.prefix(4).map(\.id) == rejected.flatMap { [$0.id, $0.id] })
    #expect(ends.all.map(\.trace) == [nil, nil, "t", "t", nil, nil])
    #expect(await batch.outcomes.map(\.kind) == [.rejected])
    latch.open()
    await thread.value
    #expect(await kinds(queued) == [.finished, .finished])
    #expect(Set(ends.all.map(\.id)).count == 6)
    #expect(await store.metrics.rejections == [.full: 3])
  }

  @Test(
    "A1: past 1,024 mutations that a run left for others, ended or not, emit sees to what was left before it returns",
    arguments: [false, true])
  func emitHelps(hasEnded: Bool) async throws {
    let store = store()
    let gate = Gate()
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      .handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
      })
    let run = try await runs.next()
    if hasEnded { receipt.cancel() }
    guard case .store(_, let active) = run.backing else { return #expect(Bool(false), "The run is not a store's.") }
    let (latch, thread) = try await store.block()
    let full = Recorder<Int>()
    let emitter = onThread {
      for number in 0..<1_024 { run.emit(ScriptedInteractor.Mutation("\(number)")) }
      full.record(active.queuedEmits.load(ordering: .relaxed))
      var most = 0
      for number in 1_024..<10_000 {
        run.emit(ScriptedInteractor.Mutation("\(number)"))
        most = max(most, active.queuedEmits.load(ordering: .relaxed))
      }
      full.record(most)
    }
    #expect(try await full.next() == 1_024)
    latch.open()
    #expect(try await full.next() <= 1_024)
    await emitter.value
    await thread.value
    #expect(await store.log == ["block"] + (hasEnded ? [] : (0..<10_000).map(String.init)))
    #expect(await store.metrics.lateEmits == (hasEnded ? 10_000 : 0))
    gate.open()
  }

  func isFull(_ receipt: Receipt, _ limit: String = "Limits.actionsWaiting") async -> Bool {
    if case .rejected(.full(let sentence)) = await receipt.outcome { sentence.contains("`\(limit)`") } else { false }
  }
}

/// Notes refusals and ends.
private struct Ends: Interceptor, EventSink {
  struct End: Equatable {
    let id: ActionID
    let trace: String?
    let isRefusal: Bool
  }

  typealias I = ScriptedInteractor

  let note: @Sendable (End) -> Void

  func refused(_ cause: Cause<I.Action>) {
    note(End(id: cause.id, trace: cause.context.trace?.traceparent, isRefusal: true))
  }

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    note(End(id: cause.id, trace: cause.context.trace?.traceparent, isRefusal: false))
  }
}

extension Store {
  /// The result of `look`, called with the lock of this store.
  nonisolated func look<Value: Sendable>(_ look: @escaping @Sendable (inout Owned<I>) -> Value) -> Value? {
    let found = Lock<Value?>(nil)
    core.performUrgently { owned in
      let value = look(&owned)
      found.withLock { $0 = value }
    }
    return found.withLock { $0 }
  }
}
