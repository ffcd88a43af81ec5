import Foundation
import Millrace
import Testing

@testable import MillraceJournal

@Suite("A store whose key was erased", .timeLimit(.minutes(1)))
struct ErasedStoreTests {
  private func open(_ journal: any Journal) async throws -> Store<Accounts> {
    var options = JournalOptions()
    options.snapshotRecords = 4
    return try await Store.open(
      initial: Accounts.State(balance: 1), interactor: Accounts(), journal: journal, key: "a", options: options)
  }

  @Test(
    "K7: It begins with its initial state, without answers of before; a store that is open stops at its next append")
  func anew() async throws {
    let journal = MemoryJournal()
    let first = try await open(journal)
    #expect(await first.send(.deposit(5), key: "request").outcome.kind == .finished)
    try await journal.erase("a", claim: nil)
    let outcome = await first.send(.deposit(7)).outcome
    guard case .failed(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect((error as? JournalError)?.code == .conflict)
    #expect("\(error)" == #"The log of "a" was erased, with all records up to 2; open the store again to begin anew."#)
    let second = try await open(journal)
    #expect(await second.state.balance == 1)
    #expect(await second.send(.deposit(5), key: "request").outcome.kind == .finished)
    #expect(await second.state.balance == 6)
    await second.shutdown()
    let third = try await open(journal)
    #expect(await third.state.balance == 6)
    for _ in 0..<8 { #expect(await third.send(.deposit(1)).outcome.kind == .finished) }
    await third.shutdown()
    #expect(try await journal.snapshot(of: "a")?.isInitial == false)
    let fourth = try await open(journal)
    #expect(await fourth.state.balance == 14)
    await fourth.shutdown()
  }

  /// A coder that makes no bytes of a snapshot.
  private struct Silent: JournalCoder {
    func encode(_ value: some Encodable) throws -> Data {
      value is SnapshotPayload<Accounts.State> ? Data() : try JSONJournalCoder().encode(value)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
      try JSONJournalCoder().decode(type, from: data)
    }
  }

  @Test("A snapshot whose coder makes no bytes is not stored, because that stands for the initial state")
  func empty() async throws {
    var options = JournalOptions()
    options.coder = Silent()
    let log = StoreLog<Accounts>(journal: MemoryJournal(), key: "a", schema: StoreSchema(), options: options)
    let payload = SnapshotPayload(state: Accounts.State(), runs: [], keys: [], epoch: .now())
    let error = #expect(throws: JournalError.self) { try log.encode(payload, isChecked: false) }
    #expect(error?.code == .notEncoded && error?.description.contains("its coder made no bytes of it") == true)
  }
}
