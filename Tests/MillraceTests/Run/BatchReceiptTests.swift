import Millrace
import MillraceTesting
import Testing

@Suite("BatchReceipt", .timeLimit(.minutes(1)))
struct BatchReceiptTests {
  let store = Store()

  @Test("A batch counts its actions, and gives their outcomes in order when all have ended")
  func outcomesInOrder() async throws {
    let gate = Gate()
    let batch = store.send(
      contentsOf: [
        .handle { _ in try await gate.enter() }, .commit("a"), .decide { _ in .reject(Mishap()) },
        .handle { _ in throw Mishap() }, .commit("b"),
      ])
    #expect(batch.count == 5)
    let outcomes = Task.immediate { await batch.outcomes.map(\.kind) }
    gate.open()
    #expect(await outcomes.value == [.finished, .finished, .rejected, .failed, .finished])
    #expect(await store.log == ["a", "b"])
  }

  @Test("An empty batch has no outcomes")
  func anEmptyBatch() async {
    let batch = store.send(contentsOf: [])
    #expect(batch.count == 0)
    #expect(await batch.outcomes.isEmpty)
    #expect(await store.snapshot.revision == 0)
  }

  @Test(
    "A batch of more actions than one step takes keeps their order, in a free store and behind another thread's step")
  func aLargeBatchKeepsItsOrder() async throws {
    let names = (0..<1_000).map(String.init)
    let first = store.send(contentsOf: names.map { .commit(ScriptedInteractor.Mutation($0)) })
    #expect(await store.log == names)
    let (latch, thread) = try await store.block()
    let second = store.send(contentsOf: names.map { .commit(ScriptedInteractor.Mutation($0)) })
    latch.open()
    #expect(await second.outcomes.count == 1_000)
    #expect(first.count == 1_000)
    #expect(await first.outcomes.allSatisfy { $0.kind == .finished })
    await thread.value
    #expect(await store.log == names + ["block"] + names)
  }

  @Test("cancel ends what has not ended, and leaves the rest as it is")
  func cancelEndsTheRest() async throws {
    let gate = Gate()
    let batch = store.send(
      contentsOf: [.commit("a"), ScriptedInteractor.Action.handle { _ in try await gate.enter() }.closed()])
    batch.cancel()
    #expect(await batch.outcomes.map(\.kind) == [.finished, .cancelled])
    #expect(await store.log == ["a", "closed: cancelled"])
  }
}
