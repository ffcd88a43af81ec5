import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Processes that are replaced at their address", .timeLimit(.minutes(2)))
struct ReplacedMemberTests {
  private static let keys = (0..<40).map { "key \($0)" }

  private static func open(
    _ node: World.Node, _ journal: some SharedJournal, _ incidents: Recorder<Incident>,
    address: String = "10.0.0.7:8080"
  ) async throws(JournalError) -> Stores<String, Orders> {
    var configuration = node.configuration
    configuration.report = { incidents.record($0) }
    return try await Stores<String, Orders>.open(
      name: "orders", journal: journal, address: address, lease: .seconds(10), configuration: configuration,
      initial: { _ in [] }, interactor: { _ in Orders(handling: { $0.emit(.done($1)) }) })
  }

  @Test("K5: A process that is restarted with its address within the lease owns its keys at once")
  func restarted() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 16, clock: world.clock)
      let (node, incidents) = (world.node("first"), Recorder<Incident>())
      await node.run {
        let stores = try await Self.open(node, journal, incidents)
        for key in Self.keys { _ = await stores.send(.note(1), to: key).outcome }
      }.value
      node.crash()
      let stores = try await Self.open(world.node("again"), journal, incidents)
      for key in Self.keys {
        let outcome = await stores.send(.note(2), to: key).outcome
        world.expect(outcome.kind == .finished, "no key belongs to the former life: \(outcome)")
        world.expect(try await stores.state(of: key) == ["note 1", "note 2"], "nothing is lost")
      }
      let replaced = incidents.recorded.filter { $0.kind == .replacedMember }.map(\.description)
      world.expect(
        replaced.count == 1 && replaced.allSatisfy { $0.contains(#"at the address "10.0.0.7:8080", which process "#) },
        "the incident names the address: \(replaced)")
      await stores.shutdown()
    }
  }

  @Test("K5: A process whose address another one has taken ends as one that is fenced, and does not join again")
  func fenced() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 16, clock: world.clock)
      let (early, late) = (Recorder<Incident>(), Recorder<Incident>())
      let stores = try await Self.open(world.node("early"), journal, early)
      let other = try await Self.open(world.node("other"), journal, late, address: "10.0.0.8:8080")
      try await world.clock.sleep(for: .seconds(3))
      let newcomer = try await Self.open(world.node("late"), journal, late)
      // It learns of the newcomer by its next renewal.
      await stores.run()
      let report = await stores.shutdown()
      let failure = report.firstFailure as? JournalError
      world.expect(!report.isClean && failure?.code == .conflict, "the report has the failure: \(report)")
      let rejection = await stores.send(.note(1), to: "key 1").outcome.rejectionKind
      world.expect(rejection == .journal, "no key is opened again")
      let fenced = early.recorded.filter { $0.kind == .fencedStores }.map(\.description)
      world.expect(
        fenced.count == 1 && fenced.allSatisfy { $0.contains(#"at the address "10.0.0.7:8080" of this process by "#) },
        "the incident names the address: \(early.recorded)")
      try await world.clock.sleep(for: .seconds(60))
      let members = try await journal.shares(of: "orders").members
      world.expect(members.count == 2, "it has not joined again: \(members)")
      world.expect(late.recorded.filter { $0.kind == .replacedMember }.count == 1, "the newcomer has replaced one")
      world.expect(late.recorded.allSatisfy { $0.kind != .fencedStores }, "the others continue")
      for key in Self.keys {
        let outcomes = [await newcomer.send(.note(1), to: key).outcome, await other.send(.note(1), to: key).outcome]
        world.expect(outcomes.count { $0.kind == .finished } == 1, "one of the two takes it: \(outcomes)")
      }
      await newcomer.shutdown()
      await other.shutdown()
    }
  }
}
