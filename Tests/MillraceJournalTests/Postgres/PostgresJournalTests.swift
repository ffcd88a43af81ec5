#if Postgres
  import MillraceJournal
  import MillracePostgres
  import Testing

  @Suite("PostgreSQL journal", .timeLimit(.minutes(2)))
  struct PostgresJournalTests {
    @Test(
      "The contract holds for a journal in PostgreSQL",
      arguments: JournalConformance.all + JournalConformance.changing + JournalConformance.sharing
        + JournalConformance.beginning)
    func conformance(_ conformance: JournalConformance) async throws {
      try await conformance.check(PostgresFixture())
    }

    @Test(
      "The contract holds through pgbouncer in transaction mode",
      arguments: JournalConformance.all + JournalConformance.changing + JournalConformance.sharing)
    func pooled(_ conformance: JournalConformance) async throws {
      var fixture = PostgresFixture()
      fixture.isPooled = true
      try await conformance.check(fixture)
    }
  }
#endif
