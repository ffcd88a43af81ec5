#if Postgres
  import Foundation
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Prepared statements of PostgreSQL", .timeLimit(.minutes(5)))
  struct PreparedStatementsTests {
    /// The keys that are stored in empty tables; `.ci/long` has 100,000.
    private static let keys = ProcessInfo.processInfo.environment["MILLRACE_NEW_KEYS"].flatMap { Int($0) } ?? 20_000

    private func connection(_ address: String? = nil) async throws -> PostgresConnection {
      let shared = try await PostgresServer.shared.value.address
      return try PostgresConnection(PostgresAddress(address ?? shared), deadline: .seconds(20))
    }

    /// The texts that the server of a connection has prepared, of those that contain a text.
    private func prepared(_ text: String, on connection: PostgresConnection) throws -> [String] {
      let found = try connection.run([
        PostgresStatement("select name, statement from pg_prepared_statements order by prepare_time")
      ])[0]
      for row in found.rows { #expect(found.text(row, 0).wholeMatch(of: /m[0-9a-f]{16}/) != nil) }
      return found.rows.map { found.text($0, 1) }.filter { $0.contains(text) }
    }

    @Test("The name of a statement is a hash of its text and its types that is the same in each process")
    func name() {
      let sql = "select $1"
      #expect(PostgresStatement(sql) { $0.add(1) }.name.text == "m357bd3c0859075bc")
      #expect(PostgresStatement(sql) { $0.add(2) }.name == PostgresStatement(sql) { $0.add(1) }.name)
      #expect(PostgresStatement(sql) { $0.add([UInt8]()) }.name != PostgresStatement(sql) { $0.add(1) }.name)
      #expect(PostgresStatement("select $1 ") { $0.add(1) }.name != PostgresStatement(sql) { $0.add(1) }.name)
    }

    @Test("A statement is prepared once on a connection, and planned once, for any parameters")
    func once() async throws {
      let connection = try await connection()
      for number in 0..<10 {
        let statement = PostgresStatement("select $1 + 1 as once") { $0.add(number) }
        #expect(
          try connection.write([statement, statement]).map { $0.number(0, 0) } == [
            Int64(number + 1), Int64(number + 1),
          ])
        #expect(try connection.read([statement, statement])[1].number(0, 0) == Int64(number + 1))
      }
      #expect(try prepared("as once", on: connection).count == 1)
      let plans = try connection.run([
        PostgresStatement(
          "select generic_plans, custom_plans from pg_prepared_statements where statement like '%as once'")
      ])[0]
      #expect(plans.number(0, 0) == 40 && plans.number(0, 1) == 0)
    }

    @Test("A name that another client has prepared on the server's connection is used, and none has two texts")
    func pooled() async throws {
      let server = try await PostgresServer()
      let pool = try await server.pooled(1)
      let (first, second) = (PostgresFixture(), PostgresFixture())
      var journals: [PostgresJournal] = []
      for fixture in [first, second, first] {
        var options = PostgresOptions()
        (options.schema, options.partitions) = (fixture.schema, 1)
        journals.append(try await PostgresJournal(pool, options: options))
      }
      for round in 1...20 as ClosedRange<UInt64> {
        for (number, journal) in journals.enumerated() {
          let result = await journal.append(
            [JournalBatch(round, "\(number)")], to: JournalKey("\(number)"), after: JournalSequence(round - 1))
          #expect(result.stored == 1, "\(result)")
        }
      }
      for (number, journal) in journals.enumerated() {
        #expect(try await journal.texts(JournalKey("\(number)")) == Array(repeating: "\(number)", count: 20))
      }
      #expect(try await journals[1].keys(after: nil) == ["1"])
      let texts = try prepared("insert into \"\(first.schema)\".journal_record", on: try await connection(pool))
      #expect(texts.count == 1)
      for journal in journals { await journal.close() }
    }

    @Test("A client that finds all names prepared already repeats its transaction once for each, and then no more")
    func preparedAlready() async throws {
      let server = try await PostgresServer()
      let pool = try await server.pooled(1)
      let (first, second) = (try await connection(pool), try await connection(pool))
      let statements = (0..<3).map { PostgresStatement("select \($0) as already") }
      for connection in [first, second, second] {
        #expect(try connection.write(statements).map { $0.number(0, 0) } == [0, 1, 2])
        #expect(try connection.read(statements).map { $0.number(0, 0) } == [0, 1, 2])
      }
      #expect(try prepared("as already", on: first).count == 3)
    }

    @Test(
      "A transaction whose name the server does not know is repeated without names, stored once, and the connection stays without",
      arguments: [true, false])
    func unknownName(isReading: Bool) async throws {
      let connection = try await connection()
      let schema = PostgresFixture().schema
      _ = try connection.run([PostgresStatement("create schema \(schema)")])
      _ = try connection.run([PostgresStatement("create table \(schema).t(n bigint)")])
      let insert = PostgresStatement("insert into \(schema).t values (1)")
      let count = PostgresStatement("select count(*) from \(schema).t")
      #expect(try connection.write([insert, count])[1].number(0, 0) == 1)
      #expect(try connection.read([count, count])[1].number(0, 0) == 1)
      _ = try connection.run([PostgresStatement("deallocate all")])
      if isReading {
        #expect(try connection.read([count, count])[1].number(0, 0) == 1)
      } else {
        #expect(try connection.write([insert, count])[1].number(0, 0) == 2)
      }
      #expect(try connection.read([count, count])[1].number(0, 0) == (isReading ? 1 : 2))
      #expect(try prepared(schema, on: connection) == [])
    }

    @Test("A statement whose columns have changed since it was prepared is repeated without its name")
    func changedColumns() async throws {
      let connection = try await connection()
      let schema = PostgresFixture().schema
      _ = try connection.run([PostgresStatement("create schema \(schema)")])
      _ = try connection.run([PostgresStatement("create table \(schema).t as select 1 as a")])
      let select = PostgresStatement("select * from \(schema).t")
      #expect(try connection.write([select])[0].number(0, 0) == 1)
      _ = try connection.run([PostgresStatement("alter table \(schema).t add column b int default 7")])
      #expect(try connection.write([select])[0].number(0, 1) == 7)
    }

    @Test("An error of a statement is the statement's, also where it is prepared for the first time")
    func refused() async throws {
      let connection = try await connection()
      for _ in 0..<2 {
        #expect {
          _ = try connection.write([PostgresStatement("select * from no_such_table")])
        } throws: { error in
          guard case .refused(state: "42P01", _) = error as? PostgresFailure else { return false }
          return true
        }
        #expect {
          _ = try connection.read([PostgresStatement("select 1"), PostgresStatement("select 1 / 0")])
        } throws: { error in
          guard case .refused(state: "22012", _) = error as? PostgresFailure else { return false }
          return true
        }
      }
      #expect(try connection.write([PostgresStatement("select 5")])[0].number(0, 0) == 5)
    }

    @Test("A prepared statement whose table is locked ends on the server at the limit of a lock")
    func lockedTable() async throws {
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      let schema = PostgresFixture().schema
      try plain.run("create schema \(schema)")
      try plain.run("create table \(schema).t(n bigint)")
      try plain.run("begin")
      try plain.run("lock table \(schema).t in access exclusive mode")
      let address = try await PostgresServer.shared.value.address
      let connection = try PostgresConnection(PostgresAddress(address), deadline: .milliseconds(400))
      #expect {
        _ = try connection.write([PostgresStatement("select n from \(schema).t")])
      } throws: { ($0 as? PostgresFailure)?.isOfLock == true }
      try plain.run("commit")
      #expect(try connection.write([PostgresStatement("select n from \(schema).t")])[0].rows.isEmpty)
    }

    @Test(
      "Keys that begin in empty tables cost the same however many there are: no plan reads a whole table, or a whole index",
      arguments: [false, true])
    func growingTables(areVacuumed: Bool) async throws {
      let server = try await PostgresServer(["autovacuum=off", "fsync=on"])
      var fixture = PostgresFixture()
      (fixture.server, fixture.partitions) = (server, 1)
      let (journal, plain) = (try await fixture.journal(), try PlainPostgres(server))
      // Each key that begins is looked for among the erased ones.
      try plain.run(
        "insert into \(fixture.schema).journal_erased(digest, stores, partition, last) select 'e' || n, 0, 0, 1 from generate_series(1, 1000) n"
      )
      // An empty table that was vacuumed is planned as if it stayed empty.
      if areVacuumed { try plain.run("vacuum analyze") }
      let claim = try await journal.claim(.of("orders"), as: .now())
      var (position, size) = (0, 1)
      while position < Self.keys {
        // Small transactions come first, with the plans of small tables.
        let names = (position..<min(position + size, Self.keys)).map { "\($0)" }
        let results = await journal.append(names.map { .init(1, "1", to: $0) }, claim: claim)
        #expect(results.allSatisfy { $0.stored == 1 })
        #expect(try await journal.lastSequence(of: .order(names[0])) == 1)
        position += names.count
        size = min(size + 1, 100)
      }
      #expect(try await journal.keys(of: "orders", prefix: "19", after: "1998").count <= 1_000)
      await journal.close()
      // The counts of a connection are complete when its process has ended.
      _ = try plain.run(
        "select pg_terminate_backend(pid, 20000)::text from pg_stat_activity where application_name = 'millrace' and pid <> pg_backend_pid()"
      )
      let read = try plain.run(
        """
        select coalesce(sum(seq_tup_read), 0)::text from pg_stat_user_tables where schemaname = '\(fixture.schema)' \
        and relname <> 'journal_partition' union all \
        select coalesce(sum(idx_tup_read), 0)::text from pg_stat_user_indexes where schemaname = '\(fixture.schema)' \
        and relname <> 'journal_partition'
        """
      ).compactMap { Int($0) }
      #expect(read.count == 2 && read[0] < Self.keys && read[1] < 20 * Self.keys, "\(read)")
    }
  }
#endif
