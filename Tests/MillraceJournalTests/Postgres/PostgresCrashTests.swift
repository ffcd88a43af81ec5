#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal
  import MillracePostgres
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @Suite("A PostgreSQL server that is killed", .timeLimit(.minutes(60)))
  struct PostgresCrashTests {
    /// The number of kills; `.ci/long` has 200.
    private static let kills = ProcessInfo.processInfo.environment["MILLRACE_SERVER_KILLS"].flatMap { Int($0) } ?? 10

    @Test("D1, D6: Through kills of the server at any append each acknowledged action is stored once, and in its order")
    func kills() async throws {
      let server = try await PostgresServer()
      var fixture = PostgresFixture()
      (fixture.server, fixture.partitions) = (server, 4)
      let journal = try await fixture.journal { $0.deadline = .seconds(5) }
      var options = JournalOptions()
      (options.deadline, options.snapshotRecords) = (.seconds(600), 20)
      let stores = try await ManyAccounts.accounts(journal, options: options)
      let store = try await Store.open(
        initial: [], interactor: Orders(), journal: journal, key: "orders", options: options)
      var random = SeededGenerator(seed: 7)
      let names = (0..<40).map { "key \($0)" }
      var (number, total) = (0, 0)
      for _ in 0..<Self.kills {
        let count = Int.random(in: 5...40, using: &random)
        let acknowledged = Recorder<Int>()
        async let sent: Void = withTaskGroup(of: Void.self) { group in
          for name in names {
            group.addTask {
              let outcome = await stores.send(.deposit(1), to: name).outcome
              #expect(outcome.kind == .finished, "\(outcome)")
              acknowledged.record(1)
            }
          }
          for next in number + 1...number + 40 {
            let receipt = store.send(.note(next))
            group.addTask {
              let outcome = await receipt.outcome
              #expect(outcome.kind == .finished, "\(outcome)")
              acknowledged.record(1)
            }
          }
        }
        _ = try await acknowledged.next(count)
        try await server.perform("crash")
        try await server.perform("start")
        await sent
        (number, total) = (number + 40, total + 1)
      }
      await stores.shutdown()
      await store.shutdown()
      let next = try await ManyAccounts.accounts(journal)
      for name in names { #expect(try await next.state(of: name).balance == name.count + total) }
      let again = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
      let state = await again.state
      #expect(state == (1...max(number, 1)).map { "note \($0)" })
      await next.shutdown()
      await again.shutdown()
      await journal.close()
    }
  }
#endif
