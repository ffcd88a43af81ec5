import Millrace
import MillraceJournal
import MillraceTesting
import Synchronization
import Testing

@Suite("A journaled store that crashes", .timeLimit(.minutes(10)))
struct JournaledStoreCrashTests {
  /// A node whose store is opened in each of its lives.
  private final class Service: Sendable {
    let world: World
    let node: World.Node
    let journal = MemoryJournal()
    /// The notes and orders whose outcomes were seen.
    let acknowledged = Recorder<String>()
    /// The states that durable observers got.
    let seen = Recorder<[String]>()
    let numbers = Mutex(0)
    /// The orders that are handled again after a crash.
    let handledAgain = Recorder<Int>()

    init(in world: World) {
      self.world = world
      node = world.node("a")
    }

    /// Opens the store, checks the restored state, observes, and sends.
    func live(isLast: Bool = false) async throws {
      var options = JournalOptions()
      options.snapshotRecords = 5
      let store = try await Store.open(
        initial: [],
        interactor: Orders { run, number in
          await Task.yield()
          // It is done already if the crash came between the emit and the end.
          if try await !run.state.contains("done \(number)") { run.emit(.done(number)) }
        }, journal: journal, key: "orders", configuration: node.configuration, options: options)
      check(await store.state)
      await withTaskGroup { observers in
        for policy in [ObservationPolicy.durable, .every().durable] {
          observers.addTask { [states = store.snapshots(policy)] in
            for await snapshot in states { self.seen.record(snapshot.state) }
          }
        }
        await withTaskGroup { group in
          for action in world.actions(4, from: [0, 1, 2, 3, 3]) {
            group.addTask { await self.send(action, to: store) }
          }
        }
        await store.shutdown(drainFor: .seconds(1))
      }
      if isLast { checkOrders(await store.state) }
    }

    private func send(_ kind: Int, to store: Store<Orders>) async {
      let number = numbers.withLock { number in
        number += 2
        return number
      }
      switch kind {
      case 0:
        let isFinished = await store.send(.note(number)).outcome.kind == .finished
        if isFinished { acknowledged.record("note \(number)") }
      case 1:
        let receipt = store.send(.notes([number, number + 1]))
        if await receipt.firstCommit != nil { acknowledged.record("note \(number)") }
        if await receipt.outcome.kind == .finished { acknowledged.record("note \(number + 1)") }
      default:
        if kind == 3 { handledAgain.record(number) }
        let isFinished = await store.send(kind == 3 ? .orderAgain(number) : .order(number)).outcome.kind == .finished
        if isFinished { acknowledged.record("done \(number)") }
      }
    }

    private func check(_ state: [String]) {
      let all = Set(state)
      world.expect(all.isSuperset(of: acknowledged.recorded), "what was acknowledged survives")
      world.expect(seen.recorded.allSatisfy(state.starts), "no state that a durable observer got is lost")
      world.expect(all.count == state.count, "nothing is there twice")
      let notes = state.compactMap { $0.hasPrefix("note ") ? Int($0.dropFirst(5)) : nil }
      let odd = notes.filter { !$0.isMultiple(of: 2) }
      world.expect(odd.allSatisfy { notes.contains($0 - 1) }, "no decision is split")
      checkOrders(state, butFor: Set(handledAgain.recorded))
    }

    /// Checks that each order has ended, but for those that are still handled again.
    private func checkOrders(_ state: [String], butFor handledAgain: Set<Int> = []) {
      let all = Set(state)
      for order in state where order.hasPrefix("open ") {
        guard let number = Int(order.dropFirst(5)), !handledAgain.contains(number) else { continue }
        world.expect(all.contains("done \(number)") || all.contains("abandoned \(number)"), "no order is open for ever")
      }
    }
  }

  @Test(
    "D1, D2, D3, D6: after a crash at any step all that was acknowledged is there, and each state that a durable observer got; no decision is split, and no run is open"
  )
  func crashes() async {
    await Simulation.run(seeds: 0..<1_000) { world in
      let service = Service(in: world)
      for _ in 0..<3 {
        service.node.run { try await service.live() }
        await world.pause(upTo: 120)
        service.node.crash()
      }
      await service.node.run { try await service.live(isLast: true) }.value
      world.expect(!service.acknowledged.recorded.isEmpty || service.numbers.withLock { $0 } == 0, "it makes progress")
      world.expect(
        service.seen.recorded.last?.isEmpty == service.acknowledged.recorded.isEmpty, "observers make progress")
    }
  }

  @Test(
    "D2: an action that is sent with its key until it has its outcome is done once, through crashes at any step and snapshots"
  )
  func keys() async {
    await Simulation.run(seeds: 0..<1_000) { world in
      let (node, journal) = (world.node("a"), MemoryJournal())
      let actions: [Accounts.Action] = [
        .deposit(1), .order(10), .orderAgain(100), .shared(1_000), .withdraw(1_000_000),
      ]
      /// The keys of actions whose outcomes were seen.
      let seen = Recorder<Int>()

      @Sendable func live(_ isLast: Bool) async throws {
        var options = JournalOptions()
        options.snapshotRecords = 4
        let store = try await Store.open(
          initial: Accounts.State(),
          interactor: Accounts { run, amount in
            await Task.yield()
            // The state has the amount already if the handler was cut off behind its emit.
            if try await (run.state.balance / amount).isMultiple(of: 10) { run.emit(.added(amount)) }
          }, journal: journal, key: "account", configuration: node.configuration,
          options: options)
        await withTaskGroup { group in
          for (index, action) in actions.enumerated() where isLast || !seen.recorded.contains(index) {
            group.addTask {
              let outcome = await store.send(action, key: "\(index)").outcome
              if outcome.kind == .finished || outcome.rejectionKind == .decided { seen.record(index) }
            }
          }
        }
        await store.shutdown(drainFor: .seconds(1))
        if isLast {
          world.expect(await store.state.balance == 1_111, "each is done once")
          world.expect(Set(seen.recorded).count == actions.count, "each has its outcome")
        }
      }

      for _ in 0..<3 {
        node.run { try await live(false) }
        await world.pause(upTo: 120)
        node.crash()
      }
      await node.run { try await live(true) }.value
    }
  }
}
