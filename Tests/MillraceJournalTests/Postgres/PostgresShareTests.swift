#if Postgres
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Partitions that processes share in PostgreSQL", .timeLimit(.minutes(2)))
  struct PostgresShareTests {
    @Test(
      "K5: A partition whose owner was stopped between two statements of an append is taken once its lease has ended")
    func stopped() async throws {
      let fixture = PostgresFixture()
      let (journal, proxy) = try await PostgresFailureTests.proxied(fixture)
      let other = try await fixture.journal()
      let (first, second) = (JournalMember.test(1), JournalMember.test(2))
      for member in [first, second] { try await other.join(member, lease: .seconds(600)) }
      let claim = try #require(try await other.take([0], as: first).first)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      // The statement that locks the partition arrives, and the process stops.
      proxy.cut(.inTheMiddle, at: "marked")
      async let appended = journal.append([.init(2, "marked", to: "a", after: 1)], claim: claim)[0]
      #expect(try await proxy.cuts.next() == "in the middle")
      #expect(try await other.take([0], as: second) == [])
      _ = try await other.renew(first.id, lease: .zero)
      // This call ends the connection that has the lock, and the next one takes the partition.
      #expect(try await other.take([0], as: second) == [])
      try PlainPostgres(await PostgresServer.shared.value).run(
        "select 1::text from \(fixture.schema).journal_partition for update")
      let claims = try await other.take([0], as: second)
      #expect(claims.map(\.epoch) == [claim.epoch + 1])
      #expect(await other.append([.init(3, "3", to: "a", after: 1)], claim: claims[0])[0].stored == 1)
      proxy.endAll()
      #expect(await appended.failure?.code == .unknown)
      let calls = JournalCalls(
        journal: ClaimedJournal(base: journal, claim: claim), key: .order("a"), deadline: .seconds(60),
        clock: ContinuousClock())
      let error = try await failure { try await calls.append([JournalBatch(2, "marked")], after: 1) { _, _ in } }
      #expect(error.code == .conflict && error.newcomer == second.process)
      #expect(try await other.texts(.order("a")) == ["1", "3"])
      await journal.close()
      await other.close()
    }

    @Test("A member whose lease has ended for a day is removed when another one joins")
    func forgotten() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      let plain = try PlainPostgres(await PostgresServer.shared.value)
      for number in 1...2 as ClosedRange<UInt64> { try await journal.join(.test(number), lease: .seconds(600)) }
      try plain.run(
        "update \(fixture.schema).journal_member set lease_until = clock_timestamp() - high * interval '20 hours'")
      try await journal.join(.test(3), lease: .seconds(600))
      #expect(try plain.run("select high::text from \(fixture.schema).journal_member order by high") == ["1", "3"])
      #expect(try await journal.shares(of: "orders").members == [.test(3)])
      await journal.close()
    }

    @Test("A partition that a transaction of another role has locked is taken once that ends, and its connection stays")
    func lockOfAnotherRole() async throws {
      let fixture = PostgresFixture()
      await (try await fixture.journal()).close()
      let server = try await PostgresServer.shared.value
      let (other, role) = (try PlainPostgres(server), "role_\(UInt64.random(in: .min ... .max))")
      try other.run("create role \(role) login")
      try other.run("grant usage on schema \(fixture.schema) to \(role)")
      try other.run("grant select, insert, update, delete on all tables in schema \(fixture.schema) to \(role)")
      var options = PostgresOptions()
      options.schema = fixture.schema
      let journal = try await PostgresJournal(
        server.address.replacing("millrace@", with: "\(role)@"), options: options)
      let (first, second) = (JournalMember.test(1), JournalMember.test(2))
      for member in [first, second] { try await journal.join(member, lease: .seconds(600)) }
      #expect(try await journal.take([0], as: first).count == 1)
      _ = try await journal.renew(first.id, lease: .zero)
      try other.run("begin")
      try other.run("select 1::text from \(fixture.schema).journal_partition for update")
      #expect(try await journal.take([0], as: second) == [])
      try other.run("commit")
      #expect(try await journal.take([0], as: second).count == 1)
      await journal.close()
    }

    @Test(
      "K5: Of two processes each has its part of the keys, and one whose connections end hands its part on",
      arguments: PostgresFixture.paths)
    func stores(isPooled: Bool) async throws {
      var fixture = PostgresFixture()
      (fixture.partitions, fixture.isPooled) = (64, isPooled)
      let (first, second) = (try await fixture.journal(), try await fixture.journal())
      func open(_ journal: PostgresJournal, _ address: String) async throws -> ManyAccounts {
        try await ManyAccounts.open(
          name: "accounts", journal: journal, address: address, lease: .seconds(2), initial: { _ in Accounts.State() },
          interactor: { _ in Accounts() })
      }
      let names = (0..<40).map { "key \($0)" }
      let stores = try await open(first, "first")
      for name in names { #expect(await stores.send(.deposit(1), to: name).outcome.kind == .finished) }
      let newcomer = try await open(second, "second")
      for each in [stores, newcomer] {
        try await #require(each.shares).wait { shares in
          let ids = shares.members.map(\.id)
          return ids.count == 2
            && (0..<64).allSatisfy { shares.owners[$0]?.member == JournalMember.ID.firstChoice(of: $0, among: ids) }
        }
      }
      var kinds: [Outcome.Kind: Int] = [:]
      for name in names { kinds[await stores.send(.deposit(1), to: name).outcome.kind, default: 0] += 1 }
      #expect(kinds.keys.sorted { "\($0)" < "\($1)" } == [.finished, .rejected], "\(kinds)")
      await first.close()
      try await #require(newcomer.shares).wait { shares in
        shares.members.count == 1 && (0..<64).allSatisfy { shares.owner(of: $0) != nil }
      }
      var total = 0
      for name in names {
        #expect(await newcomer.send(.deposit(1), to: name, key: "last").outcome.kind == .finished)
        total += try await newcomer.state(of: name).balance
      }
      #expect(total == names.count * 2 + (kinds[.finished] ?? 0))
      await newcomer.shutdown()
      await stores.shutdown()
      await second.close()
    }
  }
#endif
