import Millrace
import MillraceTesting
import Testing

@Suite("Cancelling", .timeLimit(.minutes(1)))
struct StoreCoreCancelTests {
  let store = Store()

  /// Sends an action whose handler hands its run out and stays until the gate opens, whether it is cancelled or not.
  func sendStubborn(_ gate: Gate) async throws -> (Receipt, Run<ScriptedInteractor>) {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
        run.emit("from the handler, too late")
      }.closed())
    return (receipt, try await runs.next())
  }

  @Test("R3: after cancel the action has its outcome and nothing more is committed, though its handler continues")
  func nothingIsCommittedAfterCancel() async throws {
    let gate = Gate()
    let (receipt, run) = try await sendStubborn(gate)
    #expect(run.emit("before"))
    receipt.cancel()
    #expect(!run.emit("after"))
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
    #expect(!run.emit("later"))
    store.send(.commit("next"))
    #expect(await store.log == ["before", "closed: cancelled", "next"])
    #expect(await receipt.lastRevision == 2)
  }

  @Test("R3: cancelAll ends every run before it returns, and takes what is sent later")
  func cancelAllEndsEveryRun() async throws {
    let gate = Gate()
    let (first, firstRun) = try await sendStubborn(gate)
    let (second, secondRun) = try await sendStubborn(gate)
    let batch = store.send(contentsOf: [.handle { _ in await gate.enterIgnoringCancellation() }, .commit("decided")])
    store.cancelAll()
    #expect(!firstRun.emit("after"))
    #expect(!secondRun.emit("after"))
    #expect(await kinds([first, second]) == [.cancelled, .cancelled])
    #expect(await batch.outcomes.map(\.kind) == [.cancelled, .finished])
    #expect(await store.send(.handle { $0.emit("next") }).outcome.kind == .finished)
    gate.open()
    #expect(await store.log == ["decided", "closed: cancelled", "closed: cancelled", "next"])
  }

  @Test("R3: a handler that is cancelled while it runs has its task cancelled")
  func theTaskIsCancelled() async throws {
    let gate = Gate()
    let noticed = Recorder<Bool>()
    let receipt = store.send(
      .handle { _ in
        do { try await gate.enter() } catch { noticed.record(Task.isCancelled) }
      })
    try await gate.waitForArrivals()
    receipt.cancel()
    #expect(try await noticed.next())
  }

  @Test("R3: a batch is cancelled by its receipt")
  func aBatchIsCancelled() async throws {
    let gate = Gate()
    let batch = store.send(
      contentsOf: [
        .commit("decided"), ScriptedInteractor.Action.handle { _ in await gate.enterIgnoringCancellation() }.closed(),
        .handle { $0.emit("handled") },
      ])
    _ = try await store.wait { $0.log.contains("handled") }
    _ = await store.state
    batch.cancel()
    #expect(await store.log.last == "closed: cancelled")
    #expect(await batch.outcomes.map(\.kind).prefix(2) == [.finished, .cancelled])
    gate.open()
  }

  @Test("R3: cancel from inside the commit of that very run takes effect right after that commit")
  func cancelFromTheOwnCommit() async throws {
    let gate = Gate()
    let (receipt, run) = try await sendStubborn(gate)
    #expect(run.emit("before"))
    run.emit(
      ScriptedInteractor.Mutation("cancelling") { [store] in
        store.send(.commit("sent before"))
        receipt.cancel()
        #expect(run.emit("queued behind the commit, then cancelled"))
      })
    #expect(!run.emit("after"))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.log == ["before", "cancelling", "closed: cancelled", "sent before"])
    gate.open()
  }

  @Test(
    "R3: cancel from inside decide lets the whole decision be committed, then starts no handler",
    arguments: [true, false])
  func cancelFromTheOwnDecision(inReduce: Bool) async throws {
    let receipt = Box<Receipt?>(nil)
    let handled = Box(false)
    let (latch, thread) = try await store.block()
    receipt.value = store.send(
      ScriptedInteractor.Action(
        decide: { _ in
          if !inReduce { receipt.value?.cancel() }
          return .mutate(
            [ScriptedInteractor.Mutation("a") { if inReduce { receipt.value?.cancel() } }, "b"], thenHandle: true)
        },
        handle: { _, _ in handled.value = true }
      ).closed())
    latch.open()
    #expect(await receipt.value?.outcome.kind == .cancelled)
    await thread.value
    #expect(await store.log == ["block", "a", "b", "closed: cancelled"])
    #expect(!handled.value)
  }

  @Test("R3: an action that is cancelled while it is queued behind another thread's step is never decided")
  func aLeftActionIsNeverDecided() async throws {
    let decided = Box(false)
    let left = Box<[Receipt]>([])
    let action = ScriptedInteractor.Action.decide { _ in
      decided.value = true
      return .mutate("decided")
    }
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            for receipt in left.value { receipt.cancel() }
          }))
    }
    try await latch.waitForArrival()
    left.value = [store.send(action), store.send(action)]
    let last = store.send(.commit("last"))
    latch.open()
    #expect(await kinds(left.value + [last]) == [.cancelled, .cancelled, .finished])
    #expect(await store.log == ["block", "last"])
    #expect(!decided.value)
    await thread.value
  }

  @Test("R3: cancelAll covers what is queued behind another thread's step, and not what is sent after it")
  func cancelAllCoversQueuedActions() async throws {
    let decided = Box(0)
    let action = ScriptedInteractor.Action.decide { _ in
      decided.value += 1
      return .mutate("decided")
    }
    let later = Box<Receipt?>(nil)
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            store.cancelAll()
          }))
    }
    try await latch.waitForArrival()
    let left = [store.send(action.closed()), store.send(ScriptedInteractor.Action.handle { _ in }.closed())]
    let batch = store.send(contentsOf: [action, action])
    latch.open()
    #expect(await kinds(left) == [.cancelled, .cancelled])
    #expect(await batch.outcomes.map(\.kind) == [.cancelled, .cancelled])
    await thread.value
    later.value = store.send(action)
    #expect(await later.value?.outcome.kind == .finished)
    #expect(await store.log == ["block", "decided"])
    #expect(decided.value == 1)
  }

  @Test(
    "R3: cancel(key:) covers the actions of the key that are queued behind another thread's step, and leaves all others alone"
  )
  func cancelOfAKeyCoversQueuedActions() async throws {
    let decided = Box(0)
    let action = ScriptedInteractor.Action.decide { _ in
      decided.value += 1
      return .mutate("decided")
    }.closed()
    let handled = ScriptedInteractor.Action.handle { $0.emit("handled") }.closed()
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            store.cancel(key: "k")
          }))
    }
    try await latch.waitForArrival()
    let cancelled = [
      store.send(action.planned(.serial(key: "k"))), store.send(handled.planned(.latest(key: "k"))),
      store.send(action.planned(.latest(key: "k").debounce(.seconds(60)))),
    ]
    let others = [
      store.send(ScriptedInteractor.Action.commit("other").planned(.serial(key: "other"))),
      store.send(.commit("without a key")),
    ]
    let batch = store.send(contentsOf: [action.planned(.exclusive(key: "k")), .commit("in the batch")])
    latch.open()
    await thread.value
    try #require(await store.log == ["block", "other", "without a key", "in the batch"])
    #expect(await kinds(cancelled) == [.cancelled, .cancelled, .cancelled])
    #expect(await kinds(others) == [.finished, .finished])
    #expect(await batch.outcomes.map(\.kind) == [.cancelled, .finished])
    #expect(decided.value == 0)
    #expect(await store.send(action.planned(.serial(key: "k"))).outcome.kind == .finished)
  }

  @Test("R3: a run that is cancelled before its task is known has that task cancelled as soon as it is")
  func aTaskThatBeginsTooLate() async {
    let gate = Gate()
    let cancelled = Box(false)
    let receipt = store.send(
      .handle { [store] _ in
        // Until the first suspension the store does not know the task.
        store.cancelAll()
        await withTaskCancellationHandler {
          await gate.enterIgnoringCancellation()
        } onCancel: {
          cancelled.value = true
        }
      })
    #expect(cancelled.value)
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
  }

  @Test("R3: mutations that a run queued behind another thread's step are not committed once it is cancelled")
  func leftMutationsAreNotCommitted() async throws {
    let gate = Gate()
    let (receipt, run) = try await sendStubborn(gate)
    let latch = Latch()
    let thread = onThread { [store] in
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            receipt.cancel()
          }))
    }
    try await latch.waitForArrival()
    #expect(run.emit("left"))
    latch.open()
    #expect(await receipt.outcome.kind == .cancelled)
    await thread.value
    #expect(await store.log == ["block", "closed: cancelled"])
    gate.open()
  }

  @Test("R3: no commit follows the return of cancel, while four threads emit as fast as they can", arguments: 1...10)
  func noCommitAfterCancelReturned(round: Int) async throws {
    let gate = Gate()
    let (receipt, run) = try await sendStubborn(gate)
    let tickers = (0..<4).map { _ in
      onThread { while run.emit("tick") {} }
    }
    try await store.wait { $0.log.count > round * 50 }
    let revision = await onThreadReturning { [store] in
      receipt.cancel()
      return store
    }.snapshot.revision
    for ticker in tickers { await ticker.value }
    let later = await store.snapshot
    #expect(later.revision == revision)
    #expect(later.state.log.last == "closed: cancelled")
    gate.open()
  }

  @Test("R3: when cancel returns an action has been decided and closed, or never is, while 8 tasks send and cancel")
  func cancelUnderContention() async {
    let gate = Gate()
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var wrong = 0
          for action in 0..<50 {
            let name = "\(task).\(action)"
            let decided = Box(false)
            let receipt = store.send(
              ScriptedInteractor.Action(
                decide: { _ in
                  decided.value = true
                  return .handle
                },
                handle: { run, _ in
                  await gate.enterIgnoringCancellation()
                  run.emit("too late")
                }
              ).closed(as: name))
            receipt.cancel()
            let wasDecided = decided.value
            let log = await store.log
            if log.contains("\(name): cancelled") != wasDecided || decided.value != wasDecided { wrong += 1 }
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    gate.open()
    #expect(wrong == 0)
    #expect(await !store.log.contains("too late"))
  }
}
