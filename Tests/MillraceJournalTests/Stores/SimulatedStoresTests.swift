import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("The stores of many keys in simulations", .timeLimit(.minutes(10)))
struct SimulatedStoresTests {
  /// A node whose stores are opened in each of its lives.
  private final class Service: Sendable {
    typealias Orders3 = Stores<String, Orders>

    let world: World
    let node: World.Node
    let journal = KeysJournal()
    /// The entries whose outcomes were seen, with their keys.
    let acknowledged = Recorder<String>()
    /// The keys whose stores are open, to see that no key has two.
    let handled = Mutex<[String: Int]>([:])
    let numbers = Mutex(0)
    /// The orders that are handled again after a crash.
    let handledAgain = Recorder<Int>()

    init(in world: World) {
      self.world = world
      node = world.node("a")
    }

    private func open(live: Int) async throws -> Stores<String, Orders> {
      var options = JournalOptions()
      options.snapshotRecords = 5
      return try await Stores<String, Orders>.open(
        name: "orders", journal: journal, limits: StoresLimits(live: live, idle: .milliseconds(1), opening: 2),
        configuration: node.configuration, options: options, initial: { [$0] },
        interactor: { key in
          Orders { run, number in
            await Task.yield()
            let state = try await run.state
            self.world.expect(state.first == key, "a handler has the state of its key")
            if !state.contains("done \(number)") { run.emit(.done(number)) }
          }
        })
    }

    /// Opens the stores, and sends to three keys from several tasks, while keys hibernate.
    func live(senders: Int, isLast: Bool = false) async throws {
      let stores = try await open(live: 2)
      for key in ["x", "y", "z"] { check(try await stores.state(of: key), of: key) }
      await withTaskGroup { group in
        for sender in 0..<senders {
          group.addTask {
            for action in self.world.actions(4, from: [0, 1, 2, 3, 4, 5]) {
              await self.act(action, ["x", "y", "z"][(action + sender) % 3], stores)
            }
          }
        }
      }
      await stores.shutdown(drainFor: .seconds(1))
      guard isLast else { return }
      let last = try await open(live: 3)
      for key in ["x", "y", "z"] {
        let state = try await last.state(of: key)
        check(state, of: key)
        checkOrders(state)
      }
      await last.shutdown(drainFor: .seconds(1))
    }

    private func act(_ action: Int, _ key: String, _ stores: Stores<String, Orders>) async {
      let number = numbers.withLock { number in
        number += 1
        return number
      }
      switch action {
      case 0:
        // One task's sends keep their order, and the second one may come at any point of a hibernation.
        let receipts = [stores.send(.note(number), to: key), stores.send(.text("after \(number)"), to: key)]
        for (receipt, text) in zip(receipts, ["note", "after"]) { await note(receipt, "\(text) \(number)", key) }
      case 1:
        let seen: [String]? = try? await stores.request(.note(number), of: key) { $0 }
        if let seen {
          world.expect(seen.contains("note \(number)"), "an answer has what the action committed")
          acknowledged.record("\(key): note \(number)")
        }
      case 2: await stores.hibernate(key)
      case 3: await note(stores.send(.order(number), to: key), "done \(number)", key)
      case 4:
        handledAgain.record(number)
        await note(stores.send(.orderAgain(number), to: key), "done \(number)", key)
      default:
        var states = stores.states(of: key).makeAsyncIterator()
        if let state = await states.next() { check(state, of: key) }
      }
    }

    private func note(_ receipt: Receipt, _ entry: String, _ key: String) async {
      let outcome = await receipt.outcome
      if outcome.kind == .finished { acknowledged.record("\(key): \(entry)") }
      if case .failed(let error) = outcome { world.expect(false, "no store fails: \(error)") }
    }

    private func check(_ state: [String], of key: String) {
      world.expect(state.first == key && Set(state).count == state.count, "nothing is there twice")
      let all = Set(state.map { "\(key): \($0)" })
      let expected = acknowledged.recorded.filter { $0.hasPrefix("\(key): ") }
      world.expect(all.isSuperset(of: expected), "what was acknowledged survives")
      for case let text in state where text.hasPrefix("after ") {
        let index = state.firstIndex(of: text) ?? 0
        let first = state.firstIndex(of: "note \(text.dropFirst(6))") ?? .max
        world.expect(first < index, "the sends of one task are taken up in their order")
      }
    }

    /// Checks that each order has ended.
    private func checkOrders(_ state: [String]) {
      for order in state where order.hasPrefix("open ") {
        let number = order.dropFirst(5)
        world.expect(
          state.contains("done \(number)") || state.contains("abandoned \(number)")
            || state.contains("shutDown \(number)"),
          "no order is open for ever")
      }
    }
  }

  @Test(
    "K2, K3: a send at any point of a hibernation is neither lost nor handled twice, and those of one task keep their order"
  )
  func hibernations() async {
    await Simulation.run(seeds: 0..<500) { world in
      let service = Service(in: world)
      await service.node.run { try await service.live(senders: 3, isLast: true) }.value
      world.expect(service.handledAgain.recorded.isEmpty || !service.acknowledged.recorded.isEmpty, "it makes progress")
    }
  }

  @Test(
    "K3, K4, D2: after a crash at any step all that was acknowledged is there, and the keys with open runs are opened")
  func crashes() async {
    await Simulation.run(seeds: 0..<500) { world in
      let service = Service(in: world)
      for _ in 0..<2 {
        service.node.run { try await service.live(senders: 2) }
        await world.pause(upTo: 200)
        service.node.crash()
      }
      await service.node.run { try await service.live(senders: 1, isLast: true) }.value
    }
  }
}
