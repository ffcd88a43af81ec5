#if Postgres
  import Foundation
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Rows and tables that other transactions have locked", .timeLimit(.minutes(5)))
  struct LockedRowTests {
    private static let names = (0..<2).map { number in
      (0...).lazy.map { "\($0)" }.first { JournalPartition(of: "orders", holding: $0, among: 2).number == number } ?? ""
    }

    @Test(
      "A locked row of a partition or of a key delays its own appends in their order, and no others",
      arguments: ["partition", "key"])
    func lockedRow(_ table: String) async throws {
      var fixture = PostgresFixture()
      fixture.partitions = 2
      let journal = try await fixture.journal()
      var claims: [JournalClaim] = []
      for (number, name) in Self.names.enumerated() {
        let claim = try await journal.claim(JournalPartition(of: "orders", number: number), as: .now())
        #expect(await journal.append([.init(1, "1", to: name)], claim: claim)[0].stored == 1)
        claims.append(claim)
      }
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("begin")
      let condition = table == "key" ? "name = '\(Self.names[0])'" : "number = 0"
      try plain.run("select 1::text from \(fixture.schema).journal_\(table) where \(condition) for update")
      let first = JournalKeyAppend.init(2, "2", to: Self.names[0], after: 1)
      let second = JournalKeyAppend.init(3, "3", to: Self.names[0], after: 2)
      let (delayed, claim) = (Recorder<Int>(), claims[0])
      async let results = withTaskGroup(of: JournalAppend.self) { group in
        // Both are in the queue, in this order, when the thread takes them.
        for append in [first, second] {
          let ended = Recorder<JournalAppend>()
          journal.appends.add(
            AppendCall(parts: [append], claim: claim) {
              delayed.record($0[0].stored)
              ended.record($0[0])
            })
          group.addTask { (try? await ended.next()) ?? JournalAppend(stored: 0, last: 0) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for round in 2...40 as ClosedRange<UInt64> {
        let append = JournalKeyAppend.init(round, "\(round)", to: Self.names[1], after: JournalSequence(round - 1))
        #expect(await journal.append([append], claim: claims[1])[0].stored == 1)
      }
      #expect(delayed.recorded == [])
      try plain.run("commit")
      #expect(await results.map(\.stored) == [1, 1])
      #expect(try await journal.texts(.order(Self.names[0])) == ["1", "2", "3"])
      await journal.close()
    }

    @Test("An append whose row stays locked is unavailable at the journal's deadline, and at the end of the journal")
    func deadline() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal { $0.deadline = .milliseconds(300) }
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("begin")
      try plain.run("select 1::text from \(fixture.schema).journal_partition for update")
      let append = JournalKeyAppend.init(2, "2", to: "a", after: 1)
      let late = await journal.append([append], claim: claim)[0]
      #expect(late.stored == 0 && late.failure?.code == .unavailable)
      #expect(
        late.failure?.description.contains("another transaction has locked the row of partition 0 of \"orders\"")
          == true)
      let other = try await fixture.journal { $0.deadline = .seconds(600) }
      async let closing = other.append([append], claim: claim)[0]
      await other.close()
      #expect([.unavailable, .closed].contains(await closing.failure?.code))
      try plain.run("commit")
      #expect(try await journal.texts(.order("a")) == ["1"])
      await journal.close()
    }

    @Test("K5: Beside a claim in an open transaction an append is stored before it, or is fenced behind it")
    func claimBeside() async throws {
      let fixture = PostgresFixture()
      let (old, new) = (try await fixture.journal(), try PlainPostgres(try await PostgresServer.shared.value))
      let rounds = PostgresAppendTests.rounds * 2
      var random = SeededGenerator(seed: 49)
      var (claim, last) = (try await old.claim(.of("orders"), as: .now()), JournalSequence.start)
      var wins = 0
      for round in 1...rounds {
        let pauses = (Double.random(in: 0...0.002, using: &random), Double.random(in: 0...0.002, using: &random))
        try new.run("begin")
        async let appended = old.append([.init(UInt64(round), "\(round)", to: "a", after: last)], claim: claim)[0]
        try new.run("select pg_sleep(\(pauses.0))::text")
        let newer = try new.run(
          "update \(fixture.schema).journal_partition set epoch = epoch + 1 returning epoch::text")
        try new.run("select pg_sleep(\(pauses.1))::text")
        try new.run("commit")
        let result = await appended
        if result.stored == 1 { wins += 1 } else { #expect(result.failure?.code == .conflict) }
        // What was stored lies before the claim: the partition ends there, and nothing comes behind the next one.
        last = try await old.lastSequence(of: .order("a"))
        #expect(last == result.last && newer.count == 1)
        claim = try await old.claim(.of("orders"), as: .now())
      }
      #expect(wins > 0 && wins < rounds)
      let items = try await old.partition("orders", upTo: 1 << 20).items
      #expect(items.map(\.position.number) == Array(1...UInt64(items.count)) && items.count == wins)
      await old.close()
    }

    @Test("Calls that wait for a locked table end on the server too, and leave no connection behind")
    func lockedTable() async throws {
      let server = try await PostgresServer()
      var fixture = PostgresFixture()
      fixture.server = server
      let journal = try await fixture.journal { $0.deadline = .milliseconds(200) }
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      let plain = try PlainPostgres(server)
      try plain.run("begin")
      try plain.run("lock table \(fixture.schema).journal_key in access exclusive mode")
      for _ in 0..<10 {
        let result = await journal.append([JournalBatch(2, "2")], to: "a", after: 1)
        #expect(result.failure?.isTransient == true)
        #expect(try await failure { _ = try await journal.lastSequence(of: "a") }.isTransient)
      }
      let backends = try plain.run(
        "select pid::text from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")
      #expect(backends.count <= 2, "\(backends)")
      try plain.run("commit")
      let calls = JournalCalls(journal: journal, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      try await calls.append([JournalBatch(3, "3")], after: 1) { _, _ in }
      #expect(try await journal.texts("a") == ["1", "3"])
      await journal.close()
    }
  }
#endif
