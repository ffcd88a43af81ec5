import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The log of one of many stores", .timeLimit(.minutes(1)))
struct ClaimedStoreTests {
  private let journal = KeysJournal()

  @Test("K5: The first append brings the epoch, also that of an opening that ends runs, and later ones bring none")
  func epoch() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    #expect(try await stores.state(of: "a").balance == 1)
    #expect(await stores.send(.look, to: "a").outcome.kind == .finished)
    #expect(try await journal.lastSequence(of: .account("a")) == .start)
    #expect(await stores.send(.look, to: "a", confirming: true).outcome.kind == .finished)
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    let records = try await journal.base.all(.account("a"))
    #expect(records.map(\.entry.kind) == [.epoch, .decided, .decided])
    #expect(records.map(\.position) == [1, 2, 3])
    #expect(Set(records.map(\.batch)).count == 3)
    #expect(await stores.hibernate("a"))
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    #expect(try await journal.base.all(.account("a")).map(\.entry.kind).suffix(2) == [.epoch, .decided])
    await stores.shutdown()
  }

  @Test("K5: A run that was open gets its end behind the epoch of the process that opens the key, in one append")
  func abandoned() async throws {
    let gate = Gate()
    var first: ManyAccounts? = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    let receipt = first?.send(.order(1), to: "a")
    try await gate.waitForArrivals(1)
    first = nil
    #expect(await receipt?.outcome.kind == .shutDown)
    let second = try await ManyAccounts.accounts(journal)
    #expect(try await second.state(of: "a").closings == ["abandoned"])
    #expect(try await journal.base.all(.account("a")).map(\.entry.kind) == [.epoch, .takeUp, .epoch, .end])
    #expect(try await second.dueKeys().isEmpty)
    await second.shutdown()
  }
}
