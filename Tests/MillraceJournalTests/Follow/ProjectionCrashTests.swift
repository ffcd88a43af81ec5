import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Projections in simulations", .timeLimit(.minutes(10)))
struct ProjectionCrashTests {
  /// A node with stores, and another one with a projection of them; both crash.
  private final class Service: Sendable {
    let world: World
    let journal = MemoryJournal()
    let numbers = Mutex(0)

    init(in world: World) { self.world = world }

    func accounts(_ node: World.Node) async throws -> ManyAccounts {
      var options = JournalOptions()
      options.snapshotRecords = 4
      return try await ManyAccounts.accounts(
        journal, limits: StoresLimits(live: 2, idle: .milliseconds(1), opening: 2), configuration: node.configuration,
        options: options
      ) { run, number in
        await Task.yield()
        run.emit(.added(number))
      }
    }

    func ledger(_ node: World.Node) async throws -> Projection<Ledger> {
      var options = JournalOptions()
      options.snapshotRecords = 7
      return try await Projection.open(
        initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: journal), journal: journal,
        key: "ledger", configuration: node.configuration, options: options, action: Ledger.action)
    }

    /// Sends to three keys, erases one now and then, and ends the stores.
    func write(_ node: World.Node) async throws {
      let stores = try await accounts(node)
      await withTaskGroup { group in
        for key in ["x", "y", "z"] {
          group.addTask {
            for action in self.world.actions(5, from: [0, 1, 2, 3, 4, 5, 5]) { await self.act(action, key, stores) }
          }
        }
      }
      await stores.shutdown(drainFor: .seconds(1))
    }

    private func act(_ action: Int, _ key: String, _ stores: ManyAccounts) async {
      let number = numbers.withLock { number in
        number += 1
        return number
      }
      switch action {
      case 0: _ = await stores.send(.deposit(1_000 + number), to: key).outcome
      case 1: _ = await stores.send(.deposits([1, number, 2_000, 2]), to: key).outcome
      case 2: _ = await stores.send(.orderAgain(number), to: key).outcome
      case 3: await stores.hibernate(key)
      case 4: if number % 3 == 0 { try? await stores.erase(key) }
      default: _ = await stores.send(.deposit(number), to: key).outcome
      }
    }

    /// Follows until the node crashes.
    func follow(_ node: World.Node) async throws {
      let projection = try await ledger(node)
      for await _ in projection.reader.states {}
      world.expect(
        projection.failure == nil, "no event is decided twice or passed over: \(String(describing: projection.failure))"
      )
    }

    /// Checks that the projection has the states of all keys.
    func check(_ source: World.Node, _ reader: World.Node) async throws {
      // The runs that a crash has left open are ended first.
      let ending = try await accounts(source)
      for key in ["x", "y", "z"] { _ = try await ending.state(of: key) }
      await ending.shutdown(drainFor: .seconds(60))
      let stores = try await accounts(source)
      let projection = try await ledger(reader)
      try await projection.catchUp()
      let ledger = await projection.reader.state
      for key in ["x", "y", "z"] {
        let snapshot = try await stores.snapshot(of: key)
        world.expect(
          ledger.accounts[key]?.revision ?? 0 == snapshot.revision,
          "the projection has each revision of \(key): \(String(describing: ledger.accounts[key])) and not \(snapshot)")
        world.expect(
          ledger.accounts[key]?.state ?? Accounts.State(balance: 1) == snapshot.state,
          "the projection has the state of \(key)")
      }
      world.expect(projection.failure == nil, "the projection goes on")
      await projection.shutdown()
      await stores.shutdown(drainFor: .seconds(1))
    }
  }

  @Test(
    "K6: a projection decides each event once, and misses none, after crashes of it and of what it follows, at any step"
  )
  func crashes() async {
    await Simulation.run(seeds: 0..<200) { world in
      let service = Service(in: world)
      let (source, reader) = (world.node("source"), world.node("reader"))
      for _ in 0..<3 {
        source.run { try await service.write(source) }
        reader.run { try await service.follow(reader) }
        await world.pause(upTo: 300)
        if world.actions(1, from: [0, 1]) == [0] { reader.crash() } else { source.crash() }
        await world.pause(upTo: 100)
        source.crash()
        reader.crash()
      }
      await source.run { try await service.check(source, reader) }.value
    }
  }
}
