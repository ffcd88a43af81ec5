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
    var configuration = StoreConfiguration()
    configuration.report = { [incidents] in incidents.record($0) }
    change(&configuration)
    return configuration
  }

  private func ledger(
    _ configuration: StoreConfiguration? = nil, in source: (any PartitionedJournal)? = nil,
    schema: StoreSchema<Ledger> = StoreSchema(), options: JournalOptions = JournalOptions(),
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection<Ledger> {
    try await Projection.open(
      initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: source ?? journal),
      journal: journal, key: "ledger", configuration: configuration ?? self.configuration(), schema: schema,
      options: options, action: action)
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
    // The erasure itself is no item any more once the key has begun anew.
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
    "An event that is rejected or would be handled ends the projection with its position, and the next opening begins with it",
    arguments: [
      (
        Ledger.Action.order,
        "rejected: The interactor decided against the action: its action asks for a handler, which a projection has not; return mutations from 'decide'"
      ), (.saw("a", .added(1), revision: 7), "rejected: The interactor decided against the action: a has 7 behind 2"),
    ])
  func rejected(_ action: Ledger.Action, _ reason: String) async throws {
    let stores = try await ManyAccounts.accounts(journal)
    let isMended = Mutex(false)
    let mending: @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = { event in
      if case .committed(_, _, 3, _) = event, !isMended.withLock({ $0 }) { return action }
      return Ledger.action(event)
    }
    _ = await stores.send(.deposits([1, 2, 3, 4]), to: "a").outcome
    _ = await stores.send(.deposit(5), to: "b").outcome
    let projection = try await ledger(nil, mending)
    let incident = try await incidents.next()
    #expect(incident.kind == .failedReader)
    #expect(
      incident.description == """
        The projection "ledger" has ended. A projection has not decided an event at position 2 of partition 0 of "accounts": \
        \(reason). The events before it are decided; mend its interactor, and open it again.
        """)
    #expect(projection.failure?.code == .rejected)
    await #expect(throws: JournalError.self) { try await projection.catchUp() }
    #expect(await projection.reader.state.accounts.mapValues(\.revision) == ["a": 2])
    await projection.shutdown()
    isMended.withLock { $0 = true }
    let again = try await ledger(nil, mending)
    try await again.catchUp()
    #expect(try await again.reader.state.accounts["a"]?.state == stores.state(of: "a"))
    await again.shutdown()
    await stores.shutdown()
  }

  @Test("An event whose mutations cannot be encoded ends the projection, and the event behind it is not decided")
  func notEncoded() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposits([1, 2]), to: "a").outcome
    _ = await stores.send(.deposit(3), to: "b").outcome
    // All events are on one page, so that those behind the first one that is not decided are sent too.
    let projection = try await ledger(nil) { event in
      guard case .committed(_, _, 2, _) = event else { return Ledger.action(event) }
      return .missed("a", Accounts.State(balance: Accounts.State.notEncoded), revision: 2)
    }
    let incident = try await incidents.next()
    #expect(incident.description.contains("at position 2 of partition 0"))
    #expect(incident.description.contains("the balance is 666"))
    #expect(await projection.reader.state.accounts.keys.sorted() == ["a"])
    #expect(await projection.reader.state.accounts["a"]?.revision == 1)
    #expect(await projection.positions.state[0] == 1)
    await projection.shutdown()
    let again = try await ledger()
    try await again.catchUp()
    #expect(await again.reader.state.accounts.mapValues(\.revision) == ["a": 2, "b": 1])
    await again.shutdown()
    await stores.shutdown()
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

  @Test("Numbers that no program has stored end the projection with a sentence, or are passed over, and trap nothing")
  func impossible() async throws {
    let place = ProjectedMutation<Ledger.Mutation>.moved(partition: 0, ProjectionPlace(part: -5))
    let payload = EntryPayload(head: DecidedHead(results: nil), mutations: [place])
    let moved = JournalEntry(kind: .decided, payload: Array(try JSONJournalCoder().encode(payload)), revision: 1)
    #expect(
      await journal.append(
        [JournalBatch(id: .init(writer: 1, number: 1), entries: [moved])], to: "ledger", after: .start
      )
      .failure == nil)
    let claim = try await journal.claim(JournalPartition(of: "accounts", number: 0), as: .now())
    let added = EntryPayload(head: DecidedHead(results: nil), mutations: [Accounts.Mutation.added(5)])
    let bytes = Array(try JSONJournalCoder().encode(added))
    let entries = [1, Int.min].map { JournalEntry(kind: .decided, payload: bytes, revision: $0) }
    let batch = JournalBatch(id: .init(writer: 2, number: 1), entries: entries)
    let results = await journal.append([JournalKeyAppend([batch], to: .account("a"), after: .start)], claim: claim)
    #expect(results[0].failure == nil)
    let projection = try await ledger()
    let incident = try await incidents.next()
    #expect(incident.description.contains("it leads by 1 mutations to the revision \(Int.min)"))
    #expect(projection.failure?.code == .corrupt && projection.failure?.sequence == 2)
    #expect(await projection.reader.state.accounts["a"]?.revision == 1)
    await projection.shutdown()
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
