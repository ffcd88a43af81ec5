#if Postgres
  import Foundation
  import Millrace
  import MillracePostgres
  import MillracePostgresServer
  import Testing

  @testable import MillraceJournal

  @Suite("The tables in PostgreSQL under load", .timeLimit(.minutes(30)))
  struct PostgresVacuumTests {
    /// The number of actions of a round: 1,000, or MILLRACE_VACUUM_ACTIONS, of which `.ci/long` has as many as a minute takes.
    private static let actions =
      ProcessInfo.processInfo.environment["MILLRACE_VACUUM_ACTIONS"].flatMap { Int($0) }
    /// Few in a short run, so that each gets snapshots; many in a long one, so that the tables are not a few pages.
    private static let keys = (0..<(actions == nil ? 20 : 200)).map { "\($0)" }

    @Test(
      "Ten rounds at full load keep as many records as snapshots leave, and autovacuum keeps the tables from growing")
    func sizes() async throws {
      let server = try await PostgresServer(["autovacuum_naptime=1s"])
      var fixture = PostgresFixture()
      (fixture.server, fixture.partitions) = (server, 16)
      let (journal, plain) = (try await fixture.journal(), try PlainPostgres(server))
      var options = JournalOptions()
      options.snapshotRecords = 50
      options.keptForReaders = .zero
      let stores = try await ManyAccounts.accounts(journal, options: options)
      var sizes: [Int] = []
      for _ in 0..<10 {
        try await Self.load(stores, Self.actions ?? 1_000)
        let size = try plain.run(
          """
          select sum(pg_total_relation_size(c.oid))::bigint::text from pg_class c where c.relkind = 'r' \
          and c.relnamespace = '\(fixture.schema)'::regnamespace
          """)
        sizes.append(try #require(size.first.flatMap { Int($0) }))
      }
      var total = 0
      for key in Self.keys { total += try await stores.state(of: key).balance - key.count }
      #expect(total == 10 * (Self.actions ?? 1_000))
      await stores.shutdown()
      let records = try plain.run("select count(*)::text from \(fixture.schema).journal_record").first.flatMap {
        Int($0)
      }
      // Each key has at most the records behind its snapshot, and those of the append in which that was due.
      #expect(try #require(records) < 200 * Self.keys.count, "\(sizes)")
      if Self.actions != nil {
        print("PostgresVacuumTests: the tables had \(sizes.map { $0 >> 10 }) KiB after each round")
        // VACUUM gives the ends of tables back at times, so a size may be smaller than those around it.
        let (first, last) = (sizes.prefix(5).max() ?? 0, sizes.suffix(5).max() ?? 0)
        #expect(Double(last) <= 1.1 * Double(first), "\(sizes)")
      }
      await journal.close()
    }

    /// Sends actions to all keys from one task each, which waits for one outcome before it sends the next action.
    private static func load(_ stores: ManyAccounts, _ count: Int) async throws {
      await withTaskGroup { group in
        for key in keys {
          group.addTask {
            for _ in 0..<count / keys.count {
              let outcome = await stores.send(.deposit(1), to: key).outcome
              #expect(outcome.kind == .finished)
            }
          }
        }
      }
    }
  }
#endif
