import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("Projection of erased keys that begin anew", .timeLimit(.minutes(1)))
struct ErasedKeysTests {
  private let journal = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func ledger(
    in source: (any PartitionedJournal)? = nil,
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection<Ledger> {
    try await .ledger(of: source ?? journal, in: journal, .reporting(to: incidents), action)
  }

  /// A journal from which a version before this one has removed the erasures of keys that have begun anew.
  private struct EarlierJournal: ForwardedJournal {
    let base: MemoryJournal

    func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
      await base.append(appends, claim: claim)
    }

    func records(
      ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPartitionPage {
      let page = try await base.records(ofPartition: partition, after: position, upTo: byteCount)
      let items = page.items.map { item in
        guard case .erased(_, let position) = item else { return item }
        return JournalPartitionItem.missed(.account("a"), through: 3, at: position)
      }
      return JournalPartitionPage(items: items, position: page.position, last: page.last, previous: page.previous)
    }
  }

  @Test("K7: A key whose erasure an earlier version has removed with its next life is erased if that has no snapshot")
  func erasedByEarlierVersion() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposit(1), to: "a").outcome
    let projection = try await ledger()
    try await projection.catchUp()
    await projection.shutdown()
    try await stores.erase("a")
    _ = await stores.send(.deposit(6), to: "a").outcome
    let again = try await ledger(in: EarlierJournal(base: journal))
    try await again.catchUp()
    #expect(await again.reader.state.accounts["a"] == Ledger.Account(state: .init(balance: 7), revision: 1))
    await again.shutdown()
    await stores.shutdown()
    #expect(incidents.recorded.isEmpty)
  }

  @Test(
    "K6: A projection that is behind learns of an erasure although the new life of the key has a snapshot, for an hour",
    arguments: [true, false])
  func erasedAndBegunAnew(isWithinHour: Bool) async throws {
    let now = Mutex<Int64>(1_000_000)
    var options = JournalOptions()
    options.snapshotRecords = 4
    var configuration = StoreConfiguration()
    configuration.wallTime = { now.withLock { $0 } }
    let watched = KeysJournal(journal)
    let stores = try await ManyAccounts.accounts(watched, configuration: configuration, options: options)
    func deposit(untilSnapshots count: Int) async {
      while watched.snapshots.recorded.count < count { _ = await stores.send(.deposit(1), to: "a").outcome }
    }
    for _ in 1...3 { _ = await stores.send(.deposit(1), to: "a").outcome }
    let events = Recorder<String>()
    let noting: @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = { event in
      switch event {
      case .erased: events.record("erased")
      case .missed: events.record("missed")
      default: break
      }
      return Ledger.action(event)
    }
    let projection = try await ledger(in: nil, noting)
    try await projection.catchUp()
    await projection.shutdown()
    let count = watched.snapshots.recorded.count
    try await stores.erase("a")
    await deposit(untilSnapshots: count + 1)
    if !isWithinHour {
      now.withLock { $0 += 3_601_000 }
      // One may be under way that was taken before.
      await deposit(untilSnapshots: watched.snapshots.recorded.count + 2)
    }
    let snapshot = try await stores.snapshot(of: "a")
    await stores.shutdown()
    let again = try await ledger(in: nil, noting)
    try await again.catchUp()
    let account = try #require(await again.reader.state.accounts["a"])
    #expect(account.state == snapshot.state && account.revision == snapshot.revision)
    #expect(events.recorded == (isWithinHour ? ["erased"] : ["missed"]))
    await again.shutdown()
  }
}
