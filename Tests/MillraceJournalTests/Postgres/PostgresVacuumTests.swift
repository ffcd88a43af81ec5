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
    private static let keys = (0..<20).map { "\($0)" }

    @Test(
      "Ten rounds at full load keep as many records as snapshots leave, and autovacuum keeps the tables at their size")
    func sizes() async throws {
      let server = try await PostgresServer(["autovacuum_naptime=1s"])
      var fixture = PostgresFixture()
      (fixture.server, fixture.partitions) = (server, 16)
      let (journal, plain) = (try await fixture.journal(), try PlainPostgres(server))
      var options = JournalOptions()
      options.snapshotRecords = 50
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
        let last = sizes.suffix(5)
        #expect(Double(last.max() ?? 0) <= 1.1 * Double(last.min() ?? 0), "\(sizes)")
      }
      await journal.close()
    }

    /// Sends actions to all keys from 20 tasks, each of which waits for one outcome before it sends the next action.
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
