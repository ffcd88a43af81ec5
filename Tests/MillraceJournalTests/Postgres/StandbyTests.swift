#if Postgres
  import Foundation
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Standbys of PostgreSQL", .timeLimit(.minutes(5)))
  struct StandbyTests {
    private static func journal(
      _ server: PostgresServer, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws(JournalError) -> PostgresJournal {
      var options = PostgresOptions()
      options.partitions = 1
      change(&options)
      return try await PostgresJournal(server.address, options: options)
    }

    /// Sets the server to wait for a standby that there is not, and returns a connection that does not wait.
    private static func plainWithoutStandby(_ server: PostgresServer) throws -> PlainPostgres {
      let plain = try PlainPostgres(server)
      try plain.run("set synchronous_commit = local")
      try plain.run("alter system set synchronous_standby_names = 'nobody'")
      try plain.run("select pg_reload_conf()::text")
      return plain
    }

    /// Appends until the server has taken its new settings, and an append is not stored.
    private static func firstUnknown(
      _ append: (UInt64) async -> JournalAppend
    ) async -> (number: UInt64, result: JournalAppend) {
      var (number, result): (UInt64, JournalAppend) = (0, JournalAppend(stored: 1, last: .start))
      while result.stored == 1 {
        number += 1
        result = await append(number)
      }
      return (number, result)
    }

    /// Runs statements on a thread of their own.
    private func onThread(
      _ server: PostgresServer, _ body: @escaping @Sendable (PlainPostgres) throws -> Void
    ) async throws {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread {
          continuation.resume(with: Result { try body(PlainPostgres(server)) })
        }
      }
    }

    @Test("D1: Without its synchronous standby an append is unknown, and durable once the standby is back")
    func missingStandby() async throws {
      let server = try await PostgresServer()
      let journal = try await Self.journal(server) { $0.deadline = .seconds(1) }
      let claim = try await journal.claim(.of("orders"), as: .now())
      let plain = try Self.plainWithoutStandby(server)
      let (number, result) = await Self.firstUnknown { number in
        await journal.append([.init(number, "\(number)", to: "a", after: JournalSequence(number - 1))], claim: claim)[0]
      }
      let last = JournalSequence(number - 1)
      #expect(result.failure?.code == .unknown, "\(String(describing: result.failure))")
      // A plain read shows no record of a commit that waits, and a look for the batch waits with it.
      let id = JournalBatch.ID(writer: 1, number: number)
      let error = try await failure { _ = try await journal.batch(id, of: .order("a"), after: last) }
      #expect(error.isTransient, "\(error)")
      try plain.run("alter system reset synchronous_standby_names")
      try plain.run("select pg_reload_conf()::text")
      let calls = JournalCalls(journal: journal, key: .order("a"), deadline: .seconds(60), clock: ContinuousClock())
      let found = try await calls.read { journal, key throws(JournalError) in
        try await journal.batch(id, of: key, after: last)
      }
      #expect(found?.map(\.text) == ["\(number)"])
      let next = JournalSequence(number)
      #expect(await journal.append([.init(1_000, "next", to: "a", after: next)], claim: claim)[0].stored == 1)
      await journal.close()
    }

    @Test("D1: A wait for a standby that an operator cancels makes an append unknown, and never durable")
    func cancelledWait() async throws {
      let server = try await PostgresServer()
      let journal = try await Self.journal(server)
      let plain = try Self.plainWithoutStandby(server)
      // No message of the server says that a commit begins to wait, so a statement looks.
      async let cancelled: Void = onThread(server) { plain in
        try plain.run(
          """
          do $$ begin loop perform pg_stat_clear_snapshot(); \
          exit when (select bool_or(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'); \
          perform pg_sleep(0.01); end loop; end $$
          """)
      }
      let (number, result) = await Self.firstUnknown { number in
        await journal.append([JournalBatch(number, "\(number)")], to: "a", after: JournalSequence(number - 1))
      }
      try await cancelled
      #expect(result.stored == 0 && result.failure?.description.contains("synchronous standby") == true)
      try plain.run("alter system reset synchronous_standby_names")
      try plain.run("select pg_reload_conf()::text")
      let calls = JournalCalls(journal: journal, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      let found = try await calls.read { journal, key throws(JournalError) in
        try await journal.batch(.init(writer: 1, number: number), of: key, after: JournalSequence(number - 1))
      }
      #expect(found?.map(\.text) == ["\(number)"])
      await journal.close()
    }

    @Test("K6: A projection of a server that was restored, and has grown past its position since, ends as lost")
    func restored() async throws {
      let server = try await PostgresServer()
      func deposit(_ amounts: Int...) async throws {
        let journal = try await Self.journal(server)
        let stores = try await ManyAccounts.accounts(journal)
        for amount in amounts { #expect(await stores.send(.deposit(amount), to: "a").outcome.kind == .finished) }
        await stores.shutdown()
        await journal.close()
      }
      try await deposit()
      try await server.perform("copy")
      let journal = try await PostgresJournal(reading: server.address)
      let log = MemoryJournal()
      func projection() async throws -> Projection<Ledger> {
        try await Projection.open(
          initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: journal), journal: log,
          key: "ledger", action: Ledger.action)
      }
      try await deposit(1, 2)
      let first = try await projection()
      try await first.catchUp()
      let position = await first.positions.state[0]
      await first.shutdown()
      for command in ["stop", "restore", "start"] { try await server.perform(command) }
      try await deposit(3, 4, 5, 6)
      let second = try await projection()
      let error = try await failure { try await second.catchUp() }
      #expect(error.code == .lost && second.failure?.code == .lost)
      #expect(
        error.description == """
          Partition 0 of "accounts" has another record at position \(position) than a reader has read there, so that record is lost; see \
          whether the journal was restored from an older copy, and read the partition from its beginning.
          """)
      #expect(await second.reader.state.accounts["a"]?.state.balance == 4)
      await second.shutdown()
      await journal.close()
    }

    @Test("A standby that takes over without the newest records is lost for the owner, and for a reader")
    func laggingStandby() async throws {
      let server = try await PostgresServer()
      let journal = try await Self.journal(server)
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      #expect(await journal.append([JournalBatch(1, "1")], to: "alone", after: .start).stored == 1)
      // A copy of the data as it is now takes the place of the server, as a standby does that has received no more.
      try await server.perform("copy")
      for number in 2...4 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        #expect(await journal.append([.init(number, "\(number)", to: "a", after: last)], claim: claim)[0].stored == 1)
        #expect(await journal.append([JournalBatch(number, "\(number)")], to: "alone", after: last).stored == 1)
      }
      let read = try await journal.records(ofPartition: .of("orders"), after: .start, upTo: 1 << 20).position
      try await server.perform("stop")
      try await server.perform("restore")
      try await server.perform("start")
      let calls = JournalCalls(
        journal: ClaimedJournal(base: journal, claim: claim), key: .order("a"), deadline: .seconds(60),
        clock: ContinuousClock())
      let error = try await failure { try await calls.append([JournalBatch(5, "5")], after: 4) { _, _ in } }
      #expect(error.code == .lost, "\(error)")
      #expect(error.description.contains("ends at position 1, and PostgreSQL had acknowledged the records up to 4"))
      let alone = await journal.append([JournalBatch(5, "5")], to: "alone", after: 4)
      #expect(alone.failure?.code == .lost)
      #expect(
        try await failure { _ = try await journal.records(ofPartition: .of("orders"), after: read, upTo: 1) }.code
          == .lost)
      #expect(try await journal.texts(.order("a")) == ["1"])
      #expect(try await journal.texts("alone") == ["1"])
      await journal.close()
    }
  }
#endif
