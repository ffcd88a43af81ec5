#if Postgres
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Many keys in PostgreSQL", .timeLimit(.minutes(5)))
  struct PostgresStoresTests {
    private var fixture = PostgresFixture()

    init() { fixture.partitions = 256 }

    @Test("K1, K5: The stores of 500 keys in 256 partitions continue in the next process, which fences the first one")
    func continued() async throws {
      let (first, second) = (try await fixture.journal(), try await fixture.journal())
      let stores = try await ManyAccounts.accounts(first)
      let names = (0..<500).map { "key \($0)" }
      let receipts = names.map { stores.send(.deposit(3), to: $0, key: "request") }
      for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
      let newcomer = try await ManyAccounts.accounts(second)
      let fenced = await stores.send(.deposit(1), to: names[0]).outcome
      guard case .failed(let error as JournalError) = fenced else {
        Issue.record("the earlier owner has stored an action: \(fenced)")
        return
      }
      #expect(error.code == .conflict && error.newcomer != nil)
      for name in names {
        #expect(await newcomer.send(.deposit(3), to: name, key: "request").outcome.kind == .finished)
        #expect(try await newcomer.state(of: name).balance == name.count + 3)
      }
      #expect(await newcomer.send(.deposit(4), to: names[7]).outcome.kind == .finished)
      #expect(try await newcomer.state(of: names[7]).balance == names[7].count + 7)
      await stores.shutdown()
      await newcomer.shutdown()
      await first.close()
      await second.close()
    }

    @Test("K6: A replica and a projection in another process follow the keys of all partitions")
    func followed() async throws {
      let (writer, reader) = (try await fixture.journal(), try await fixture.journal())
      let stores = try await ManyAccounts.accounts(writer)
      for number in 0..<40 { _ = await stores.send(.deposit(5), to: "key \(number)").outcome }
      let projection = try await Projection<Ledger>.open(
        initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: reader),
        journal: reader, key: "ledger", action: Ledger.action)
      try await projection.catchUp()
      var accounts = await projection.reader.state.accounts
      #expect(accounts.count == 40 && accounts.values.allSatisfy { $0.state.balance > 5 && $0.misses == 0 })
      let replica = try await Replica<Accounts>.open(
        initial: Accounts.State(balance: 5), journal: reader, key: JournalKey("key 7", of: "accounts"))
      #expect(await replica.reader.state.balance == 10)
      // Both are woken by the commit of another process.
      _ = await stores.send(.deposit(2), to: "key 7").outcome
      try await replica.positions.wait { $0.revision == 2 }
      #expect(await replica.reader.state.balance == 12)
      try await projection.catchUp()
      accounts = await projection.reader.state.accounts
      #expect(accounts["key 7"]?.state.balance == 12)
      await projection.shutdown()
      await replica.shutdown()
      await stores.shutdown()
      await writer.close()
      await reader.close()
    }
  }
#endif
