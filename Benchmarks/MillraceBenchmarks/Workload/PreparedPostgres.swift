#if Postgres
  import Millrace
  import MillraceJournal
  import MillracePostgres

  /// Logs on the server that rounds read; each is written once.
  struct PreparedPostgres: Sendable {
    let schema: PostgresBench
    /// The number of records of the log, or of cold keys.
    let count: Int

    private static let longLog = Task { @concurrent in try await log(of: 50_000) }
    private static let shortLog = Task { @concurrent in try await log(of: 1_000) }
    private static let manyKeys = Task { @concurrent in try await coldKeys(1_000) }
    private static let fewKeys = Task { @concurrent in try await coldKeys(8) }

    /// A log of bookings of the key "bookings".
    static func log(_ size: Size) async throws -> PreparedPostgres {
      try await (size == .quick ? shortLog : longLog).value
    }

    /// Keys "0", "1" and so on of the stores "bookings", which have snapshots.
    static func coldKeys(_ size: Size) async throws -> PreparedPostgres {
      try await (size == .quick ? fewKeys : manyKeys).value
    }

    private static func log(of count: Int) async throws -> PreparedPostgres {
      let schema = try await PostgresBench()
      let store = try await Store.open(
        initial: Bookings.State(), interactor: Bookings(), journal: schema.journal, key: "bookings",
        options: .ofBookings)
      for start in stride(from: 0, to: count, by: 1_000) {
        let actions = (start..<start + 1_000).map { Bookings.Action.book(Bookings.Booking($0)) }
        _ = await store.send(contentsOf: actions).outcomes
      }
      await store.shutdown()
      let last = try await schema.journal.lastSequence(of: "bookings")
      return PreparedPostgres(schema: schema, count: Int(last.number))
    }

    private static func coldKeys(_ count: Int) async throws -> PreparedPostgres {
      let schema = try await PostgresBench()
      let stores = try await bookings(in: schema.journal)
      await makeCold((0..<count).map { "\($0)" }, in: stores)
      await stores.shutdown()
      return PreparedPostgres(schema: schema, count: count)
    }
  }
#endif
