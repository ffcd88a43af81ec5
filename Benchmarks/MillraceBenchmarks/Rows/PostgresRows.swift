#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal
  import MillracePostgres

  /// Stores with a journal on a PostgreSQL server, beside loops over libpq by hand; the server is another process of this machine.
  let postgresRows: [Row] = [1, 8, 1_000].flatMap { appendRows($0) } + replayRows + coldRows + liveRows + takeOverRows

  /// The sentence about rows that this build does not have.
  let absentPostgresRows: String? = nil

  /// The bookings of senders, each durable before its sender continues.
  private func appendRows(_ senders: Int) -> [Row] {
    let reference = "reference/libpq-commit-\(senders)"
    return [
      Row(name: reference) { size in
        let each = appends(size, senders)
        return try await PostgresBench.with { schema in
          let table = try PlainPostgresLog(schema)
          try table.begin()
          let log = GroupCommit(table, hasChecksums: false)
          defer { log.close() }
          let desk = BookingLog(log)
          let figure = await bookings(of: senders, each) { try? await desk.book($0) }
          precondition(desk.count == senders * each)
          return figure
        }
      },
      Row(name: "postgres/append-\(senders)", reference: reference, target: 1.3, gate: .otherProcess) { size in
        let each = appends(size, senders)
        return try await PostgresBench.with { schema in
          let store = try await Store.open(
            initial: Bookings.State(), interactor: Bookings(), journal: schema.journal, key: "bookings",
            options: .ofBookings)
          let figure = await bookings(of: senders, each) { _ = await store.send(.book($0)).outcome }
          precondition(store.durableRevision == senders * each)
          await store.shutdown()
          return figure
        }
      },
    ]
  }

  /// The reading of the records of a key; nanoseconds a record.
  private let replayRows = [
    Row(name: "reference/libpq-records") { size in
      let prepared = try await PreparedPostgres.log(size)
      let log = try PlainPostgresLog(prepared.schema)
      return try await perItem(prepared.count) {
        var (last, count) = (UInt64(0), 0)
        while count < prepared.count {
          // The first key of a schema has the id 1.
          let records = try log.records(of: 1, after: last)
          count += records.count
          guard let end = records.last?.sequence else { throw PlainPostgres.Failed(message: "records are missing") }
          last = end
        }
      }
    },
    Row(name: "postgres/replay", reference: "reference/libpq-records", target: 1.3, gate: .otherProcess) { size in
      let prepared = try await PreparedPostgres.log(size)
      return try await perItem(prepared.count) {
        var (last, count) = (JournalSequence.start, 0)
        while count < prepared.count {
          let page = try await prepared.schema.journal.records(of: "bookings", after: last)
          count += page.records.count
          guard let end = page.records.last?.sequence else { throw Unreached() }
          last = end
        }
      }
    },
  ]

  /// The opening of keys that are not in memory.
  private let coldRows = [
    Row(name: "reference/libpq-cold") { size in
      let prepared = try await PreparedPostgres.coldKeys(size)
      let (tables, connection) = (prepared.schema.tables, try PlainPostgres(prepared.schema.address))
      let snapshot = """
        select k.last, k.snapshot_sequence, s.payload from \(tables("key")) k join \(tables("snapshot")) s \
        on s.key = k.id and s.id = k.snapshot_id where k.stores = $1 and k.digest = sha256($2)
        """
      let records = """
        with k as materialized (select id, snapshot_sequence from \(tables("key")) where stores = $1 and digest = sha256($2)) \
        select sequence, payload from \(tables("record")) where key = (select id from k) \
        and sequence > (select snapshot_sequence from k) order by sequence
        """
      let coder = JSONJournalCoder()
      return try await perItem(prepared.count) {
        for number in 0..<prepared.count {
          var parameters = PlainParameters()
          // The first stores of a schema have the id 1.
          parameters.add(1)
          parameters.add("\(number)".utf8)
          let rows = try connection.run([(snapshot, parameters), (records, parameters)])
          guard rows[0].count == 1 else { throw PlainPostgres.Failed(message: "a snapshot is missing") }
          let line = try coder.decode(SnapshotLine.self, from: Data(rows[0].bytes(0, 2)))
          precondition(line.state.count == 101 && rows[1].count == 0)
        }
      }
    },
    Row(name: "postgres/open-cold", reference: "reference/libpq-cold", target: 1.5, gate: .otherProcess) { size in
      let prepared = try await PreparedPostgres.coldKeys(size)
      let stores = try await bookings(in: prepared.schema.journal)
      let figure = try await perItem(prepared.count) {
        for number in 0..<prepared.count {
          let count = try await stores.state(of: "\(number)").count
          precondition(count == 101)
        }
      }
      await stores.shutdown()
      return figure
    },
  ]

  #if SQLite
    /// The actions of many senders to a live key, beside the same in a file.
    private let liveRows = [
      Row(name: "postgres/send-live", reference: "stores/send-live", gate: .otherProcess) { size in
        try await PostgresBench.with { schema in
          let stores = try await bookings(in: schema.journal)
          let figure = await sends(1_000, size) { await stores.send(.book(Bookings.Booking($0 * 64)), to: "1").outcome }
          await stores.shutdown()
          return figure
        }
      }
    ]
  #else
    /// Without the trait SQLite there is no file to compare with.
    private let liveRows: [Row] = []
  #endif
#else
  /// Stores with a journal on a PostgreSQL server, which builds with the trait Postgres have.
  let postgresRows: [Row] = []

  /// The sentence about rows that this build does not have.
  let absentPostgresRows: String? =
    """
    The rows postgres/… need the trait Postgres: swift run -c release --traits SQLite,Postgres --scratch-path \
    .build-postgres-release benchmarks --filter postgres/
    """
#endif
