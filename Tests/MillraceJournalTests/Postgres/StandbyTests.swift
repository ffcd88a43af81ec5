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
      _ address: String, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws(JournalError) -> PostgresJournal {
      var options = PostgresOptions()
      options.partitions = 1
      change(&options)
      return try await PostgresJournal(address, options: options)
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

    @Test("D1: Without its synchronous standby an append is unknown, and is found once the standby is back")
    func missingStandby() async throws {
      let server = try await PostgresServer(["synchronous_standby_names=standby"])
      let address = try await server.standby()
      let journal = try await Self.journal(address) { $0.deadline = .seconds(1) }
      let calls = JournalCalls(journal: journal, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      try await calls.append([JournalBatch(1, "1")], after: .start) { _, _ in }
      try await server.perform("standby-stop")
      let result = await journal.append([JournalBatch(2, "2")], to: "a", after: 1)
      #expect(result.stored == 0 && result.failure?.code == .unknown, "\(String(describing: result.failure))")
      // A plain read shows no record of a commit that waits, and a look for the batch waits with it.
      let id = JournalBatch.ID(writer: 1, number: 2)
      let error = try await failure { _ = try await journal.batch(id, of: "a", after: 1) }
      #expect(error.isTransient, "\(error)")
      try await server.perform("standby-start")
      let found = try await calls.read { journal, key throws(JournalError) in
        try await journal.batch(id, of: key, after: 1)
      }
      #expect(found?.map(\.text) == ["2"])
      try await calls.append([JournalBatch(3, "3")], after: 2) { _, _ in }
      #expect(try await journal.texts("a") == ["1", "2", "3"])
      await journal.close()
    }

    @Test("D1: A wait for a standby that an operator cancels makes an append unknown, and never durable")
    func cancelledWait() async throws {
      let server = try await PostgresServer()
      let journal = try await Self.journal(server.address)
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
        let journal = try await Self.journal(server.address)
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

    @Test("K6: A standby that takes over without the newest records is lost for the owner, and for a reader for good")
    func laggingStandby() async throws {
      let server = try await PostgresServer(["synchronous_standby_names=standby"])
      let address = try await server.standby()
      let losses = Recorder<String>()
      let journal = try await Self.journal(address) {
        $0.report = { if $0.kind == .lostRecords { losses.record($0.description) } }
      }
      let claim = try await journal.claim(.of("orders"), as: .now())
      // The standby has what is acknowledged until it stops.
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      #expect(await journal.append([JournalBatch(1, "1")], to: "alone", after: .start).stored == 1)
      try await server.perform("standby-stop")
      let plain = try PlainPostgres(server)
      try plain.run("alter system set synchronous_standby_names = ''")
      try plain.run("select pg_reload_conf()::text")
      for number in 2...4 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        #expect(await journal.append([.init(number, "\(number)", to: "a", after: last)], claim: claim)[0].stored == 1)
        #expect(await journal.append([JournalBatch(number, "\(number)")], to: "alone", after: last).stored == 1)
      }
      let reader = try await PostgresJournal(reading: address)
      let read = try await reader.records(ofPartition: .of("orders"), after: 3, upTo: 1 << 20)
      guard case .record(let last, _) = read.items.last else {
        Issue.record("there is no record at position 4")
        return
      }
      for command in ["crash", "standby-start", "promote"] { try await server.perform(command) }
      let calls = JournalCalls(
        journal: ClaimedJournal(base: journal, claim: claim), key: .order("a"), deadline: .seconds(60),
        clock: ContinuousClock())
      let error = try await failure { try await calls.append([JournalBatch(5, "5")], after: 4) { _, _ in } }
      #expect(error.code == .lost, "\(error)")
      #expect(
        error.description.contains("ends at position 1, but its records up to 4 were stored; those after 1 are lost"))
      #expect(losses.recorded == [JournalLoss(of: .of("orders"), known: 4, found: 1, claim: claim).description])
      #expect(journal.losses(of: "orders").count == 1 && journal.losses(of: "customers") == JournalLosses())
      let alone = await journal.append([JournalBatch(5, "5")], to: "alone", after: 4)
      #expect(alone.failure?.code == .lost)
      let reading = JournalCalls(journal: reader, key: "orders", deadline: .seconds(60), clock: ContinuousClock())
      let readError = try await failure {
        try await reading.read { _, _ throws(JournalError) in
          _ = try await reader.records(ofPartition: .of("orders"), after: read.position, upTo: 1)
        }
      }
      #expect(readError.code == .lost, "\(readError)")
      #expect(try await journal.texts(.order("a")) == ["1"])
      #expect(try await journal.texts("alone") == ["1"])
      // The next owner moves the position past that of the reader, who finds another record there.
      let next = try await Self.journal(address)
      let newer = try await next.claim(.of("orders"), as: .now())
      for number in 2...6 as ClosedRange<UInt64> {
        let append = JournalKeyAppend(
          [JournalBatch(number, ["other \(number)"], writer: 2)], to: .order("a"), after: JournalSequence(number - 1))
        #expect(await next.append([append], claim: newer)[0].stored == 1)
      }
      let page = try await reader.records(ofPartition: .of("orders"), after: read.position, upTo: 1 << 20)
      #expect(page.items.map(\.text) == ["other 5", "other 6"])
      #expect(page.previous?.sequence == last.sequence && page.previous != last.id)
      for journal in [journal, reader, next] { await journal.close() }
    }
  }
#endif
