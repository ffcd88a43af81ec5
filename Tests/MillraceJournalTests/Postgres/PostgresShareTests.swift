#if Postgres
  import Millrace
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
      proxy.cut(.inTheMiddle(bytes: 900), at: "marked")
      async let appended = journal.append([.init(2, "marked", to: "a", after: 1)], claim: claim)[0]
      #expect(try await proxy.cuts.next() == "in the middle")
      #expect(try await other.take([0], as: second) == [])
      _ = try await other.renew(first.id, lease: .zero)
      // The first call ends the connection that has the lock, and a later one takes the partition.
      var claims: [JournalClaim] = []
      while claims.isEmpty { claims = try await other.take([0], as: second) }
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
  }
#endif
