import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Snapshots of a store", .timeLimit(.minutes(1)))
struct StoreSnapshotTests {
  private let storage = ByteStorage()
  private let incidents = Recorder<Incident>()

  private func journal() async throws -> UnsteadyJournal { UnsteadyJournal(try await MemoryJournal(storage: storage)) }

  private func open(
    _ journal: some Journal, every records: Int = 3, truncates: Bool = true,
    schema: StoreSchema<Accounts> = StoreSchema(), configuration: StoreConfiguration = StoreConfiguration(),
    handling: @escaping Accounts.Handling = { _, _ in }, progress: (@Sendable (JournalProgress) -> Void)? = nil,
    whenReported: @escaping @Sendable () -> Void = {}
  ) async throws -> Store<Accounts> {
    var options = JournalOptions()
    (options.snapshotRecords, options.truncatesLog) = (records, truncates)
    var configuration = configuration
    configuration.report = { [incidents] incident in
      incidents.record(incident)
      whenReported()
    }
    return try await Store.open(
      Accounts(handling: handling), initial: Accounts.State(), journal: journal, key: "account",
      configuration: configuration, schema: schema, options: options, progress: progress)
  }

  @Test(
    "A snapshot is stored after the records that the options say, and its records are removed; the store opens from it")
  func count() async throws {
    let journal = try await journal()
    let first = try await open(journal)
    for amount in 1...3 { _ = await first.send(.deposit(amount)).outcome }
    let covered = try await journal.truncations.next()
    #expect(covered >= 3 && journal.snapshots.recorded.map(\.sequence) == [covered])
    let removed = await #expect(throws: JournalError.self) {
      _ = try await journal.records(of: "account", after: .start)
    }
    #expect(removed?.code == .truncated)
    let second = try await open(try await self.journal())
    let snapshot = await second.snapshot
    #expect(snapshot.state.balance == 6 && snapshot.revision == 3 && second.durableRevision == 3)
    #expect(await second.send(.deposit(4)).lastRevision == 4)
    #expect(incidents.recorded.isEmpty)
    withExtendedLifetime(first) {}
  }

  @Test("D2: a snapshot is stored once its records are durable, and not while the journal has not answered")
  func durable() async {
    await Simulation.run(seeds: 0..<20) { world in
      let (journal, gate) = (UnsteadyJournal(try await MemoryJournal(storage: ByteStorage())), Gate())
      let store = try await open(journal, configuration: world.configuration)
      journal.hold(at: gate)
      let receipts = (1...4).map { store.send(.deposit($0)) }
      try await gate.waitForArrivals(1)
      // The time of a world passes when nothing else can run, so a snapshot that waits for nothing would be stored by now.
      try await world.clock.sleep(for: .seconds(1))
      world.expect(await store.state.balance == 10, "the state is ahead of the log")
      world.expect(journal.snapshots.recorded.isEmpty, "no snapshot is")
      gate.open()
      for receipt in receipts { world.expect(await receipt.outcome.kind == .finished, "it is durable") }
      world.expect(try await journal.snapshots.next().revision >= 2, "the epoch is a record, too")
      world.expect(incidents.recorded.isEmpty, "the journal has refused no snapshot")
    }
  }

  @Test(
    "D3: a run that is open at the snapshot is abandoned, or handled again with its key, though its take-up was removed"
  )
  func openRuns() async throws {
    let (journal, gate, keys) = (try await journal(), Gate(), Recorder<String>())
    let first = try await open(journal, every: 4) { run, _ in
      keys.record(run.idempotencyKey)
      try await gate.enter()
    }
    let receipts = [first.send(.order(1)), first.send(.orderAgain(5))]
    let found = [try await keys.next(), try await keys.next()]
    _ = await first.send(.deposit(1)).outcome
    #expect(try await journal.truncations.next() == 4)
    let second = try await open(try await self.journal()) { run, amount in
      #expect(found.contains(run.idempotencyKey))
      run.emit(.added(amount))
    }
    let end = try await second.wait { $0.balance == 6 }
    #expect(end.closings == ["abandoned"])
    await second.shutdown(drainFor: .seconds(1))
    #expect(try await open(try await self.journal()).state == end, "both have ended in the log")
    withExtendedLifetime((first, receipts)) {}
  }

  @Test("S1: a shutdown stores a last snapshot before it returns, and the store opens from it without a record")
  func shutdown() async throws {
    let journal = try await journal()
    let first = try await open(journal, every: 1_000)
    for amount in 1...3 { first.send(.deposit(amount)) }
    await first.shutdown(drainFor: .seconds(1))
    #expect(journal.snapshots.recorded.map(\.sequence) == [4] && journal.truncations.recorded == [4])
    let read = Recorder<JournalProgress>()
    let second = try await open(journal, progress: { read.record($0) })
    #expect(await second.state.balance == 6)
    #expect(read.recorded.map(\.sequence) == [4], "the snapshot, and nothing behind it")
  }

  @Test(
    "S1: a shutdown waits for a snapshot that is being stored, and stores a last one behind it if there are later records",
    arguments: [0, 1])
  func shutdownDuringSnapshot(later: Int) async {
    await Simulation.run(seeds: 0..<20) { world in
      let (journal, gate) = (UnsteadyJournal(try await MemoryJournal(storage: ByteStorage())), Gate())
      let store = try await open(journal, configuration: world.configuration)
      journal.holdSnapshots(at: gate)
      for amount in 1...2 { _ = await store.send(.deposit(amount)).outcome }
      try await gate.waitForArrivals(1)
      for amount in 0..<later { _ = await store.send(.deposit(amount)).outcome }
      let shutdown = Task {
        await store.shutdown(drainFor: .seconds(1))
        world.expect(
          journal.snapshots.recorded.map(\.sequence) == (later == 0 ? [3] : [3, 4]), "all records are in a snapshot")
      }
      gate.open()
      await shutdown.value
    }
  }

  @Test("A snapshot that an earlier writer stores while the log is read is read then")
  func storedMeanwhile() async throws {
    let journal = try await journal()
    let first = try await open(journal)
    for amount in 1...3 { _ = await first.send(.deposit(amount)).outcome }
    await first.shutdown(drainFor: .seconds(1))
    journal.hideSnapshotOnce()
    #expect(try await open(journal).state.balance == 6)
  }

  @Test("Records stay where the options say so, and the store opens from the snapshot all the same")
  func kept() async throws {
    let journal = try await journal()
    let first = try await open(journal, truncates: false)
    for amount in 1...3 { _ = await first.send(.deposit(amount)).outcome }
    await first.shutdown(drainFor: .seconds(1))
    #expect(try await journal.records(of: "account", after: .start).records.count == 4)
    #expect(journal.truncations.recorded.isEmpty)
    #expect(try await open(journal).state.balance == 6)
  }

  @Test(
    "A state that the coder does not take is an incident; the store continues, and takes the next snapshot")
  func notEncoded() async throws {
    let journal = try await journal()
    let store = try await open(journal, every: 2)
    #expect(await store.send(.deposit(Accounts.State.notEncoded)).outcome.kind == .finished)
    let incident = try await incidents.next()
    #expect(incident.kind == .snapshotFailure && incident.action == nil)
    #expect(
      incident.description
        == "The journal of MillraceJournalTests.Accounts has no new snapshot, so its log grows: The snapshot of \"account\" cannot be "
        + "encoded: the balance is 666; nothing of it was stored. Keep values out of actions, mutations and the state that the coder "
        + "does not take.")
    for _ in 0..<2 { #expect(await store.send(.deposit(1)).outcome.kind == .finished) }
    #expect(try await journal.snapshots.next().revision >= 2)
    #expect(try await open(try await self.journal()).state.balance == 668)
  }

  // The incident used to come first, so that actions which it led to were too early for a snapshot.
  @Test("When a failed snapshot is reported the next one can be taken")
  func reported() async throws {
    let journal = try await journal()
    let opened = Lock<Store<Accounts>?>(nil)
    let store = try await open(
      journal, every: 2, whenReported: { for _ in 0..<2 { opened.withLock { $0 }?.send(.deposit(1)) } })
    opened.withLock { $0 = store }
    #expect(await store.send(.deposit(Accounts.State.notEncoded)).outcome.kind == .finished)
    #expect(try await journal.snapshots.next().revision == 3)
    opened.withLock { $0 = nil }
  }

  @Test("The log grows by the size of a snapshot before the next one is due")
  func growth() {
    var options = JournalOptions()
    (options.snapshotRecords, options.snapshotBytes) = (2, 1_000)
    let entry = JournalEntry(kind: .mark, payload: [UInt8](repeating: 0, count: 100))
    var growth = LogGrowth()
    growth.add(entry)
    #expect(!growth.isDue(options))
    growth.add(entry)
    #expect(growth.isDue(options))
    growth.take()
    #expect(!growth.isDue(options))
    growth.didTake(350)
    for _ in 0..<3 { growth.add(entry) }
    #expect(!growth.isDue(options), "three records, and less than the size of the snapshot")
    growth.add(entry)
    #expect(growth.isDue(options))
  }
}
