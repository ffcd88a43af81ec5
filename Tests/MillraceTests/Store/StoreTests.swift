import Millrace
import MillraceTesting
import Testing

@Suite("Store", .timeLimit(.minutes(1)))
struct StoreTests {
  let store = Store()

  @Test("L1: commits are numbered from 1, and the initial state is revision 0")
  func commitsAreNumbered() async {
    #expect(await store.snapshot.revision == 0)
    for number in 1...3 {
      let receipt = store.send(.commit(ScriptedInteractor.Mutation("\(number)")))
      #expect(await receipt.firstCommit == number)
      #expect(await receipt.lastRevision == number)
      let snapshot = await store.snapshot
      #expect(snapshot.revision == number)
      #expect(snapshot.state.log.count == number)
    }
  }

  @Test("L1: the mutations of one decision get consecutive revisions, in their order")
  func aDecisionIsNumberedThrough() async {
    store.send(.commit("first"))
    let receipt = store.send(.decide { _ in .mutate(["a", "b", "c"]) })
    #expect(await receipt.firstCommit == 2)
    #expect(await receipt.lastRevision == 4)
    #expect(await store.log == ["first", "a", "b", "c"])
  }

  @Test("L1: commits of 8 tasks have one total order, which their receipts number")
  func commitsOfManyTasksAreTotallyOrdered() async {
    let actions = 1_000
    let numbered = await withTaskGroup(of: [(String, Int?)].self) { group in
      for task in 0..<8 {
        group.addTask {
          var numbered: [(String, Int?)] = []
          for action in 0..<actions {
            let name = "\(task).\(action)"
            let receipt = store.send(.commit(ScriptedInteractor.Mutation(name)))
            numbered.append((name, await receipt.lastRevision))
          }
          return numbered
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    let snapshot = await store.snapshot
    #expect(snapshot.revision == 8 * actions)
    #expect(snapshot.state.log.count == 8 * actions)
    #expect(Set(numbered.map(\.1)).count == 8 * actions)
    for (name, revision) in numbered {
      guard let revision else {
        Issue.record("\(name) has no revision")
        continue
      }
      #expect(snapshot.state.log[revision - 1] == name)
    }
    for task in 0..<8 {
      let own = snapshot.state.log.filter { $0.hasPrefix("\(task).") }
      #expect(own == (0..<actions).map { "\(task).\($0)" })
    }
  }

  @Test("L1: commits of 8 threads, which meet inside a slow reducer, lose nothing and keep each thread's order")
  func commitsOfManyThreadsAreTotallyOrdered() async {
    let threads = (0..<8).map { thread in
      onThread { [store] in
        for action in 0..<100 {
          // Something slow, so that another thread finds the turn taken.
          store.send(
            .commit(
              ScriptedInteractor.Mutation("\(thread).\(action)") { _ = (0..<500).reduce(0) { $0 ^ $1.hashValue } }))
        }
      }
    }
    for thread in threads { await thread.value }
    let snapshot = await store.snapshot
    #expect(snapshot.revision == 800)
    for thread in 0..<8 {
      let own = snapshot.state.log.filter { $0.hasPrefix("\(thread).") }
      #expect(own == (0..<100).map { "\(thread).\($0)" })
    }
  }

  @Test("L1: no mutation is reduced while another thread reduces one")
  func onlyOneMutationIsReducedAtATime() async throws {
    let (latch, thread) = try await store.block()
    let reduced = Box(false)
    let receipt = store.send(.commit(ScriptedInteractor.Mutation("a") { reduced.value = true }))
    #expect(!reduced.value)
    latch.open()
    #expect(await receipt.lastRevision == 2)
    #expect(reduced.value)
    await thread.value
  }

  @Test("L1: the mutations of one run commit in the order it produced them, while 8 tasks send")
  func mutationsOfARunKeepTheirOrder() async throws {
    let expected = (0..<1_000).map { "run.\($0)" }
    let start = Gate()
    let run = store.send(
      .handle { run in
        try await start.enter()
        for name in expected { run.emit(ScriptedInteractor.Mutation(name)) }
      })
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<200 { store.send(.commit(ScriptedInteractor.Mutation("task \(task)"))) }
        }
      }
      start.open()
    }
    #expect(await run.outcome.kind == .finished)
    #expect(await store.log.filter { $0.hasPrefix("run.") } == expected)
  }

  @Test("L1: mutations that a run emits behind another thread's step commit in their order, before its end")
  func mutationsLeftForTheOwnerKeepTheirOrder() async throws {
    let start = Gate()
    let emitted = Gate()
    let run = store.send(
      ScriptedInteractor.Action.handle { run in
        try await start.enter()
        for name in ["a", "b", "c"] { run.emit(ScriptedInteractor.Mutation(name)) }
        emitted.open()
      }.closed())
    try await start.waitForArrivals()
    let (latch, thread) = try await store.block()
    start.open()
    try await emitted.enter()
    latch.open()
    #expect(await run.outcome.kind == .finished)
    #expect(await store.log == ["block", "a", "b", "c"])
    await thread.value
  }

  @Test("L6: a run that throws ends alone; the store, other runs and observers continue")
  func aThrowingRunEndsAlone() async throws {
    let gate = Gate()
    let states = Recorder<ScriptedInteractor.State>()
    states.record(from: store.states)
    let other = store.send(
      .handle { run in
        run.emit("other begins")
        try await gate.enter()
        run.emit("other ends")
      })
    let failing = store.send(
      .handle { run in
        run.emit("failing begins")
        throw Mishap()
      })
    guard case .failed(let error) = await failing.outcome else {
      Issue.record("The run did not fail")
      return
    }
    #expect(error as? Mishap == Mishap())
    gate.open()
    #expect(await other.outcome.kind == .finished)
    #expect(await store.send(.commit("later")).outcome.kind == .finished)
    let log = ["other begins", "failing begins", "other ends", "later"]
    #expect(await store.log == log)
    var seen = try await states.next()
    while seen.log != log { seen = try await states.next() }
    await store.shutdown()
  }

  @Test("The state holds every decided action whose send returned before, also behind another thread's step")
  func theStateHoldsWhatWasSentBefore() async throws {
    let (latch, thread) = try await store.block()
    store.send(.commit("sent before"))
    async let log = store.log
    latch.open()
    #expect(await log == ["block", "sent before"])
    await thread.value
  }

  @Test("The state does not wait for a handler")
  func theStateDoesNotWaitForAHandler() async throws {
    let gate = Gate()
    let run = store.send(
      .handle { run in
        run.emit("loading")
        try await gate.enter()
        run.emit("loaded")
      })
    #expect(await store.log == ["loading"])
    gate.open()
    #expect(await run.outcome.kind == .finished)
    #expect(await store.log == ["loading", "loaded"])
  }

  @Test("After shutdown, sequences that are iterated for the first time deliver the last state, and end")
  func sequencesEndAfterShutdown() async {
    store.send(.commit("last"))
    await store.shutdown()
    var logs: [[String]] = []
    for await state in store.states { logs.append(state.log) }
    #expect(logs == [["last"]])
    // Values used to wait for ever for a second one.
    var values: [[String]] = []
    for await log in store.values(of: \.log) { values.append(log) }
    for await log in store.values(of: { $0.log }) { values.append(log) }
    #expect(values == [["last"], ["last"]])
  }

  @Test("shutdown may be called twice, and at once from several tasks")
  func shutdownTwice() async throws {
    let receipt = store.send(ScriptedInteractor.Action.handle { _ in try await Gate().enter() }.closed())
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { await store.shutdown() } }
    }
    await store.shutdown()
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await store.log == ["closed: shutDown"])
  }
}
