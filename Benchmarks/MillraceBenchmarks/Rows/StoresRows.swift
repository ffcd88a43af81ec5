#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal

  /// The stores of many keys in a file, beside one store, and beside a registry by hand.
  let storesRows: [Row] = [
    Row(name: "reference/store-send-1000") { size in
      try await withJournal { journal in
        let store = try await Store.open(
          initial: Bookings.State(accounts: 28), interactor: Bookings(), journal: journal, key: "bookings",
          options: .ofBookings)
        let figure = await sends(1_000, size) { await store.send(.book(Bookings.Booking($0 * 64))).outcome }
        await store.shutdown()
        return figure
      }
    },
    Row(
      name: "stores/send-live", reference: "reference/store-send-1000", target: 1.2, gate: .severalThreads,
      measure: { size in
        try await withJournal { journal in
          let stores = try await bookings(in: journal)
          let figure = await sends(1_000, size) { await stores.send(.book(Bookings.Booking($0 * 64)), to: "1").outcome }
          await stores.shutdown()
          return figure
        }
      }),
    Row(name: "reference/read-cold") { size in
      try await withColdKeys(size) { journal, keys in
        let coder = JSONJournalCoder()
        return try await perItem(keys.count) {
          for key in keys {
            let key = JournalKey(key, of: "bookings")
            guard let snapshot = try await journal.snapshot(of: key) else {
              preconditionFailure("A key has a snapshot.")
            }
            let page = try await journal.records(of: key, after: snapshot.sequence)
            let line = try coder.decode(SnapshotLine.self, from: Data(snapshot.payload))
            precondition(line.state.count == 101 && page.records.isEmpty)
          }
        }
      }
    },
    Row(
      name: "stores/open-cold", reference: "reference/read-cold", target: 1.5, gate: .severalThreads,
      measure: { size in
        try await withColdKeys(size) { journal, keys in
          let stores = try await bookings(in: journal)
          let figure = try await perItem(keys.count) {
            for key in keys {
              let count = try await stores.state(of: key).count
              precondition(count == 101)
            }
          }
          await stores.shutdown()
          return figure
        }
      }),
    Row(name: "reference/registry-cycle") { size in
      try await withColdKeys(size) { journal, keys in
        let registry = BookingRegistry(
          journal, claim: try await journal.claim(JournalPartition(of: "bookings", number: 0), as: .now()))
        return try await cycles(keys) { try await registry.book(Bookings.Booking(64), for: $0) }
      }
    },
    Row(
      name: "stores/cycle", reference: "reference/registry-cycle", target: 2, gate: .severalThreads,
      measure: { size in
        try await withColdKeys(size) { journal, keys in
          let stores = try await bookings(in: journal, live: 64)
          let figure = try await cycles(keys) { key in
            let outcome = await stores.send(.book(Bookings.Booking(64)), to: key).outcome
            precondition(outcome.kind == .finished)
          }
          precondition(stores.summary.hibernated >= keys.count - 64)
          await stores.shutdown()
          return figure
        }
      }),
  ]

  /// The bytes of live keys, each measurement in a process of its own.
  let liveKeyRows: [Row] = [
    // 1,200 and 4,096 bytes, with a state of 8 bytes.
    idleRow(
      "stores/decided-bytes", "bytes", reference: "store/idle-bytes", target: 2.2, probe: .decidedKey, figure: \.bytes,
      count: 20_000),
    idleRow(
      "stores/handled-bytes", "bytes", reference: "store/idle-bytes", target: 7.5, probe: .handledKey, figure: \.bytes,
      count: 20_000),
  ]

  /// A key of many stores, whose actions commit nothing.
  struct IdleKeys: Interactor {
    typealias Live = Stores<Int, IdleKeys>

    enum Action: Codable, Sendable { case ignore, handle }

    func decide(_ action: Action, state: Int) -> Decision<Int> { action == .ignore ? .ignore : .handle }

    func handle(_ action: Action, state: Int) -> Effect<IdleKeys> { .none }

    static func reduce(into state: inout Int, mutation: Int) { state += mutation }

    /// Opens stores in a folder, of which this many keys may live.
    static func open(live: Int, in folder: TemporaryFolder) async throws -> Live {
      try await Live.open(
        name: "keys", journal: try await SQLiteJournal(folder.path("log")), limits: StoresLimits(live: live),
        initial: { _ in 0 }, interactor: { _ in IdleKeys() })
    }

    /// Sends an action to each of these keys, which is decided or handled.
    static func use(_ keys: Live, _ numbers: Range<Int>, _ action: Action) async {
      await withTaskGroup { group in
        for part in numbers.prefix(100) {
          group.addTask {
            for number in stride(from: part, to: numbers.upperBound, by: 100) {
              _ = await keys.send(action, to: number).outcome
            }
          }
        }
      }
    }
  }

  private func withJournal(_ body: (SQLiteJournal) async throws -> Figure) async throws -> Figure {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let journal = try await SQLiteJournal(folder.path("log"))
    let figure = try await body(journal)
    await journal.close()
    return figure
  }

  /// Calls a closure with a journal and its keys, each of which has a snapshot of about 1 KiB and no record behind it.
  private func withColdKeys(
    _ size: Size, _ body: (SQLiteJournal, [String]) async throws -> Figure
  ) async throws -> Figure {
    try await withJournal { journal in
      let keys = (0..<(size == .quick ? 8 : 1_000)).map { "\($0)" }
      let stores = try await bookings(in: journal)
      await makeCold(keys, in: stores)
      await stores.shutdown()
      return try await body(journal, keys)
    }
  }

  /// Nanoseconds a use of 32 tasks that use all keys, each a part of them, so that each use opens a key and another one has to go.
  private func cycles(_ keys: [String], _ use: @escaping @Sendable (String) async throws -> Void) async throws -> Figure
  {
    try await perItem(keys.count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for part in 0..<32 {
          group.addTask {
            for index in stride(from: part, to: keys.count, by: 32) { try await use(keys[index]) }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The states of keys by hand: read from the journal at their first use, and dropped beyond 64, the one unused for longest first.
  private actor BookingRegistry {
    private final class Entry {
      var state: Bookings.State
      var last: JournalSequence

      init(state: Bookings.State, last: JournalSequence) {
        (self.state, self.last) = (state, last)
      }
    }

    private let journal: SQLiteJournal
    private let claim: JournalClaim
    private let coder = JSONJournalCoder()
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var number: UInt64 = 0

    init(_ journal: SQLiteJournal, claim: JournalClaim) {
      self.journal = journal
      self.claim = claim
    }

    func book(_ booking: Bookings.Booking, for name: String) async throws {
      let key = JournalKey(name, of: "bookings")
      let entry = try await entry(of: key)
      let mutation = Bookings.Mutation.booked(booking)
      let line = EntryLine(head: EntryHead.Decided?.none, mutations: [mutation])
      let payload = Array(try coder.encode(line))
      number += 1
      let batch = JournalBatch(
        id: .init(writer: 1, number: number),
        entries: [.epoch(.now()), JournalEntry(kind: .decided, payload: payload, revision: entry.state.count + 1)])
      let result = await journal.append([JournalKeyAppend([batch], to: key, after: entry.last)], claim: claim)
      precondition(result[0].stored == 1)
      entry.last = result[0].last
      Bookings.reduce(into: &entry.state, mutation: mutation)
    }

    private func entry(of key: JournalKey) async throws -> Entry {
      if let entry = entries[key.name] { return entry }
      guard let snapshot = try await journal.snapshot(of: key) else { preconditionFailure("A key has a snapshot.") }
      let page = try await journal.records(of: key, after: snapshot.sequence)
      let state = try coder.decode(SnapshotLine.self, from: Data(snapshot.payload)).state
      let entry = Entry(state: state, last: page.records.last?.sequence ?? snapshot.sequence)
      entries[key.name] = entry
      order.append(key.name)
      if order.count > 64 { entries[order.removeFirst()] = nil }
      return entry
    }
  }
#else
  /// Without the trait SQLite there is no file.
  let storesRows: [Row] = []
  let liveKeyRows: [Row] = []
#endif
