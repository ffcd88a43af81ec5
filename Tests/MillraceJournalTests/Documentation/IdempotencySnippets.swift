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
      Accounts(), initial: Accounts.State(), journal: MemoryJournal(), key: "account")
    // snippet.once
    let first = await store.send(.deposit(5), key: "request 17").outcome
    let second = await store.send(.deposit(5), key: "request 17").outcome  // The same outcome; nothing is deposited.
    // snippet.end
    #expect(first.kind == .finished && second.kind == .finished)
    #expect(await store.state.balance == 5)
  }

  @Test("A decision that commits nothing is confirmed")
  func confirmed() async throws {
    let store = try await Store.open(
      Accounts(), initial: Accounts.State(), journal: MemoryJournal(), key: "account")
    // snippet.confirming
    let outcome = try await store.submit(.withdraw(5), confirming: true).outcome
    // snippet.end
    #expect(outcome.rejection == .decided)
  }
}
