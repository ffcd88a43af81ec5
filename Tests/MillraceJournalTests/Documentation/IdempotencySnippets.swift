import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/idempotency.md, as they stand there.
@Suite("IdempotencySnippets")
struct IdempotencySnippets {
  @Test("A request that is repeated is done once")
  func once() async throws {
    let store = try await Store.open(
      initial: Accounts.State(), interactor: Accounts(), journal: MemoryJournal(), key: "account")
    // snippet.once
    let first = await store.send(.deposit(5), key: "request 17").outcome
    let second = await store.send(.deposit(5), key: "request 17").outcome  // The same outcome; nothing is deposited.
    // snippet.end
    #expect(first.kind == .finished && second.kind == .finished)
    #expect(await store.state.balance == 5)
  }

  @Test("The answer to a repetition is read from the state of that moment")
  func answer() async throws {
    let store = try await Store.open(
      initial: Accounts.State(), interactor: Accounts(), journal: MemoryJournal(), key: "account")
    // snippet.answer
    let balance = try await store.request(.deposit(5), key: "request 18", returning: { $0.balance })
    // snippet.end
    #expect(balance == 5)
    store.send(.deposit(1))
    #expect(try await store.request(.deposit(5), key: "request 18", returning: { $0.balance }) == 6)
  }

  @Test("A decision that commits nothing is confirmed")
  func confirmed() async throws {
    let store = try await Store.open(
      initial: Accounts.State(), interactor: Accounts(), journal: MemoryJournal(), key: "account")
    // snippet.confirming
    let outcome = try await store.submit(.withdraw(5), confirming: true).outcome
    // snippet.end
    #expect(outcome.rejectionKind == .decided)
  }
}
