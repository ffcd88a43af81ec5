import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/several-processes.md, as they stand there.
@Suite("SeveralProcessesSnippets", .timeLimit(.minutes(1)))
struct SeveralProcessesSnippets {
  typealias OrderID = ManyKeysSnippets.OrderID
  typealias Order = ManyKeysSnippets.Order

  struct Unavailable: Error, CustomStringConvertible {
    let description: String
  }

  struct Counter: Interactor {
    func decide(_ action: Int, state: Int) -> Decision<Int> { .mutate(action) }
    static func reduce(into state: inout Int, mutation: Int) { state += mutation }
  }

  @Test("A process opens its part of the stores, sends, and sees the members")
  func open() async throws {
    let (journal, payments) = (MemoryJournal(partitions: 8), ManyKeysSnippets.Paid())
    // snippet.open
    let orders = try await Stores<OrderID, Order>.open(
      name: "orders", journal: journal, address: "10.0.0.7:8080", initial: { _ in Order.State() },
      interactor: { Order(id: $0, payments: payments) })
    // snippet.end
    let id = OrderID(number: 17)
    func forward(_ action: String, to address: String, for id: OrderID) async throws {}
    // snippet.send
    switch await orders.send(.pay, to: id, key: "request 17").outcome {
    case .rejected(.notOwner(let address?)): try await forward("pay", to: address, for: id)
    case .rejected(.notOwner(nil)): throw Unavailable(description: "The key changes hands; try again in a second.")
    case .finished: break
    case let outcome: throw Unavailable(description: "\(outcome)")
    }
    // snippet.end
    #expect(try await orders.state(of: id).isPaid)
    // snippet.members
    if let shares = orders.shares {
      try await shares.wait(until: { $0.members.count >= 1 }, timeout: .seconds(20))
      print(await shares.state.members.map { $0.address ?? "?" })
    }
    print(orders.summary)
    // snippet.end
    #expect(orders.owner(of: id)?.address == "10.0.0.7:8080")
    await orders.shutdown()
  }

  @Test("A node of a simulation takes over")
  func test() async {
    // snippet.test
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 8, clock: world.clock)
      let (first, second) = (world.node("first"), world.node("second"))
      @Sendable func open(_ node: World.Node) async throws -> Stores<String, Counter> {
        try await Stores<String, Counter>.open(
          name: "counters", journal: journal, address: node.name, configuration: node.configuration,
          initial: { _ in 0 }, interactor: { _ in Counter() })
      }
      let acknowledged = Recorder<String>()
      first.run {
        let stores = try await open(first)
        for key in ["a", "b", "c"] where await stores.send(1, to: key).outcome.kind == .finished {
          acknowledged.record(key)
        }
      }
      await world.pause(upTo: 500)
      first.crash()
      let stores = try await open(second)
      try await world.clock.sleep(for: .seconds(20))
      for key in acknowledged.recorded {
        world.expect(try await stores.state(of: key) == 1, "what was acknowledged is there")
      }
      await stores.shutdown()
    }
    // snippet.end
  }
}
