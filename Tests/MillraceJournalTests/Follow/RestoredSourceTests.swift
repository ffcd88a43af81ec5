import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Projections of a journal that was restored", .timeLimit(.minutes(1)))
struct RestoredSourceTests {
  private let journal = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func ledger(
    in source: MemoryJournal? = nil,
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection<Ledger> {
    try await .ledger(of: source ?? journal, in: journal, .reporting(to: incidents), action)
  }

  /// A journal that was restored before the first deposit, in which other deposits were made.
  private func restored(_ deposits: Int...) async throws -> MemoryJournal {
    let restored = MemoryJournal()
    let stores = try await ManyAccounts.accounts(restored)
    for amount in deposits { _ = await stores.send(.deposit(amount), to: "a").outcome }
    await stores.shutdown()
    return restored
  }

  /// A journal that was restored behind its first record.
  private func beginning() async throws -> MemoryJournal {
    let restored = MemoryJournal()
    let claim = try await restored.claim(.of("accounts"), as: .now())
    let append = JournalKeyAppend([JournalBatch(1, "1")], to: .account("a"), after: .start)
    #expect(await restored.append([append], claim: claim)[0].stored == 1)
    return restored
  }

  @Test(
    "K6: A projection of a journal that was restored, and has grown past its position since, ends as lost with the fix")
  func restored() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    for amount in [5, 6] { _ = await stores.send(.deposit(amount), to: "a").outcome }
    await stores.shutdown()
    var projection = try await ledger()
    try await projection.catchUp()
    await projection.shutdown()
    for other in [try await restored(7, 8), try await restored(7, 8, 9, 10)] {
      projection = try await ledger(in: other)
      let incident = try await incidents.next()
      #expect(
        incident.description == """
          The projection "ledger" has ended. Partition 0 of "accounts" has another record at position 3 than a reader has read there, so that \
          record is lost; see whether the journal was restored from an older copy, and read the partition from its beginning.
          """)
      #expect(projection.failure?.code == .lost)
      #expect(await projection.reader.state.accounts["a"]?.state.balance == 12)
      await projection.shutdown()
    }
    // The state is that of the journal in which it was decided.
    projection = try await ledger()
    try await projection.catchUp()
    #expect(projection.failure == nil)
    await projection.shutdown()
  }

  @Test(
    "K6: A projection that has decided a part of a record ends as lost if the journal has another one there, or none")
  func restoredWithinRecord() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposits([5, 6, 7]), to: "a").outcome
    await stores.shutdown()
    let failing: @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = { event in
      if case .committed(_, _, 2, _) = event { return .order }
      return Ledger.action(event)
    }
    var projection = try await ledger(failing)
    _ = try await incidents.next()
    await projection.shutdown()
    for (other, text) in [
      (try await restored(8, 9), "has another record at position 2 than a reader has read there"),
      (try await restored(), "ends at position 0, and a reader has read to 1"),
      (try await beginning(), "ends at position 1, and a reader has read to 2"),
    ] {
      projection = try await ledger(in: other)
      let incident = try await incidents.next()
      #expect(incident.description.contains(text), "\(incident)")
      #expect(projection.failure?.code == .lost)
      await projection.shutdown()
    }
  }

  @Test("A place that an earlier version has stored without its record is read, and gets one with the next event")
  func earlierPlace() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    _ = await stores.send(.deposit(5), to: "a").outcome
    let place = #"{"part":0,"position":2,"covered":{}}"#
    let mutations = #"[{"moved":{"partition":0,"_1":\#(place)}}]"#
    #expect(
      try JSONDecoder().decode([ProjectedMutation<Ledger.Mutation>].self, from: Data(mutations.utf8)).count == 1)
    let decoded = try JSONDecoder().decode(ProjectionPlace.self, from: Data(place.utf8))
    #expect(decoded.position == 2 && decoded.record == nil)
    var moved = decoded
    let record = try #require(try await journal.all(.account("a")).last)
    moved.move(to: 3, record)
    #expect(moved.record == PlacedRecord(record.id))
    #expect(try JSONDecoder().decode(ProjectionPlace.self, from: JSONEncoder().encode(moved)) == moved)
    await stores.shutdown()
  }
}
