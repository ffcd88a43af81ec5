import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Projection", .timeLimit(.minutes(1)))
struct ProjectionTests {
  private let journal = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func configuration(_ change: (inout StoreConfiguration) -> Void = { _ in }) -> StoreConfiguration {
    var configuration = StoreConfiguration.reporting(to: incidents)
    change(&configuration)
    return configuration
  }

  private func ledger(
    _ configuration: StoreConfiguration? = nil, in source: (any PartitionedJournal)? = nil,
    own: (any Journal)? = nil, schema: StoreSchema<Ledger> = StoreSchema(), options: JournalOptions = JournalOptions(),
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection<Ledger> {
    try await .ledger(
      of: source ?? journal, in: own ?? journal, configuration ?? self.configuration(), schema: schema,
      options: options, action)
  }

  @Test("K6: A projection decides each commit of each key once, in their order, also when it is opened again")
  func follows() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposit(5), to: "a").outcome
    var projection = try await ledger()
    try await projection.catchUp()
    #expect(await projection.reader.state.accounts["a"]?.state.balance == 6)
    for round in 1...5 {
      for key in ["a", "bb", "ccc"] { _ = await stores.send(.deposits([1, 1_000, 3]), to: key).outcome }
      if round % 2 == 0 {
        await projection.shutdown()
        #expect(projection.failure == nil)
        projection = try await ledger()
      }
    }
    try await projection.catchUp()
    let state = await projection.reader.state
    for key in ["a", "bb", "ccc"] {
      #expect(try await state.accounts[key]?.state == stores.state(of: key))
      #expect(try await state.accounts[key]?.revision == stores.snapshot(of: key).revision)
    }
    #expect(state.large == 15)
    #expect(try await projection.lag() == .none)
    #expect(try await projection.positions.state[0] == journal.end("accounts"))
    await stores.shutdown()
    await projection.shutdown()
    #expect(incidents.recorded.isEmpty)
  }

  @Test("D6: A projection outlives an outage of its source that is longer than the deadline, and says so once")
  func sourceOutage() async throws {
    let (clock, source) = (TestClock(), KeysJournal(journal))
    let stores = try await ManyAccounts.accounts(journal)
    let projection = try await ledger(configuration { $0.clock = clock }, in: source)
    try await projection.catchUp()
    source.failPositions(4)
    _ = await stores.send(.deposit(5), to: "a").outcome
    for _ in 1...4 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(31))
    }
    try await projection.reader.wait(until: { $0.accounts["a"]?.state.balance == 6 }, timeout: nil)
    #expect(projection.failure == nil && incidents.recorded.map(\.kind) == [.lateReader])
    await projection.shutdown()
    await stores.shutdown()
  }

  @Test(
    "D6: A projection outlives an outage of its own log, decides each event once, and its shutdown waits for the deadline"
  )
  func ownOutage() async throws {
    let (clock, own) = (TestClock(), UnsteadyJournal(MemoryJournal(), hidesChanges: true))
    let stores = try await ManyAccounts.accounts(journal)
    let projection = try await ledger(configuration { $0.clock = clock }, own: own)
    _ = await stores.send(.deposit(5), to: "a").outcome
    try await projection.catchUp()
    own.fail(.unavailable)
    _ = await stores.send(.deposit(5), to: "a").outcome
    for _ in 1...4 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(31))
    }
    try await clock.waitForSleepers()
    own.fail(nil)
    _ = await stores.send(.deposit(5), to: "a").outcome
    clock.advance(by: .seconds(1))
    try await projection.catchUp()
    #expect(await projection.reader.state.accounts["a"]?.state.balance == 16)
    #expect(projection.failure == nil && incidents.recorded.map(\.kind) == [.lateReader])
    own.fail(.unavailable)
    _ = await stores.send(.deposit(5), to: "a").outcome
    try await clock.waitForSleepers()
    let shutdown = Task.immediate { await projection.shutdown() }
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(30))
    await shutdown.value
    own.fail(nil)
    let again = try await ledger(own: own)
    try await again.catchUp()
    #expect(await again.reader.state.accounts["a"]?.state.balance == 21)
    await again.shutdown()
    await stores.shutdown()
  }

  @Test(
    "K6: Each mutation of a projection and the position of its event are one record, so that every prefix of its log is exact"
  )
  func prefixes() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    for amount in 1...4 {
      _ = await stores.send(.deposits([amount, 1_000, amount]), to: amount % 2 == 0 ? "a" : "b").outcome
    }
    await stores.shutdown()
    let projection = try await ledger()
    try await projection.catchUp()
    await projection.shutdown()
    let end = try await journal.lastSequence(of: "ledger").number
    #expect(end >= 13)
    for sequence in 1...end {
      // A process that has crashed behind this record is continued.
      let copy = MemoryJournal()
      let claim = try await copy.claim(.of("accounts"), as: .now())
      for item in try await journal.partition("accounts", upTo: 1_000).items {
        guard case .record(let record, let key) = item else { continue }
        let batch = JournalBatch(id: record.batch, entries: [record.entry])
        let last = try await copy.lastSequence(of: key)
        #expect(await copy.append([JournalKeyAppend([batch], to: key, after: last)], claim: claim)[0].failure == nil)
      }
      for record in try await journal.all("ledger").prefix(Int(sequence)) {
        let batch = JournalBatch(id: record.batch, entries: [record.entry])
        let last = try await copy.lastSequence(of: "ledger")
        #expect(await copy.append([batch], to: "ledger", after: last).failure == nil)
      }
      let again = try await Projection<Ledger>.open(
        initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: copy), journal: copy,
        key: "ledger", configuration: configuration(), action: Ledger.action)
      try await again.catchUp()
      #expect(await again.reader.state == projection.reader.state)
      await again.shutdown()
    }
    #expect(incidents.recorded.isEmpty)
  }

  @Test(
    "K6: A projection behind removed records gets the state of the snapshot, and no commit that this has is decided again"
  )
  func missed() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    for amount in 1...6 { _ = await stores.send(.deposit(amount), to: "a").outcome }
    _ = await stores.send(.deposit(1), to: "bb").outcome
    let snapshot = try await stores.snapshot(of: "a")
    await stores.shutdown()
    // The snapshot covers the first five deposits, and the records of the first two are removed; the first record is the epoch.
    let payload = SnapshotPayload(
      state: Accounts.State(balance: 16), runs: [], keys: [], epoch: JournalEpoch.now())
    try await journal.store(
      JournalSnapshot(sequence: 6, revision: 5, payload: Array(JSONJournalCoder().encode(payload))), of: .account("a"))
    try await journal.truncate(.account("a"), through: 3)
    let projection = try await ledger()
    try await projection.catchUp()
    var state = await projection.reader.state
    #expect(state.accounts["a"] == Ledger.Account(state: snapshot.state, revision: 6, misses: 1))
    #expect(state.accounts["bb"]?.revision == 1)
    #expect(await projection.positions.state.place(in: 0).covered.isEmpty)
    // More is removed while the projection is away.
    await projection.shutdown()
    let again = try await ManyAccounts.accounts(journal)
    for amount in 1...6 { _ = await again.send(.deposit(amount), to: "a").outcome }
    let last = try await again.snapshot(of: "a")
    await again.shutdown()
    let end = try await journal.lastSequence(of: .account("a"))
    let newer = SnapshotPayload(state: last.state, runs: [], keys: [], epoch: JournalEpoch.now())
    try await journal.store(
      JournalSnapshot(sequence: end, revision: 12, payload: Array(JSONJournalCoder().encode(newer))), of: .account("a"))
    try await journal.truncate(.account("a"), through: end)
    let healed = try await ledger()
    try await healed.catchUp()
    state = await healed.reader.state
    #expect(state.accounts["a"] == Ledger.Account(state: last.state, revision: 12, misses: 2))
    #expect(await healed.positions.state.place(in: 0).covered.isEmpty)
    await healed.shutdown()
    #expect(incidents.recorded.isEmpty)
  }

  @Test(
    "K6: Records that are kept for readers are there for a projection that is behind, until they are older",
    arguments: [true, false])
  func kept(_ isKept: Bool) async throws {
    let now = Mutex<Int64>(1_000_000)
    var options = JournalOptions()
    options.snapshotRecords = 4
    options.keptForReaders = .seconds(60)
    let configuration = configuration { $0.wallTime = { now.withLock { $0 } } }
    let watched = KeysJournal(journal)
    let stores = try await ManyAccounts.accounts(watched, configuration: configuration, options: options)
    for _ in 1...30 { _ = await stores.send(.deposit(1), to: "a").outcome }
    _ = try await watched.snapshots.next()
    if !isKept {
      now.withLock { $0 += 61_000 }
      let count = watched.snapshots.recorded.count
      while watched.snapshots.recorded.count == count { _ = await stores.send(.deposit(1), to: "a").outcome }
    }
    let snapshot = try await stores.snapshot(of: "a")
    await stores.shutdown()
    let projection = try await ledger()
    try await projection.catchUp()
    let account = try #require(await projection.reader.state.accounts["a"])
    #expect(account.state == snapshot.state && account.revision == snapshot.revision)
    #expect((account.misses == 0) == isKept)
    await projection.shutdown()
  }

  @Test("K7: An erased key is an event with the hash of its name, and its next store begins with the first revision")
  func erased() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    let projection = try await ledger()
    _ = await stores.send(.deposit(1), to: "a").outcome
    _ = await stores.send(.deposit(1), to: "b").outcome
    try await projection.catchUp()
    try await stores.erase("a")
    try await projection.catchUp()
    #expect(await projection.reader.state.accounts.keys.sorted() == ["b"])
    _ = await stores.send(.deposit(5), to: "a").outcome
    try await projection.catchUp()
    #expect(await projection.reader.state.accounts["a"]?.revision == 1)
    // The first erasure is no item any more once the key is erased again.
    await projection.shutdown()
    try await stores.erase("a")
    _ = await stores.send(.deposit(6), to: "a").outcome
    let again = try await ledger()
    try await again.catchUp()
    #expect(await again.reader.state.accounts["a"] == Ledger.Account(state: .init(balance: 7), revision: 1))
    await again.shutdown()
    await stores.shutdown()
    #expect(incidents.recorded.isEmpty)
  }

  @Test(
    "The position of events that change nothing is stored after a second, with the next event that does, and at the end"
  )
  func quiet() async throws {
    let clock = TestClock()
    let stores = try await ManyAccounts.accounts(journal) { run, _ in run.emit(.closed("quiet")) }
    let quiet: @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = { _ in nil }
    for _ in 1...3 { _ = await stores.send(.deposit(1), to: "a").outcome }
    let projection = try await ledger(configuration { $0.clock = clock }, quiet)
    try await clock.waitForSleepers()
    #expect(await projection.positions.state[0] == 0)
    clock.advance(by: .seconds(1))
    try await projection.positions.wait { $0[0] >= 4 }
    _ = await stores.send(.deposit(1), to: "a").outcome
    try await clock.waitForSleepers()
    await projection.shutdown()
    // The epoch, and two moves.
    #expect(try await journal.lastSequence(of: "ledger") == 3)
    let again = try await ledger(configuration { $0.clock = clock }, quiet)
    #expect(try await again.positions.state[0] == journal.end("accounts"))
    // Who waits for the position does not wait for the second.
    _ = await stores.send(.deposit(1), to: "a").outcome
    try await again.catchUp()
    #expect(try await again.positions.state[0] == journal.end("accounts"))
    await again.shutdown()
    await stores.shutdown()
  }

  @Test("The lag is the number of records behind the position, and the time since the first of these")
  func lag() async throws {
    let now = Mutex<Int64>(0)
    let stores = try await ManyAccounts.accounts(journal)
    let projection = try await ledger(
      configuration { $0.wallTime = { now.withLock { $0 } } }, in: KeysJournal(journal, hidesChanges: true))
    #expect(try await projection.lag() == .none)
    for _ in 1...3 { _ = await stores.send(.deposit(1), to: "a").outcome }
    await stores.shutdown()
    let first = try #require(try await journal.all(.account("a"))[0].time)
    now.withLock { $0 = first + 2_500 }
    let lag = try await projection.lag()
    // The epoch and three deposits.
    #expect(lag.records == 4 && lag.time == .milliseconds(2_500))
    await projection.shutdown()
    #expect(projection.failure == nil)
  }

  @Test("A projection is read through the steps of its schema, with the positions that an earlier version has stored")
  func schema() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposits([1, 2]), to: "a").outcome
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    let first = try await ledger()
    try await first.catchUp()
    await first.shutdown()
    let raised = StoreSchema<Ledger>(version: 2).upcasting(from: 1) { (old: Ledger.Mutation) in
      if case .added(let key, .added(let amount)) = old { return .added(key, .added(amount * 10)) }
      return old
    }
    let second = try await ledger(schema: raised, options: options)
    _ = await stores.send(.deposit(4), to: "a").outcome
    try await second.catchUp()
    #expect(await second.reader.state.accounts["a"]?.state.balance == 1 + 30 + 4)
    await second.shutdown()
    let third = try await ledger(
      schema: StoreSchema(version: 3).upcasting(from: 2) { (old: Ledger.Mutation) in old }
        .upcastingState(from: 2) { (old: Ledger.State) in
          var state = old
          state.large = 7
          return state
        })
    try await third.catchUp()
    #expect(await third.reader.state.large == 7)
    #expect(await third.reader.state.accounts["a"]?.revision == 3)
    await third.shutdown()
    await stores.shutdown()
    #expect(incidents.recorded.isEmpty)
  }
}

extension MemoryJournal {
  /// The last position of the partition of stores.
  fileprivate func end(_ stores: String) async throws -> JournalPosition {
    try await records(ofPartition: .of(stores), after: .start, upTo: 1).last
  }
}
