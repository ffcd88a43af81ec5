#if Postgres
  import Millrace
  import MillraceJournal
  import MillracePostgres
  import Testing

  /// Durations of any length and sign, which the options of a journal in PostgreSQL take.
  @Suite("Durations of journals in PostgreSQL", .timeLimit(.minutes(1)))
  struct PostgresDurationsTests {
    @Test(
      "The options take every duration; without time a server has no answer",
      arguments: [
        Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
        .seconds(-1), .zero,
      ])
    func times(_ time: Duration) async throws {
      let fixture = PostgresFixture()
      do throws(JournalError) {
        let journal = try await fixture.journal { $0.deadline = time }
        let result = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
        #expect(result.stored == 1 || time <= .zero && result.failure?.isTransient == true)
        await journal.close()
      } catch {
        #expect(time <= .zero && error.isTransient, "\(error)")
      }
      let journal = try await fixture.journal { $0.pollingInterval = time }
      try await journal.join(.test(1), lease: time)
      #expect(try await journal.renew(JournalMember.test(1).id, lease: time) == (time > .zero))
      var changes = try await journal.changes().makeAsyncIterator()
      _ = await journal.append([JournalBatch(1, "1")], to: "b", after: .start)
      // The first look comes with the call, whatever the interval.
      #expect(await changes.next(isolation: #isolation) != nil)
      await journal.close()
    }
  }
#endif
