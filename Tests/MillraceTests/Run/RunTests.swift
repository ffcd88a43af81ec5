import Millrace
import MillraceTesting
import Testing

@Suite("Run", .timeLimit(.minutes(1)))
struct RunTests {
  let store = Store()

  @Test("The state of a run has everything in it that the run emitted before")
  func theStateHasWhatTheRunEmitted() async {
    let seen = Recorder<[String]>()
    let receipt = store.send(
      .handle { run in
        run.emit("a")
        seen.record(try await run.state.log)
        run.emit("b")
        run.emit("c")
        seen.record(try await run.state.log)
      })
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [["a"], ["a", "b", "c"]])
  }

  @Test("The state of a run has what the run queued behind another thread's step, and what others committed")
  func theStateHasWhatTheRunQueued() async throws {
    let gate = Gate()
    let emitted = Gate()
    let seen = Recorder<[String]>()
    store.send(
      .handle { run in
        try await gate.enter()
        run.emit("left")
        async let state = run.state
        emitted.open()
        seen.record(try await state.log)
      })
    try await gate.waitForArrivals()
    store.send(.commit("another's"))
    let (latch, thread) = try await store.block()
    gate.open()
    try await emitted.enter()
    latch.open()
    #expect(try await seen.next() == ["another's", "block", "left"])
    await thread.value
  }

  @Test("The state of a run has its own emissions, while 8 tasks send")
  func theStateHasOwnEmissionsUnderContention() async {
    let missing = Box(0)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for action in 0..<30 {
            let name = "\(task).\(action)"
            let receipt = store.send(
              .handle { run in
                run.emit(ScriptedInteractor.Mutation(name))
                if try await !run.state.log.contains(name) { missing.update { $0 += 1 } }
              })
            store.send(.commit("other"))
            _ = await receipt.outcome
          }
        }
      }
    }
    #expect(missing.value == 0)
  }

  @Test("emit is true while the run continues, and false once it has ended, by itself or not")
  func emitTellsWhetherTheRunGoesOn() async throws {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let finished = store.send(
      .handle { run in
        #expect(run.emit("a"))
        runs.record(run)
      })
    #expect(await finished.outcome.kind == .finished)
    #expect(try await !runs.next().emit("after its end"))
    let failed = store.send(
      .handle { run in
        runs.record(run)
        throw Mishap()
      })
    #expect(await failed.outcome.kind == .failed)
    #expect(try await !runs.next().emit("after its failure"))
    #expect(await store.log == ["a"])
  }

  @Test("A run can emit from several tasks; all of that is committed before it finishes")
  func severalTasksEmit() async {
    let receipt = store.send(
      .handle { run in
        await withTaskGroup { group in
          for task in 0..<8 {
            group.addTask {
              for number in 0..<50 { run.emit(ScriptedInteractor.Mutation("\(task).\(number)")) }
            }
          }
        }
      }.closed())
    #expect(await receipt.outcome.kind == .finished)
    let log = await store.log
    #expect(log.count == 400)
    #expect(await receipt.lastRevision == 400)
    for task in 0..<8 {
      #expect(log.filter { $0.hasPrefix("\(task).") } == (0..<50).map { "\(task).\($0)" })
    }
  }

  @Test("The id of a run is that of the receipt")
  func theIDIsThatOfTheReceipt() async {
    let ids = Recorder<ActionID>()
    let first = store.send(.handle { ids.record($0.id) })
    let second = store.send(.handle { ids.record($0.id) })
    _ = await (first.outcome, second.outcome)
    #expect(Set(ids.recorded) == [first.id, second.id])
    #expect(first.id != second.id)
  }

  @Test("The clock of a run is the store's: a handler sleeps as long as a test says")
  func theClockIsTheStores() async throws {
    let clock = TestClock()
    let store = Store(StoreConfiguration(clock: clock))
    let receipt = store.send(
      .handle { run in
        run.emit("sleeping")
        try await run.clock.sleep(for: .seconds(3_600))
        run.emit("awake")
      })
    try await clock.waitForSleepers(1)
    #expect(await store.log == ["sleeping"])
    clock.advance(by: .seconds(3_600))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["sleeping", "awake"])
  }
}
