import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/testing-a-durable-store.md, as they stand there.
@Suite("DurableTestingSnippets", .timeLimit(.minutes(1)))
struct DurableTestingSnippets {
  @Test("A second store on one journal has what the first one acknowledged, and fences it")
  func memory() async throws {
    // snippet.memory
    let journal = MemoryJournal()
    let first = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    _ = await first.send(.note(1)).outcome

    // No shutdown: for the log, that is a crash.
    let second = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    #expect(await second.state == ["note 1"])
    #expect(await first.send(.note(2)).outcome.kind == .failed)  // It is not the writer any more.
    // snippet.end
  }

  @Test("A run that was open at a crash is closed by the next process")
  func open() async throws {
    // snippet.open
    let (journal, gate) = (MemoryJournal(), Gate())
    let first = try await Store.open(
      initial: [], interactor: Orders { _, _ in try await gate.enter() }, journal: journal, key: "orders")
    let receipt = first.send(.order(7))
    try await gate.waitForArrivals()  // The handler is running, so its action is durable.

    let second = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    #expect(await second.state == ["open 7", "abandoned 7"])
    // snippet.end
    gate.open()
    #expect(await receipt.outcome.kind == .failed)
  }

  @Test("A store stops at an append that fails for good")
  func failure() async throws {
    // snippet.failure
    let journal = MemoryJournal()
    let store = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    journal.failNext(JournalError(.failed, "The disk is full; free some space."))
    #expect(await store.send(.note(1)).outcome.kind == .failed)
    #expect(await store.send(.note(2)).outcome.rejectionKind == .journal)  // The store takes up nothing more.
    // snippet.end
  }

  @Test("D1: each acknowledged note survives a crash at any step of a simulated world")
  func crash() async {
    // snippet.crash
    await Simulation.run(seeds: 0..<100) { world in
      let node = world.node("service")
      let journal = MemoryJournal()  // It outlives the node, as a disk does.
      let acknowledged = Recorder<String>()

      /// One life of the service: from its opening to its shutdown, or to a crash.
      @Sendable func live(_ numbers: ClosedRange<Int>) async throws {
        let store = try await Store.open(
          initial: [], interactor: Orders(), journal: journal, key: "orders", configuration: node.configuration)
        let state = await store.state
        world.expect(acknowledged.recorded.allSatisfy(state.contains), "what was acknowledged survives")
        for number in numbers {
          let outcome = await store.send(.note(number)).outcome
          if outcome.kind == .finished { acknowledged.record("note \(number)") }
        }
        await store.shutdown(drainFor: .seconds(1))
      }

      node.run { try await live(1...5) }
      await world.pause(upTo: 60)  // A number of steps that the seed chooses.
      node.crash()  // The journal keeps the batches of the appends in progress, or a first part of them.
      await node.run { try await live(6...10) }.value
      world.expect(acknowledged.recorded.contains("note 10"), "it makes progress")
    }
    // snippet.end
  }
}
