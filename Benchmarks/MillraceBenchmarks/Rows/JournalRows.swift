#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal

  /// Stores with a journal in a file; a durable action takes the sync of a disk.
  let journalRows: [Row] =
    [1, 8, 1_000].flatMap { appendRows($0) } + [
      snapshotRow, largeStateRow, largeStateReference,
      Row(name: "reference/sqlite-loop") { size in
        let count = appends(size, 1)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let database = try PlainDatabase(folder.path("log"))
        try database.makeTables()
        let coder = JSONJournalCoder()
        return try await perItem(count) {
          for number in 1...count {
            let mutation = Bookings.Mutation.booked(Bookings.Booking(number))
            let entry = try GroupCommit.Entry(2, head: EntryHead.Decided?.none, mutation: mutation, coder)
            try database.transaction {
              try database.insert(entry.payload, at: number)
              try database.setLast(number)
            }
          }
        }
      },
    ] + openRows("journal/replay", "reference/log-decode", 100_000, isHandled: false, target: 1.3)
    + openRows("journal/open-1M", "reference/log-decode-1M", 250_000, isHandled: true)

  /// The sentence about rows that this build does not have.
  let absentJournalRows: String? = nil

  // MARK: Appending

  private func appendRows(_ senders: Int) -> [Row] {
    let measure: Row.Measure = { try await durableBookings(of: senders, appends($0, senders), .ofBookings) }
    let reference: Row.Measure = { size in
      let each = appends(size, senders)
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let log = try GroupCommit(folder.path("log"), hasChecksums: false)
      defer { log.close() }
      let desk = BookingLog(log)
      let figure = await bookings(of: senders, each) { try? await desk.book($0) }
      precondition(desk.count == senders * each)
      return figure
    }
    let name = "reference/group-commit-\(senders)"
    return [
      Row(name: name, measure: reference),
      Row(
        name: "journal/append-\(senders)", reference: name, target: senders == 1 ? 1.5 : 1.3, gate: .severalThreads,
        measure: measure),
      Row(
        name: "journal/append-\(senders)-and-loop", reference: "reference/sqlite-loop", gate: .severalThreads,
        measure: measure),
    ]
  }

  /// The bookings of 1,000 senders with a snapshot every 1,000 records, and the removal of these.
  private let snapshotRow = Row(
    name: "journal/append-1000-snapshots", reference: "journal/append-1000", gate: .severalThreads
  ) { size in
    var options = JournalOptions.ofBookings
    options.snapshotRecords = 1_000
    return try await durableBookings(of: 1_000, appends(size, 1_000), options)
  }

  /// The bookings of 1,000 senders in a store with 100,000 accounts, with the snapshots of the default options.
  private let largeStateRow = Row(
    name: "journal/append-1000-large", reference: "reference/journal-append-1000-large", target: 1.25,
    gate: .severalThreads
  ) { size in
    try await durableBookings(of: 1_000, largeAppends(size), JournalOptions(), accounts: 100_000)
  }

  /// The same without snapshots.
  private let largeStateReference = Row(name: "reference/journal-append-1000-large") { size in
    try await durableBookings(of: 1_000, largeAppends(size), .ofBookings, accounts: 100_000)
  }

  /// The number of bookings of each of 1,000 senders, of which the default options take a few snapshots.
  private func largeAppends(_ size: Size) -> Int {
    switch size {
    case .full, .short: 60
    case .quick: 1
    }
  }

  /// Nanoseconds a booking of a store with a journal in a new file.
  private func durableBookings(
    of senders: Int, _ each: Int, _ options: JournalOptions, accounts: Int = 64
  ) async throws -> Figure {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let journal = try await SQLiteJournal(folder.path("log"))
    let store = try await Store.open(
      initial: Bookings.State(accounts: accounts), interactor: Bookings(), journal: journal, key: "bookings",
      options: options)
    let figure = await bookings(of: senders, each) { _ = await store.send(.book($0)).outcome }
    precondition(store.durableRevision == senders * each)
    // A snapshot may still be in progress.
    await store.shutdown()
    await journal.close()
    return figure
  }

  // MARK: Opening

  /// The opening of a store from its log, and the reading, decoding and reducing of the log by hand; nanoseconds a record.
  private func openRows(
    _ name: String, _ reference: String, _ count: Int, isHandled: Bool, target: Double? = nil
  ) -> [Row] {
    @Sendable func log(_ size: Size) async throws -> PreparedLogs.Log {
      let bookings =
        switch size {
        case .full: count
        case .short: min(count, 50_000)
        case .quick: 1_000
        }
      return try await PreparedLogs.shared.log(of: bookings, isHandled: isHandled)
    }
    let records = isHandled ? 4 : 1
    return [
      Row(name: reference) { size in
        let log = try await log(size)
        return try await perItem(log.bookings * records) {
          let count = try decoded(log.path).count
          precondition(count == log.bookings)
        }
      },
      Row(name: name, reference: reference, target: target, gate: .severalThreads) { size in
        let log = try await log(size)
        return try await perItem(log.bookings * records) {
          let store = try await Store.open(
            initial: Bookings.State(), interactor: Bookings(), journal: log.journal, key: "bookings",
            options: .ofBookings)
          let count = await store.state.count
          precondition(count == log.bookings)
        }
      },
    ]
  }

  /// The state that the records of a log lead to, by hand.
  private func decoded(_ path: String) throws -> Bookings.State {
    var state = Bookings.State()
    let decoder = JSONDecoder()
    func reduce<Head: Codable>(_ head: Head.Type, _ payload: Data) throws {
      for mutation in try decoder.decode(EntryLine<Head>.self, from: payload).mutations {
        Bookings.reduce(into: &state, mutation: mutation)
      }
    }
    try PlainDatabase(path).eachRecord { kind, payload in
      switch kind {
      case 2: try reduce(EntryHead.Decided.self, payload)
      case 3: try reduce(EntryHead.TakeUp.self, payload)
      case 4: try reduce(EntryHead.Emit.self, payload)
      case 5: try reduce(EntryHead.End.self, payload)
      default: break
      }
    }
    return state
  }
#else
  /// Stores with a journal in a file, which builds with the trait SQLite have.
  let journalRows: [Row] = []

  /// The sentence about rows that this build does not have.
  let absentJournalRows: String? =
    """
    The rows journal/… and service/durable-… need the trait SQLite: swift run -c release --traits SQLite --scratch-path \
    .build-traits-release benchmarks --filter journal/
    """
#endif
