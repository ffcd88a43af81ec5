import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Snapshots of a store", .timeLimit(.minutes(1)))
struct StoreSnapshotTests {
  private let memory = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func journal() -> UnsteadyJournal { UnsteadyJournal(memory) }

  private func open(
    _ journal: some Journal, every records: Int = 3, truncates: Bool = true,
    schema: StoreSchema<Accounts> = StoreSchema(), coder: any JournalCoder = JSONJournalCoder(),
    configuration: StoreConfiguration = StoreConfiguration(),
    handling: @escaping Accounts.Handling = { _, _ in }, progress: (@Sendable (JournalProgress) -> Void)? = nil,
    whenReported: @escaping @Sendable () -> Void = {}
  ) async throws -> Store<Accounts> {
    var options = JournalOptions()
    (options.snapshotRecords, options.truncatesLog, options.snapshotAtShutdown) = (records, truncates, true)
    options.coder = coder
    var configuration = configuration
    configuration.report = { [incidents] incident in
      incidents.record(incident)
      whenReported()
    }
    return try await Store.open(
      initial: Accounts.State(), interactor: Accounts(handling: handling), journal: journal, key: "account",
      configuration: configuration, schema: schema, options: options, progress: progress)
  }

  @Test(
    "A snapshot is stored after the records that the options say, and its records are removed; the store opens from it")
  func count() async throws {
    let journal = journal()
    let first = try await open(journal)
    for amount in 1...3 { _ = await first.send(.deposit(amount)).outcome }
    let covered = try await journal.truncations.next()
    #expect(covered >= 3 && journal.snapshots.recorded.map(\.sequence) == [covered])
    let removed = await #expect(throws: JournalError.self) {
      _ = try await journal.records(of: "account", after: .start)
    }
    #expect(removed?.code == .truncated)
    let second = try await open(self.journal())
    let snapshot = await second.snapshot
    #expect(snapshot.state.balance == 6 && snapshot.revision == 3 && second.durableRevision == 3)
    #expect(await second.send(.deposit(4)).lastRevision == 4)
    #expect(incidents.recorded.isEmpty)
    withExtendedLifetime(first) {}
  }

  @Test("D2: a snapshot is stored once its records are durable, and not while the journal has not answered")
  func durable() async {
    await Simulation.run(seeds: 0..<20) { world in
      let (journal, gate) = (UnsteadyJournal(MemoryJournal()), Gate())
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
    let (journal, gate, keys) = (journal(), Gate(), Recorder<String>())
    let first = try await open(journal, every: 4) { run, _ in
      keys.record(run.idempotencyKey)
      try await gate.enter()
    }
    let receipts = [first.send(.order(1)), first.send(.orderAgain(5))]
    let found = [try await keys.next(), try await keys.next()]
    _ = await first.send(.deposit(1)).outcome
    #expect(try await journal.truncations.next() == 4)
    let second = try await open(self.journal()) { run, amount in
      #expect(found.contains(run.idempotencyKey))
      run.emit(.added(amount))
    }
    let end = try await second.wait { $0.balance == 6 }
    #expect(end.closings == ["abandoned"])
    await second.shutdown(drainFor: .seconds(1))
    #expect(try await open(self.journal()).state == end, "both have ended in the log")
    withExtendedLifetime((first, receipts)) {}
  }

  @Test("A log of more than 10,000 records is truncated in several calls")
  func longLog() async throws {
    let journal = UnsteadyJournal(MemoryJournal())
    let store = try await open(journal, every: 20_000)
    var receipt = store.send(.deposit(1))
    for _ in 0..<10_100 { receipt = store.send(.deposit(1)) }
    #expect(await receipt.outcome.kind == .finished)
    await store.shutdown(drainFor: .seconds(1))
    #expect(journal.truncations.recorded == [10_000, 10_102])
  }

  @Test("S1: a shutdown stores a last snapshot before it returns, and the store opens from it without a record")
  func shutdown() async throws {
    let journal = journal()
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
      let (journal, gate) = (UnsteadyJournal(MemoryJournal()), Gate())
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
    let journal = journal()
    let first = try await open(journal)
    for amount in 1...3 { _ = await first.send(.deposit(amount)).outcome }
    await first.shutdown(drainFor: .seconds(1))
    journal.hideSnapshotOnce()
    #expect(try await open(journal).state.balance == 6)
  }

  @Test("Records stay where the options say so, and the store opens from the snapshot all the same")
  func kept() async throws {
    let journal = journal()
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
    let journal = journal()
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
    #expect(try await open(self.journal()).state.balance == 668)
  }

  // The incident used to come first, so that actions which it led to were too early for a snapshot.
  @Test("When a failed snapshot is reported the next one can be taken")
  func reported() async throws {
    let journal = journal()
    let opened = Lock<Store<Accounts>?>(nil)
    let store = try await open(
      journal, every: 2, whenReported: { for _ in 0..<2 { opened.withLock { $0 }?.send(.deposit(1)) } })
    opened.withLock { $0 = store }
    #expect(await store.send(.deposit(Accounts.State.notEncoded)).outcome.kind == .finished)
    #expect(try await journal.snapshots.next().revision == 3)
    opened.withLock { $0 = nil }
  }

  @Test("An opening and a shutdown without an action write an epoch, and no snapshot")
  func nothingDone() async throws {
    let journal = journal()
    for count in 1...5 {
      let store = try await open(journal)
      await store.shutdown()
      #expect(try await journal.lastSequence(of: "account") == JournalSequence(UInt64(count)))
    }
    #expect(journal.snapshots.recorded.isEmpty, "the epochs are more records than lead to a snapshot")
    let store = try await open(journal)
    #expect(await store.send(.deposit(1)).outcome.kind == .finished)
    #expect(try await journal.snapshots.next().revision == 1, "but they count once there is a change")
  }

  @Test("A shutdown takes no snapshot unless the options say so")
  func noneAtShutdown() async throws {
    let journal = journal()
    #expect(!JournalOptions().snapshotAtShutdown)
    let store = try await Store.open(
      initial: Accounts.State(), interactor: Accounts(), journal: journal, key: "account")
    #expect(await store.send(.deposit(1)).outcome.kind == .finished)
    await store.shutdown()
    #expect(journal.snapshots.recorded.isEmpty)
  }

  @Test("The size of the newest snapshot is known after an opening, so that a large state is not written again at once")
  func sizeAtOpening() async throws {
    let journal = journal()
    let first = try await open(journal, every: 100)
    for _ in 0..<20 { _ = await first.send(.order(1)).outcome }
    await first.shutdown()
    let size = try #require(journal.snapshots.recorded.last?.payload.count)
    let log = StoreLog<Accounts>(journal: journal, key: "account", schema: StoreSchema(), options: JournalOptions())
    var restored = Restoration(Accounts.State(), from: log)
    try await restored.readOn(
      JournalCalls(journal: journal, key: "account", deadline: .seconds(30), clock: ContinuousClock()), nil)
    var (growth, options) = (restored.growth, JournalOptions())
    options.snapshotRecords = 1
    growth.add(JournalEntry(kind: .emit, payload: [UInt8](repeating: 0, count: 4 * size - 1)))
    #expect(!growth.isDue(options))
    growth.add(JournalEntry(kind: .emit, payload: [0]))
    #expect(growth.isDue(options))
  }

  @Test("The first snapshot of a store is decoded before it is stored, and no later one")
  func checked() async throws {
    let journal = journal()
    let decoded = Recorder<Int>()
    let store = try await open(journal, every: 1, coder: CountingCoder { decoded.record($0) })
    let before = decoded.recorded.count
    for _ in 1...3 {
      for amount in 1...100 { #expect(await store.send(.deposit(amount)).outcome.kind == .finished) }
      _ = try await journal.truncations.next()
    }
    #expect(decoded.recorded.count == before + 1)
  }

  @Test("The log grows to four times the size of a snapshot before the next one is due")
  func growth() {
    var options = JournalOptions()
    (options.snapshotRecords, options.snapshotBytes) = (2, 1_000)
    let entry = JournalEntry(kind: .emit, payload: [UInt8](repeating: 0, count: 100))
    var growth = LogGrowth()
    growth.add(entry)
    #expect(!growth.isDue(options))
    growth.add(entry)
    #expect(growth.isDue(options))
    growth.take()
    #expect(!growth.isDue(options))
    growth.didStore(100)
    growth.didTake()
    for _ in 0..<3 { growth.add(entry) }
    #expect(!growth.isDue(options), "three records, and less than four times the size of the snapshot")
    growth.add(entry)
    #expect(growth.isDue(options))
    growth.take()
    growth.didStore(0)
    growth.didTake()
    for _ in 0..<3 { growth.add(JournalEntry(kind: .epoch, payload: [UInt8](repeating: 0, count: 1_000))) }
    #expect(!growth.isDue(options), "nothing has changed")
  }
}

/// JSON that counts what is decoded.
private struct CountingCoder: JournalCoder {
  let decoded: @Sendable (Int) -> Void
  private let base = JSONJournalCoder()

  init(_ decoded: @escaping @Sendable (Int) -> Void) { self.decoded = decoded }

  func encode(_ value: some Encodable) throws -> Data { try base.encode(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    decoded(data.count)
    return try base.decode(type, from: data)
  }
}
