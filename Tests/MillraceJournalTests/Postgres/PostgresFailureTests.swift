#if Postgres
  import Foundation
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Failures of PostgreSQL", .timeLimit(.minutes(5)))
  struct PostgresFailureTests {
    /// A journal that reaches the shared server by a proxy.
    static func proxied(
      _ fixture: PostgresFixture, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws -> (PostgresJournal, PostgresProxy) {
      let address =
        fixture.isPooled
        ? try await PostgresServer.sharedPool.value : try await PostgresServer.shared.value.address
      let port = try #require(URL(string: address)?.port)
      let proxy = try PostgresProxy(to: UInt16(port))
      var options = PostgresOptions()
      (options.schema, options.partitions) = (fixture.schema, fixture.partitions)
      change(&options)
      let journal = try await PostgresJournal(
        address.replacing(":\(port)/", with: ":\(proxy.port)/"), options: options)
      return (journal, proxy)
    }

    @Test(
      "An append whose answer is lost is unknown, and is found; one that did not arrive is absent",
      arguments: [true, false], PostgresFixture.paths)
    func lostAnswer(_ arrives: Bool, _ isPooled: Bool) async throws {
      var fixture = PostgresFixture()
      fixture.isPooled = isPooled
      let (journal, proxy) = try await Self.proxied(fixture)
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      for (number, key) in [(2, "a"), (1, "b")] as [(UInt64, String)] {
        let last = JournalSequence(number - 1)
        // The connection knows the names of its statements then, so the marked transaction is not repeated for one.
        #expect(await journal.append([.init(1, "1", to: "new \(key)")], claim: claim)[0].stored == 1)
        proxy.cut(arrives ? .beforeAnswer : .beforeSending, at: "marked \(key)")
        let result = await journal.append([.init(number, "marked \(key)", to: key, after: last)], claim: claim)[0]
        #expect(result.stored == 0 && result.failure?.code == .unknown && result.failure?.isTransient == true)
        let id = JournalBatch.ID(writer: 1, number: number)
        let found = try await journal.batch(id, of: .order(key), after: last)
        #expect(found?.map(\.text) == (arrives ? ["marked \(key)"] : nil))
        let end = JournalSequence(arrives ? number : number - 1)
        #expect(await journal.append([.init(9, "next", to: key, after: end)], claim: claim)[0].stored == 1)
      }
      let items = try await journal.partition("orders", upTo: 1 << 20).items
      #expect(items.map(\.position.number) == Array(1...UInt64(items.count)) && items.count == (arrives ? 7 : 5))
      #expect(proxy.cuts.recorded.count == 2)
      await journal.close()
    }

    @Test(
      "The key of a single store that began with a lost answer is found, and so is its absence",
      arguments: [true, false])
    func lostBeginning(_ arrives: Bool) async throws {
      let (journal, proxy) = try await Self.proxied(PostgresFixture())
      proxy.cut(arrives ? .beforeAnswer : .beforeSending, at: "marked")
      let result = await journal.append([JournalBatch(1, "marked")], to: "a", after: .start)
      #expect(result.failure?.code == .unknown)
      let found = try await journal.batch(.init(writer: 1, number: 1), of: "a", after: .start)
      #expect(found?.map(\.text) == (arrives ? ["marked"] : nil))
      await journal.close()
    }

    @Test("D6: A store continues through lost answers and lost connections, and each action is done once")
    func store() async throws {
      let (journal, proxy) = try await Self.proxied(PostgresFixture())
      let store = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
      for number in 1...40 {
        switch number % 4 {
        case 0: proxy.cut(.beforeAnswer, at: "note")
        case 1: proxy.cut(.beforeSending, at: "note")
        case 2: proxy.endAll()
        default: break
        }
        #expect(await store.send(.note(number)).outcome.kind == .finished)
      }
      await store.shutdown()
      let next = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
      let state = await next.state
      #expect(state == (1...40).map { "note \($0)" })
      await next.shutdown()
      await journal.close()
    }

    @Test(
      "A transaction in doubt is waited for before its batch is said to be absent, also if a key begins with it",
      arguments: [JournalKey.order("a"), "a"])
    func doubt(_ key: JournalKey) async throws {
      let fixture = PostgresFixture()
      let (journal, proxy) = try await Self.proxied(fixture) { $0.deadline = .seconds(1) }
      var (claim, last): (JournalClaim?, JournalSequence) = (nil, .start)
      if key.stores != nil {
        let made = try await journal.claim(.of("orders"), as: .now())
        #expect(await journal.append([.init(1, "1", to: "a")], claim: made)[0].stored == 1)
        (claim, last) = (made, 1)
      }
      // The statement that locks the partition or the key arrives, and the end of the transaction does not.
      proxy.cut(.inTheMiddle, at: "marked")
      let append = JournalKeyAppend([JournalBatch(2, "marked")], to: key, after: last)
      let result = await journal.append([append], claim: claim)[0]
      #expect(result.failure?.code == .unknown)
      let id = JournalBatch.ID(writer: 1, number: 2)
      let error = try await failure { _ = try await journal.batch(id, of: key, after: last) }
      #expect(error.code == .unavailable && error.description.contains("lock timeout"), "\(error)")
      // Its connection ends, and with it the transaction.
      proxy.endAll()
      let calls = JournalCalls(journal: journal, key: key, deadline: .seconds(60), clock: ContinuousClock())
      let found = try await calls.read { [last] journal, key throws(JournalError) in
        try await journal.batch(id, of: key, after: last)
      }
      #expect(found == nil)
      await journal.close()
    }

    @Test("While the server is away calls are unavailable with the reason, and continue when it is back")
    func restart() async throws {
      let server = try await PostgresServer()
      var fixture = PostgresFixture()
      fixture.server = server
      let journal = try await fixture.journal()
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      try await server.perform("stop")
      // The first call finds out that the connection has ended.
      _ = await journal.append([.init(2, "2", to: "a", after: 1)], claim: claim)
      let result = await journal.append([.init(2, "2", to: "a", after: 1)], claim: claim)[0]
      #expect(result.failure?.code == .unavailable)
      #expect(
        result.failure?.description.contains("Connection refused") == true, "\(String(describing: result.failure))")
      let error = try await failure {
        for _ in 0..<2 { _ = try await journal.lastSequence(of: .order("a")) }
      }
      #expect(error.code == .unavailable)
      try await server.perform("start")
      let calls = JournalCalls(
        journal: ClaimedJournal(base: journal, claim: claim), key: .order("a"), deadline: .seconds(60),
        clock: ContinuousClock())
      let last = try await calls.read { journal, key throws(JournalError) in try await journal.lastSequence(of: key) }
      #expect(last == 1)
      try await calls.append([JournalBatch(3, "3")], after: 1) { count, last in #expect(count == 1 && last == 2) }
      await journal.close()
    }

    @Test("A server without a free connection refuses a journal with its reason, and takes it when there is one")
    func fullServer() async throws {
      let server = try await PostgresServer(["max_connections=6", "superuser_reserved_connections=3"])
      let plain = try PlainPostgres(server)
      try plain.run("create role other login")
      try plain.run("grant create on database postgres to other")
      let address = server.address.replacing("millrace@", with: "other@")
      let others = try (0..<2).map { _ in try PlainPostgres(address) }
      let error = try await failure { _ = try await PostgresJournal(address) }
      #expect(error.code == .unavailable)
      #expect(error.description.contains("remaining connection slots are reserved"), "\(error)")
      // Returns when their processes have ended: behind a connection that a client closes, the server's end lives for a while.
      let ended = try plain.run(
        "select pg_terminate_backend(pid, 20000)::text from pg_stat_activity where usename = 'other'")
      withExtendedLifetime(others) { #expect(ended == ["true", "true"]) }
      let calls = JournalCalls(
        journal: try await PostgresJournal(address), key: "a", deadline: .seconds(60), clock: ContinuousClock())
      try await calls.append([JournalBatch(1, "1")], after: .start) { _, last in #expect(last == 1) }
    }

    @Test(
      "An append that the server refuses only for now is unavailable and stores nothing, and is stored when it is repeated",
      arguments: ["53100", "53200", "53400", "40001", "40P01", "25006", "55P03", "57014"])
    func refusedForNow(_ state: String) async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run(
        """

        create function \(fixture.schema).refuse() returns trigger language plpgsql as $$ begin raise exception 'no space left' \
        using errcode = '\(state)'; end $$
        """)
      let table = "\(fixture.schema).journal_record"
      try plain.run(
        "create trigger refuse before insert on \(table) for each row execute function \(fixture.schema).refuse()")
      let refused = await journal.append([JournalBatch(2, "2")], to: "a", after: 1)
      #expect(refused.stored == 0 && refused.failure?.code == .unavailable && refused.failure?.isTransient == true)
      #expect(refused.failure?.description.contains("no space left; the call can be repeated") == true)
      #expect(try await journal.texts("a") == ["1"])
      try plain.run("drop trigger refuse on \(table)")
      #expect(await journal.append([JournalBatch(2, "2")], to: "a", after: 1).stored == 1)
      #expect(try await journal.texts("a") == ["1", "2"])
      await journal.close()
    }

    @Test("A journal continues behind connections that an operator has ended")
    func endedConnections() async throws {
      let server = try await PostgresServer()
      var fixture = PostgresFixture()
      fixture.server = server
      let journal = try await fixture.journal()
      let calls = JournalCalls(journal: journal, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      for number in 1...5 as ClosedRange<UInt64> {
        try await calls.append([JournalBatch(number, "\(number)")], after: JournalSequence(number - 1)) { _, _ in }
        let ended = try PlainPostgres(server).run(
          "select pg_terminate_backend(pid)::text from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        )
        #expect(ended.count >= 2)
        let last = try await calls.read { journal, key throws(JournalError) in try await journal.lastSequence(of: key) }
        #expect(last == JournalSequence(number))
      }
      #expect(try await journal.texts("a") == ["1", "2", "3", "4", "5"])
      await journal.close()
    }
  }
#endif
