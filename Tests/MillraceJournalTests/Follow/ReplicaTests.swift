import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Replica", .timeLimit(.minutes(1)))
struct ReplicaTests {
  private let journal = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func configuration(_ change: (inout StoreConfiguration) -> Void = { _ in }) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.report = { [incidents] in incidents.record($0) }
    change(&configuration)
    return configuration
  }

  private func store(_ options: JournalOptions = JournalOptions()) async throws -> Store<Accounts> {
    try await Store.open(
      initial: Accounts.State(balance: 100), interactor: Accounts(), journal: journal, key: "account", options: options)
  }

  private func replica(
    _ journal: (any Journal)? = nil, _ key: JournalKey = "account", _ configuration: StoreConfiguration? = nil
  ) async throws(JournalError) -> Replica<Accounts> {
    try await Replica.open(
      initial: Accounts.State(balance: 100), journal: journal ?? self.journal, key: key,
      configuration: configuration ?? self.configuration())
  }

  @Test("A replica begins with the state that the log has, and follows each commit once it is durable")
  func follows() async throws {
    let early = try await replica()
    #expect(await early.reader.state.balance == 100)
    let store = try await store()
    for _ in 1...3 { _ = await store.send(.deposit(5)).outcome }
    let late = try await replica()
    #expect(await late.reader.state.balance == 115)
    #expect(await late.positions.state.revision == 3)
    let commit = try #require(await store.send(.withdraw(50)).firstCommit)
    for replica in [early, late] {
      try await replica.positions.wait { $0.revision >= commit }
      #expect(await replica.reader.state.balance == 65)
      #expect(
        await replica.positions.state == ReplicaPosition(sequence: 5, revision: 4, time: replica.positions.state.time))
      try await replica.catchUp()
      #expect(try await replica.lag() == .none)
    }
    await store.shutdown()
    await early.shutdown()
    #expect(early.failure == nil && incidents.recorded.isEmpty)
    #expect(await early.reader.state.balance == 65)
    var states = late.reader.states.makeAsyncIterator()
    #expect(await states.next()?.balance == 65)
  }

  @Test("A replica of one of many keys follows it through hibernations, and its erasure is the initial state again")
  func manyKeys() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    let replica = try await replica(nil, .account("a"))
    for round in 1...3 {
      #expect(await stores.send(.deposit(5), to: "a").outcome.kind == .finished)
      _ = await stores.send(.deposit(1), to: "b").outcome
      await stores.hibernate("a")
      try await replica.catchUp()
      #expect(await replica.reader.state.balance == 100 + 5 * round)
    }
    try await stores.erase("a")
    try await replica.catchUp()
    #expect(await replica.reader.state.balance == 100)
    #expect(await replica.positions.state.revision == 0)
    #expect(await stores.send(.deposit(7), to: "a").outcome.kind == .finished)
    try await replica.catchUp()
    #expect(await replica.reader.state.balance == 107)
    #expect(await replica.positions.state.revision == 1)
    await stores.shutdown()
  }

  @Test("A replica whose records were removed before it has read them continues from the snapshot that covers them")
  func removed() async throws {
    var options = JournalOptions()
    options.snapshotRecords = 5
    let store = try await store(options)
    let gate = Gate()
    let slow = UnsteadyJournal(journal)
    let replica = try await replica(slow)
    slow.holdReads(at: gate)
    for _ in 1...30 { _ = await store.send(.deposit(1)).outcome }
    await store.shutdown()
    #expect(try await journal.snapshot(of: "account") != nil)
    #expect(try await failure { _ = try await journal.records(of: "account", after: 1) }.code == .truncated)
    // The lag is read from the journal too.
    gate.open()
    try await replica.catchUp()
    #expect(await replica.reader.state.balance == 130)
    #expect(await replica.positions.state.revision == 30)
  }

  @Test("The lag is the number of records that were not read, and the time since the first of these")
  func lag() async throws {
    let store = try await store()
    let now = Mutex<Int64>(5_000)
    let replica = try await replica(
      UnsteadyJournal(journal, hidesChanges: true), "account", configuration { $0.wallTime = { now.withLock { $0 } } })
    #expect(try await replica.lag() == .none)
    for _ in 1...3 { _ = await store.send(.deposit(1)).outcome }
    // The first record is the epoch.
    let first = try #require(try await journal.all("account")[1].time)
    now.withLock { $0 = first + 1_500 }
    let lag = try await replica.lag()
    #expect(lag.records == 3 && lag.time == .milliseconds(1_500))
    // The wall time of this process may be behind that of the writer.
    now.withLock { $0 = first - 7 }
    #expect(try await replica.lag().time == .zero)
    await store.shutdown()
    await replica.shutdown()
  }

  @Test("A record that cannot be read ends the replica with the reason, and its last state can be read")
  func unreadable() async throws {
    let store = try await store()
    _ = await store.send(.deposit(1)).outcome
    let replica = try await replica()
    let waiting = Task { try await replica.reader.wait { $0.balance == 0 } }
    let entry = JournalEntry(kind: .decided, payload: Array("{}".utf8), schemaVersion: 7, revision: 2)
    let batch = JournalBatch(id: .init(writer: 9, number: 1), entries: [entry])
    #expect(await journal.append([batch], to: "account", after: 2).failure == nil)
    await #expect(throws: StoreError.self) { try await waiting.value }
    let incident = try await incidents.next()
    #expect(incident.kind == .failedReader)
    #expect(
      incident.description.hasPrefix(
        #"The replica of "account" has ended. Record 3 of "account" is whole and cannot be read: it has the schema version 7"#
      ))
    #expect(replica.failure?.code == .corrupt && replica.failure?.sequence == 3)
    await #expect(throws: JournalError.self) { try await replica.catchUp() }
    for await state in replica.reader.states { #expect(state.balance == 101) }
    #expect(try await replica.lag().records == 1)
    await replica.shutdown()
    #expect(replica.failure?.code == .corrupt)
  }

  @Test("A replica outlives an outage that is longer than the deadline, and says once that it is out of date")
  func outage() async throws {
    let clock = TestClock()
    let slow = UnsteadyJournal(journal)
    let replica = try await replica(slow, "account", configuration { $0.clock = clock })
    let store = try await store()
    slow.failReads(4)
    _ = await store.send(.deposit(1)).outcome
    for _ in 1...4 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(31))
    }
    try await replica.positions.wait { $0.revision == 1 }
    #expect(incidents.recorded.map(\.kind) == [.lateReader])
    #expect(
      incidents.recorded.first?.description.hasPrefix(
        #"The replica of "account" is out of date, because its journal does not answer, and continues when it does."#)
        == true)
    slow.failReads(4)
    _ = await store.send(.deposit(1)).outcome
    try await clock.waitForSleepers()
    await replica.shutdown()
    #expect(replica.failure == nil)
    #expect(await replica.reader.state.balance == 101)
    await store.shutdown()
  }

  @Test("A journal that is closed ends the replica, and one that is unavailable for a while does not")
  func closed() async throws {
    let clock = TestClock()
    let slow = UnsteadyJournal(journal)
    let replica = try await replica(slow, "account", configuration { $0.clock = clock })
    slow.failReads(3)
    let store = try await store()
    _ = await store.send(.deposit(1)).outcome
    let caught = Task { try await replica.positions.wait { $0.revision == 1 } }
    for _ in 1...3 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    _ = try await caught.value
    await store.shutdown()
    await journal.close()
    #expect(
      try await incidents.next().description.hasPrefix(#"The replica of "account" has ended. The journal is closed"#))
    #expect(replica.failure?.code == .closed)
  }

  @Test("A replica that is released ends: who still reads its states gets their end")
  func released() async throws {
    var replica: Replica<Accounts>? = try await replica()
    let states = try #require(replica?.reader.states)
    replica = nil
    for await state in states { #expect(state.balance == 100) }
    #expect(incidents.recorded.isEmpty)
  }
}
