import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Partitions that change hands", .timeLimit(.minutes(2)))
struct PartitionHandoverTests {
  private static let lease = Duration.seconds(10)
  private static let keys = (0..<40).map { "key \($0)" }

  private static func open(
    _ node: World.Node, _ journal: some SharedJournal, handling: @escaping Orders.Handling = { $0.emit(.done($1)) }
  ) async throws(JournalError) -> Stores<String, Orders> {
    try await Stores<String, Orders>.open(
      name: "orders", journal: journal, address: node.name, lease: lease, configuration: node.configuration,
      initial: { _ in [] }, interactor: { _ in Orders(handling: handling) })
  }

  /// Waits until a process sees each partition with its first choice as the owner.
  private static func settle(_ stores: Stores<String, Orders>, members: Int) async throws {
    try await #require(stores.shares).wait(
      until: { shares in
        let ids = shares.members.map(\.id)
        return ids.count == members
          && (0..<16).allSatisfy {
            shares.owners[$0]?.member == JournalMember.ID.firstChoice(of: $0, among: ids)
          }
      }, timeout: lease * 2)
  }

  @Test("K5: A process that joins takes the partitions of which it is the first choice, and no others")
  func joining() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 16, clock: world.clock)
      let stores = try await Self.open(world.node("first"), journal)
      for key in Self.keys {
        world.expect(await stores.send(.note(1), to: key).outcome.kind == .finished, "a process alone owns all keys")
        world.expect(stores.owner(of: key)?.address == "first", "it is the owner")
      }
      let second = try await Self.open(world.node("second"), journal)
      try await Self.settle(second, members: 2)
      // It knows of a release by its next look, which is at most a second later.
      try await world.clock.sleep(for: .seconds(1))
      var counts = [0, 0]
      for key in Self.keys {
        let outcomes = (
          await stores.send(.note(2), to: key).outcome, await second.send(.note(3), to: key).outcome
        )
        switch outcomes {
        case (.finished, .rejected(.notOwner("first"))): counts[0] += 1
        case (.rejected(.notOwner("second")), .finished): counts[1] += 1
        default: world.expect(false, "one of the two takes it: \(outcomes)")
        }
        let owner = counts.reduce(0, +) > 0 ? stores.owner(of: key) : nil
        world.expect(owner == second.owner(of: key), "both name the same owner")
      }
      world.expect(counts.allSatisfy { $0 > 0 }, "both have keys")
      world.expect(
        stores.summary.ownedPartitions + second.summary.ownedPartitions == 16, "each partition has one owner")
      await stores.shutdown()
      try await world.clock.sleep(for: .seconds(1.5))
      for key in Self.keys {
        let state = try await second.state(of: key)
        world.expect(state.count == 2 && state[0] == "note 1", "nothing is lost, and nothing is there twice")
      }
      await second.shutdown()
    }
  }

  @Test(
    "T9: A run that has not ended when its partition is given away is left open, and the new owner handles it again")
  func leftOpen() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 1, clock: world.clock)
      let handled = Recorder<String>()
      func handling(_ name: String, isLast: Bool) -> Orders.Handling {
        { run, number in
          handled.record("\(name) \(number)")
          guard !isLast else {
            run.emit(.done(number))
            return
          }
          try await world.clock.sleep(for: .seconds(1_000))
        }
      }
      var stores: [Stores<String, Orders>] = []
      // Members join until one of them is the first choice in place of the first.
      for number in 0..<30 {
        let node = world.node("\(number)")
        stores.append(try await Self.open(node, journal, handling: handling("\(number)", isLast: number > 0)))
        if number == 0 {
          let receipts = [stores[0].send(.orderAgain(1), to: "a"), stores[0].send(.order(2), to: "b")]
          _ = (try await handled.next(), try await handled.next())
          node.run {
            let (again, once) = (await receipts[0].outcome, await receipts[1].outcome)
            world.expect(again.kind == .leftOpen && once.kind == .shutDown, "\(again), \(once)")
            world.expect(world.clock.now.offset <= .seconds(10), "the drain has an end")
          }
          continue
        }
        let ids = try await journal.shares(of: "orders").members
        let first = try #require(JournalMember.ID.firstChoice(of: 0, among: ids.map(\.id)))
        guard first != ids.first(where: { $0.address == "0" })?.id else { continue }
        world.expect(
          try await handled.next() == "\(number) 1", "the new owner handles it, though no caller uses the key")
        break
      }
      for stores in stores { await stores.shutdown(drainFor: .seconds(1)) }
    }
  }

  @Test(
    "K5: The partitions of a process that crashed are taken once its lease has ended, and its open runs are handled again"
  )
  func crash() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 16, clock: world.clock)
      let (node, handled) = (world.node("first"), Recorder<Int>())
      node.run {
        let stores = try await Self.open(node, journal) { _, _ in try await world.clock.sleep(for: .seconds(1_000)) }
        for (number, key) in Self.keys.enumerated() { stores.send(.orderAgain(number), to: key) }
        try await world.clock.sleep(for: .seconds(1_000))
      }
      try await world.clock.sleep(for: .seconds(3))
      node.crash()
      let crashed = world.clock.now
      let second = try await Self.open(world.node("second"), journal) { run, number in
        handled.record(number)
        run.emit(.done(number))
      }
      for _ in Self.keys { _ = try await handled.next() }
      let time = crashed.duration(to: world.clock.now)
      world.expect(time > .seconds(5) && time <= Self.lease + .seconds(1), "its lease has to end first: \(time)")
      world.expect(Set(handled.recorded) == Set(Self.keys.indices), "each run is handled again")
      await second.shutdown(drainFor: .seconds(1))
    }
  }

  @Test("A partition whose acknowledged records are lost is taken again, and its keys begin with what is there")
  func lost() async {
    await Simulation.run(seeds: 0..<20) { world in
      let isLost = Mutex(false)
      let journal = DisturbedJournal(
        MemoryJournal(partitions: 4, clock: world.clock), disturb: { .none },
        ofAppends: {
          isLost.withLock { lost in
            defer { lost = false }
            return lost ? .lost : .none
          }
        })
      let handled = Recorder<Int>()
      let stores = try await Self.open(world.node("first"), journal) { run, number in
        handled.record(number)
        if handled.recorded.count == 1 { try await world.clock.sleep(for: .seconds(1_000)) }
        run.emit(.done(number))
      }
      let open = stores.send(.orderAgain(9), to: "a")
      world.expect(try await handled.next() == 9, "an action of the key is open")
      world.expect(await stores.send(.note(1), to: "a").outcome.kind == .finished, "it is stored")
      isLost.withLock { $0 = true }
      world.expect(await stores.send(.note(2), to: "a").outcome.kind == .failed, "the journal has lost records")
      let outcome = await stores.send(.note(3), to: "a").outcome
      world.expect([.rejected, .failed].contains(outcome.kind), "\(outcome)")
      world.expect(await open.outcome.kind == .failed, "it does not know what is stored")
      world.expect(try await handled.next() == 9, "what was open is handled again, though no caller uses the key")
      world.expect(await stores.send(.note(4), to: "a").outcome.kind == .finished, "it was taken again")
      world.expect(
        try await stores.state(of: "a") == ["open 9", "note 1", "done 9", "note 4"], "the state is that of the log")
      world.expect(await stores.metrics.journal?.state == .writable, "the stores take actions")
      await stores.shutdown()
    }
  }

  @Test("A process that cannot renew its lease is no member, reports that, and is one again once the engine answers")
  func renewals() async {
    await Simulation.run(seeds: 0..<20) { world in
      let isCut = Mutex(false)
      let journal = DisturbedJournal(MemoryJournal(partitions: 4, clock: world.clock)) {
        isCut.withLock { $0 } ? .refused : .none
      }
      let (node, reports) = (world.node("first"), Recorder<Incident>())
      var (configuration, options) = (node.configuration, JournalOptions())
      configuration.report = { reports.record($0) }
      options.deadline = .seconds(4)
      let stores = try await Stores<String, Orders>.open(
        name: "orders", journal: journal, address: "first", lease: Self.lease, configuration: configuration,
        options: options, initial: { _ in [] }, interactor: { _ in Orders() })
      try await world.clock.sleep(for: .seconds(60))
      world.expect(stores.summary.isMember && stores.summary.members == 1, "its lease is renewed")
      isCut.withLock { $0 = true }
      try await world.clock.sleep(for: Self.lease + .seconds(1))
      world.expect(!stores.summary.isMember, "it does not know whether it is a member")
      world.expect("\(stores.summary)".hasSuffix("and its lease has ended"), "\(stores.summary)")
      world.expect(reports.recorded.allSatisfy { $0.kind == .failedShare } && !reports.recorded.isEmpty, "it is said")
      isCut.withLock { $0 = false }
      try await world.clock.sleep(for: Self.lease)
      world.expect(stores.summary.isMember && stores.summary.ownedPartitions == 4, "it has joined again")
      world.expect(await stores.send(.note(1), to: "a").outcome.kind == .finished, "it takes actions")
      await stores.shutdown()
    }
  }

  @Test("Partitions that could not be taken, because the engine did not answer up to the deadline, are taken later")
  func failedTaking() async {
    await Simulation.run(seeds: 0..<20) { world in
      let base = MemoryJournal(partitions: 8, clock: world.clock)
      let isCut = Mutex(false)
      let first = try await Self.open(world.node("first"), base)
      let journal = DisturbedJournal(base, disturb: { .none }, ofTakings: { isCut.withLock { $0 } ? .refused : .none })
      let node = world.node("second")
      var options = JournalOptions()
      options.deadline = .seconds(2)
      let second = try await Stores<String, Orders>.open(
        name: "orders", journal: journal, address: "second", configuration: node.configuration, options: options,
        initial: { _ in [] }, interactor: { _ in Orders() })
      isCut.withLock { $0 = true }
      await first.shutdown()
      try await world.clock.sleep(for: .seconds(10))
      world.expect(second.summary.ownedPartitions == 0, "it could take none")
      isCut.withLock { $0 = false }
      try await world.clock.sleep(for: .seconds(5))
      world.expect(second.summary.ownedPartitions == 8, "it has taken all")
      await second.shutdown()
    }
  }

  @Test("A process alone has no shares, and owns every key; one that shares refuses to erase the key of another one")
  func alone() async throws {
    let journal = MemoryJournal(partitions: 4)
    let alone = try await Stores<String, Orders>.open(
      name: "orders", journal: journal, initial: { _ in [] }, interactor: { _ in Orders() })
    #expect(alone.shares == nil && alone.owner(of: "a") == nil)
    #expect(alone.summary.members == 1 && alone.summary.ownedPartitions == 4 && alone.summary.partitions == 4)
    await alone.shutdown()
    await Simulation.run(seeds: 0..<5) { world in
      let journal = MemoryJournal(partitions: 16, clock: world.clock)
      let first = try await Self.open(world.node("first"), journal)
      let made = Recorder<String>()
      let node = world.node("second")
      let second = try await Stores<String, Orders>.open(
        name: "orders", journal: journal, address: "second", configuration: node.configuration,
        initial: { key in
          made.record(key)
          return []
        }, interactor: { _ in Orders() })
      let key = "key 1"
      do {
        try await second.erase(key)
        world.expect(false, "the first one owns it")
      } catch {
        guard let error = error as? StoreError, case .rejected(.notOwner("first")) = error.outcome else {
          return world.expect(false, "\(error)")
        }
      }
      do {
        _ = try await second.state(of: key)
        world.expect(false, "the first one owns it")
      } catch {
        world.expect("\(error)".contains("send it to first"), "\(error)")
      }
      world.expect(made.recorded.isEmpty, "no store of a key of another process is made")
      for stores in [first, second] { await stores.shutdown() }
    }
  }
}
