import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("What ends a projection", .timeLimit(.minutes(1)))
struct EndedProjectionTests {
  private let journal = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func ledger(
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection<Ledger> {
    try await .ledger(of: journal, in: journal, .reporting(to: incidents), action)
  }

  @Test(
    "An event that is rejected or would be handled ends the projection with its position, and the next opening begins with it",
    arguments: [
      (
        Ledger.Action.order,
        "rejected: The interactor decided against the action: its action asks for a handler, which a projection has not; return mutations from 'decide'"
      ), (.saw("a", .added(1), revision: 7), "rejected: The interactor decided against the action: a has 7 behind 2"),
    ])
  func rejected(_ action: Ledger.Action, _ reason: String) async throws {
    let stores = try await ManyAccounts.accounts(journal)
    let isMended = Mutex(false)
    let mending: @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = { event in
      if case .committed(_, _, 3, _) = event, !isMended.withLock({ $0 }) { return action }
      return Ledger.action(event)
    }
    _ = await stores.send(.deposits([1, 2, 3, 4]), to: "a").outcome
    _ = await stores.send(.deposit(5), to: "b").outcome
    let projection = try await ledger(mending)
    let incident = try await incidents.next()
    #expect(incident.kind == .failedReader)
    #expect(
      incident.description == """
        The projection "ledger" has ended. A projection has not decided an event at position 2 of partition 0 of "accounts": \
        \(reason). The events before it are decided; mend its interactor, and open it again.
        """)
    #expect(projection.failure?.code == .rejected)
    await #expect(throws: JournalError.self) { try await projection.catchUp() }
    #expect(await projection.reader.state.accounts.mapValues(\.revision) == ["a": 2])
    await projection.shutdown()
    isMended.withLock { $0 = true }
    let again = try await ledger(mending)
    try await again.catchUp()
    #expect(try await again.reader.state.accounts["a"]?.state == stores.state(of: "a"))
    await again.shutdown()
    await stores.shutdown()
  }

  @Test("An event whose mutations cannot be encoded ends the projection, and the event behind it is not decided")
  func notEncoded() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposits([1, 2]), to: "a").outcome
    _ = await stores.send(.deposit(3), to: "b").outcome
    // All events are on one page, so that those behind the first one that is not decided are sent too.
    let projection = try await ledger { event in
      guard case .committed(_, _, 2, _) = event else { return Ledger.action(event) }
      return .missed("a", Accounts.State(balance: Accounts.State.notEncoded), revision: 2)
    }
    let incident = try await incidents.next()
    #expect(incident.description.contains("at position 2 of partition 0"))
    #expect(incident.description.contains("the balance is 666"))
    #expect(await projection.reader.state.accounts.keys.sorted() == ["a"])
    #expect(await projection.reader.state.accounts["a"]?.revision == 1)
    #expect(await projection.positions.state[0] == 1)
    await projection.shutdown()
    let again = try await ledger()
    try await again.catchUp()
    #expect(await again.reader.state.accounts.mapValues(\.revision) == ["a": 2, "b": 1])
    await again.shutdown()
    await stores.shutdown()
  }

  @Test("Numbers that no program has stored end the projection with a sentence, or are passed over, and trap nothing")
  func impossible() async throws {
    let place = ProjectedMutation<Ledger.Mutation>.moved(partition: 0, ProjectionPlace(part: -5))
    let payload = EntryPayload(head: DecidedHead(results: nil), mutations: [place])
    let moved = JournalEntry(kind: .decided, payload: Array(try JSONJournalCoder().encode(payload)), revision: 1)
    #expect(
      await journal.append(
        [JournalBatch(id: .init(writer: 1, number: 1), entries: [moved])], to: "ledger", after: .start
      )
      .failure == nil)
    let claim = try await journal.claim(JournalPartition(of: "accounts", number: 0), as: .now())
    let added = EntryPayload(head: DecidedHead(results: nil), mutations: [Accounts.Mutation.added(5)])
    let bytes = Array(try JSONJournalCoder().encode(added))
    let entries = [1, Int.min].map { JournalEntry(kind: .decided, payload: bytes, revision: $0) }
    let batch = JournalBatch(id: .init(writer: 2, number: 1), entries: entries)
    let results = await journal.append([JournalKeyAppend([batch], to: .account("a"), after: .start)], claim: claim)
    #expect(results[0].failure == nil)
    let projection = try await ledger()
    let incident = try await incidents.next()
    #expect(incident.description.contains("it leads by 1 mutations to the revision \(Int.min)"))
    #expect(projection.failure?.code == .corrupt && projection.failure?.sequence == 2)
    #expect(await projection.reader.state.accounts["a"]?.revision == 1)
    await projection.shutdown()
  }
}
