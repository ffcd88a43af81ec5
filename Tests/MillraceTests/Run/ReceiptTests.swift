import MillraceTesting
import Testing

@testable import Millrace

@Suite("Receipt", .timeLimit(.minutes(1)))
struct ReceiptTests {
  let store = Store()

  @Test("firstCommit is answered while the run still continues, whether it is asked for before or after")
  func firstCommitIsAnsweredEarly() async throws {
    let start = Gate()
    let end = Gate()
    store.send(.commit("another's"))
    let receipt = store.send(
      .handle { run in
        try await start.enter()
        run.emit("a")
        run.emit("b")
        try await end.enter()
      })
    let asked = Task.immediate { await receipt.firstCommit }
    start.open()
    #expect(await asked.value == 2)
    try await end.waitForArrivals()
    #expect(await receipt.firstCommit == 2)
    end.open()
    #expect(await receipt.lastRevision == 3)
    #expect(await receipt.firstCommit == 2)
  }

  @Test("firstCommit of a decision that is handled then is the decision's")
  func firstCommitOfADecision() async throws {
    let gate = Gate()
    let receipt = store.send(
      ScriptedInteractor.Action(
        decide: { _ in .mutate(["a", "b"], thenHandle: true) },
        handle: { run, _ in
          try await gate.enter()
          run.emit("c")
        }))
    #expect(await receipt.firstCommit == 1)
    gate.open()
    #expect(await receipt.lastRevision == 3)
  }

  @Test(
    "firstCommit and lastRevision are nil when nothing was committed, whether they are asked for before or after the end"
  )
  func nothingWasCommitted() async throws {
    let gate = Gate()
    let receipt = store.send(.handle { _ in try await gate.enter() })
    let asked = Task.immediate { await (receipt.firstCommit, receipt.lastRevision) }
    gate.open()
    #expect(await asked.value == (nil, nil))
    #expect(await receipt.firstCommit == nil)
    #expect(await receipt.lastRevision == nil)
    for decision: Decision<ScriptedInteractor.Mutation> in [.ignore, .mutate([]), .reject(Mishap())] {
      let receipt = store.send(.decide { _ in decision })
      #expect(await receipt.firstCommit == nil)
      #expect(await receipt.lastRevision == nil)
    }
    await store.shutdown()
    #expect(await store.send(.commit("late")).firstCommit == nil)
  }

  @Test("The closing mutation counts as a commit of its action")
  func theClosingMutationCounts() async {
    let receipt = store.send(ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }.closed())
    #expect(await receipt.firstCommit == 1)
    #expect(await receipt.lastRevision == 1)
  }

  @Test("The revisions of an action that was queued behind another thread's step are those of its commits")
  func revisionsOfAQueuedAction() async throws {
    let (latch, thread) = try await store.block()
    let one = store.send(.commit("one"))
    let many = store.send(.decide { _ in .mutate(["a", "b"]) })
    latch.open()
    #expect(await one.firstCommit == 2)
    #expect(await one.lastRevision == 2)
    #expect(await many.firstCommit == 3)
    #expect(await many.lastRevision == 4)
    await thread.value
  }

  @Test("Ids are unique in a store, whether actions were taken up at once or queued, by 8 tasks")
  func idsAreUnique() async throws {
    let ids = Recorder<ActionID>()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<250 {
            // What is sent from inside a commit is always queued.
            let receipt = store.send(
              .commit(ScriptedInteractor.Mutation("a") { ids.record(store.send(.commit("b")).id) }))
            ids.record(receipt.id)
          }
        }
      }
    }
    // An action that was queued sends its second one when it is taken up, which may be after its own send has returned.
    try await store.wait { $0.log.count == 4_000 }
    #expect(ids.recorded.count == 4_000)
    #expect(Set(ids.recorded).count == 4_000)
  }

  @Test("An id is described by its number")
  func anIDIsDescribedByItsNumber() {
    #expect(ActionID.takenAtOnce(3).description == "#12")
    #expect(ActionID.queued(3).description == "#13")
    #expect(ActionID.queued(3).number == 13)
  }

  @Test("Cancelling the task that waits for an outcome neither cancels the action nor ends the wait")
  func cancellingTheWait() async throws {
    let gate = Gate()
    let receipt = store.send(
      .handle { run in
        try await gate.enter()
        run.emit("a")
      })
    let waiting = Task.immediate { await receipt.outcome.kind }
    waiting.cancel()
    gate.open()
    #expect(await waiting.value == .finished)
    #expect(await store.log == ["a"])
  }

  @Test("Cancelling what has ended does nothing")
  func cancellingWhatHasEnded() async {
    let decided = store.send(ScriptedInteractor.Action.commit("a").closed())
    let handled = store.send(ScriptedInteractor.Action.handle { $0.emit("b") }.closed())
    _ = await handled.outcome
    decided.cancel()
    handled.cancel()
    #expect(await kinds([decided, handled]) == [.finished, .finished])
    #expect(await store.log == ["a", "b"])
  }

  @Test("A receipt of an action that settled at once keeps nothing of the store")
  func aSettledReceiptHasNoTicket() {
    #expect(store.send(.commit("a")).ticket == nil)
    #expect(store.send(.decide { _ in .ignore }).ticket == nil)
  }
}
