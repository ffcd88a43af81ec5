import Millrace
import MillraceJournal
import MillraceTesting
import Synchronization
import Testing

@Suite("Steps of a process that crashes", .timeLimit(.minutes(2)))
struct StepCrashTests {
  /// A gateway that does each request once for its key, and counts what it did.
  private final class Gateway: Sendable {
    private let effects = Mutex<[String: Int]>([:])
    private let calls = Mutex(0)

    var count: Int { effects.withLock { $0.count } }
    var callCount: Int { calls.withLock { $0 } }

    func call(_ key: String) async -> Int {
      calls.withLock { $0 += 1 }
      await Task.yield()
      let number = effects.withLock { effects in
        effects[key] = effects[key] ?? effects.count
        return effects[key] ?? 0
      }
      await Task.yield()
      return number
    }
  }

  private struct Refused: Error, Codable {}

  private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  @Test(
    "T1, T2, T3, T4, T11: through crashes at any step each gateway call has one effect for its key, and the state is the one without a crash"
  )
  func crashes() async {
    await Simulation.run(seeds: 0..<1_000) { world in
      let (node, journal) = (world.node("a"), MemoryJournal())
      let (gateway, isUp) = (Gateway(), Flag())
      let handling: Stepped.Handling = { run, _ in
        // In parallel, so that the order of their records depends on the seed.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for name in ["a", "b"] {
            group.addTask {
              try await run.step(name, commit: { (_: Int) in [name] }) { await gateway.call($0.idempotencyKey) }
            }
          }
          try await group.waitForAll()
        }
        do {
          try await run.step("charge") { step in
            _ = await gateway.call(step.idempotencyKey)
            if !isUp.isSet { throw Refused() }
          }
          run.emit("charged", once: "charged")
        } catch is StepFailure {
          try await run.sleep("grace", for: .milliseconds(20))
          try await run.step("refund", commit: { ["refunded"] }) { _ = await gateway.call($0.idempotencyKey) }
        }
        let count = try await run.wait("all") { $0.count >= 3 ? $0.count : nil }
        run.emit("\(count)", once: "count")
        // From here on the gateway would answer.
        isUp.set()
      }
      @Sendable func live(_ isLast: Bool) async throws {
        var options = JournalOptions()
        options.snapshotRecords = 4
        let store = try await Store.open(
          initial: [], interactor: Stepped(handling), journal: journal, key: "k", configuration: node.configuration,
          options: options)
        let outcome = await store.send(.handle(1), key: "order").outcome
        await store.shutdown(drainFor: .seconds(10))
        guard isLast else { return }
        world.expect(outcome.kind == .finished, "the order is done")
        let state = await store.state
        world.expect(state.prefix(2).sorted() == ["a", "b"], "each step commits once: \(state)")
        world.expect(state.dropFirst(2) == ["refunded", "3"], "the handler takes the same branch again: \(state)")
        world.expect(gateway.count == 4, "each call has one effect")
      }
      for _ in 0..<3 {
        node.run { try await live(false) }
        await world.pause(upTo: 60)
        node.crash()
      }
      await node.run { try await live(true) }.value
    }
  }
}
