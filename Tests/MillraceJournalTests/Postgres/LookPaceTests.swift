#if Postgres
  import Millrace
  import MillraceJournal
  import Testing

  @testable import MillracePostgres

  @Suite("The pace of the looks for changes", .timeLimit(.minutes(1)))
  struct LookPaceTests {
    @Test(
      "Looks are an interval apart for ten seconds after a change, and a second after that",
      arguments: [
        (Duration.milliseconds(50), Duration.seconds(1)), (.seconds(3), .seconds(3)), (.seconds(-1), .seconds(1)),
      ])
    func pace(_ interval: Duration, _ quiet: Duration) {
      let start = ContinuousClock.now
      let pace = LookPace(interval: interval, at: start)
      let short = max(interval, .milliseconds(1))
      #expect(pace.interval(at: start) == short)
      #expect(pace.interval(at: start + .seconds(10) - .nanoseconds(1)) == short)
      #expect(pace.interval(at: start + .seconds(10)) == quiet)
      pace.noteChange(at: start + .seconds(15))
      #expect(pace.interval(at: start + .seconds(24)) == short)
      #expect(pace.interval(at: start + .seconds(25)) == quiet)
    }

    @Test("A record that is stored or read is a change; a lease, and a read that finds nothing, are none")
    func changes() async throws {
      let journal = try await PostgresFixture().journal()
      let claim = try await journal.claim(.of("orders"), as: .now())
      /// Makes it quiet, and returns whether the call has noted a change.
      func notesChange(_ call: () async throws -> Void) async throws -> Bool {
        let now = ContinuousClock.now
        journal.pace.noteChange(at: now - .seconds(60))
        try await call()
        return journal.pace.interval(at: now) < .seconds(1)
      }
      #expect(try await !notesChange { try await journal.join(.test(1), lease: .seconds(60)) })
      #expect(try await !notesChange { _ = try await journal.renew(JournalMember.test(1).id, lease: .seconds(60)) })
      #expect(try await notesChange { _ = await journal.append([.init(1, "1", to: "a")], claim: claim) })
      #expect(try await notesChange { _ = try await journal.records(of: .order("a"), after: .start) })
      #expect(try await !notesChange { _ = try await journal.records(of: .order("a"), after: 1) })
      #expect(try await notesChange { _ = try await journal.partition("orders", upTo: 1 << 20) })
      #expect(
        try await !notesChange {
          _ = try await journal.records(ofPartition: claim.partition, after: 1, upTo: 1 << 20)
        })
      await journal.close()
    }
  }
#endif
