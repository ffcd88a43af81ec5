import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Stores that processes share, in simulations", .timeLimit(.minutes(10)))
struct SharedStoresTests {
  private static let lease = Duration.seconds(10)
  private static let partitions = 8
  private static let keys = (0..<6).map { "key \($0)" }

  /// Processes that share the orders of one journal.
  private final class Cluster: Sendable {
    let world: World
    let nodes: [World.Node]
    let journal: MemoryJournal
    /// The entries whose outcomes were seen, with their keys.
    let acknowledged = Recorder<String>()
    let refused = Recorder<Rejection.Kind>()
    let numbers = Mutex(0)
    /// Whether calls of the journal are late, refused, or lose their answers.
    let isDisturbed = Mutex(false)

    init(in world: World, nodes: Int) {
      self.world = world
      self.nodes = (0..<nodes).map { world.node("node \($0)") }
      journal = MemoryJournal(partitions: partitions, clock: world.clock)
    }

    func open(_ node: Int) async throws -> Stores<String, Orders> {
      // A process that is stopped makes no call until then.
      let stop = Mutex(world.clock.now)
      let journal = DisturbedJournal(journal) { [self] in
        if isDisturbed.withLock({ $0 }), world.fault(0.05) {
          let time = world.duration(in: .zero...lease * 1.5)
          switch world.element(of: [0, 1, 2, 3]) {
          case 0:
            try? await world.clock.sleep(for: time)
            return .refused
          case 1:
            try? await world.clock.sleep(for: time)
            return .unanswered
          case 2: try? await world.clock.sleep(for: time)
          default: stop.withLock { $0 = world.clock.now.advanced(by: lease + time) }
          }
        }
        try? await world.clock.sleep(until: stop.withLock { $0 })
        return .none
      } didStoreLate: { [world] claim in
        world.expect(false, "an append of an earlier claim stores nothing: \(claim)")
      }
      var options = JournalOptions()
      options.snapshotRecords = 5
      options.deadline = lease * 6
      var configuration = nodes[node].configuration
      let report = configuration.report
      configuration.report = { [world] incident in
        report(incident)
        world.expect(
          incident.kind != .failedWake, "a key whose partition was given up is opened by its owner: \(incident)")
      }
      return try await Stores<String, Orders>.open(
        name: "orders", journal: journal, address: "node \(node)", lease: lease,
        limits: StoresLimits(live: 4, idle: .seconds(1), opening: 2), configuration: configuration,
        options: options, initial: { [$0] },
        interactor: { key in
          Orders { run, number in
            let state = try await run.state
            self.world.expect(state.first == key, "a handler has the state of its key")
            if !state.contains("done \(number)") { run.emit(.done(number)) }
          }
        })
    }

    /// Sends actions to keys of all processes, some of which this one owns.
    func send(_ count: Int, to stores: Stores<String, Orders>) async {
      await withTaskGroup { group in
        for sender in 0..<2 {
          group.addTask {
            for action in self.world.actions(count, from: [0, 1, 2, 3]) {
              let number = self.numbers.withLock { number in
                number += 1
                return number
              }
              let key = keys[(number + sender) % keys.count]
              switch action {
              case 0: await self.note(stores.send(.note(number), to: key), "note \(number)", key)
              case 1: await self.note(stores.send(.order(number), to: key), "done \(number)", key)
              case 2: await self.note(stores.send(.orderAgain(number), to: key), "done \(number)", key)
              default: try? await self.world.clock.sleep(for: self.world.duration(in: .zero ... .seconds(3)))
              }
            }
          }
        }
      }
    }

    private func note(_ receipt: Receipt, _ entry: String, _ key: String) async {
      let outcome = await receipt.outcome
      if outcome.kind == .finished { acknowledged.record("\(key): \(entry)") }
      if case .rejected(let reason) = outcome { refused.record(reason.kind) }
    }

    func check(_ state: [String], of key: String) {
      world.expect(state.first == key && Set(state).count == state.count, "nothing is there twice")
      let all = Set(state.map { "\(key): \($0)" })
      let expected = acknowledged.recorded.filter { $0.hasPrefix("\(key): ") }
      world.expect(all.isSuperset(of: expected), "what was acknowledged is there")
      for order in state where order.hasPrefix("open ") {
        let number = order.dropFirst(5)
        world.expect(
          ["done", "abandoned", "shutDown", "failed", "cancelled"].contains { state.contains("\($0) \(number)") },
          "no order is open for ever")
      }
    }

    /// Whether one process is left, and owns all partitions.
    static func hasOneOwner(_ shares: JournalShares) -> Bool {
      shares.members.count == 1 && (0..<partitions).allSatisfy { shares.owner(of: $0) != nil }
    }
  }

  @Test(
    "K5: While processes join, leave, crash, stop and lose answers, no key has two writers, nothing acknowledged is lost, each send ends, and each partition has an owner within two leases"
  )
  func disturbances() async {
    await Simulation.run(seeds: 0..<1_000) { world in
      let cluster = Cluster(in: world, nodes: 3)
      cluster.isDisturbed.withLock { $0 = true }
      for node in cluster.nodes.indices {
        cluster.nodes[node].run {
          let stores = try await cluster.open(node)
          await cluster.send(4, to: stores)
          await stores.shutdown(drainFor: .seconds(1))
        }
      }
      for _ in 0..<2 {
        await world.pause(upTo: 1_500)
        let node = world.element(of: [0, 1, 2]) ?? 0
        cluster.nodes[node].crash()
        cluster.nodes[node].run {
          let stores = try await cluster.open(node)
          await cluster.send(2, to: stores)
          await stores.shutdown(drainFor: .seconds(1))
        }
      }
      await world.pause(upTo: 1_500)
      for node in cluster.nodes { node.crash() }
      cluster.isDisturbed.withLock { $0 = false }
      await cluster.nodes[0].run {
        let stores = try await cluster.open(0)
        try await #require(stores.shares).wait(until: Cluster.hasOneOwner, timeout: Self.lease * 2)
        for key in Self.keys {
          let outcome = await stores.send(.text("the end"), to: key).outcome
          world.expect(outcome.kind == .finished, "the process that is left takes actions")
          cluster.check(try await stores.state(of: key), of: key)
        }
        await stores.shutdown(drainFor: .seconds(1))
      }.value
    }
  }
}
