import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

/// Among 256 partitions few have moved since a projection has read them.
@Suite("Partitions that have not moved", .timeLimit(.minutes(1)))
struct IdlePartitionsTests {
  @Test("K6: A projection reads the partitions that have moved since, and no others")
  func reads() async throws {
    let journal = RecordedReads(MemoryJournal(partitions: 16))
    let stores = try await ManyAccounts.accounts(journal.base)
    for key in ["a", "b", "c", "d"] { _ = await stores.send(.deposit(5), to: key).outcome }
    let projection = try await Projection.open(
      initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource<Accounts>("accounts", in: journal),
      journal: MemoryJournal(), key: "ledger", action: Ledger.action)
    try await projection.catchUp()
    // The first time all are read.
    var seen: Set<Int> = []
    while seen.count < 16 { seen.insert(try await journal.reads.next()) }
    let count = journal.reads.recorded.count
    for amount in 1...3 {
      _ = await stores.send(.deposit(amount), to: "c").outcome
      try await projection.catchUp()
      #expect(try await projection.lag() == .none)
    }
    let moved = JournalPartition(of: "accounts", holding: "c", among: 16).number
    #expect(Set(journal.reads.recorded.dropFirst(count)) == [moved])
    #expect(await projection.reader.state.accounts["c"]?.state == (try await stores.state(of: "c")))
    await stores.shutdown()
    await projection.shutdown()
    #expect(projection.failure == nil)
  }
}

/// A journal that records of which partitions the records are read.
private final class RecordedReads: ForwardedJournal {
  let base: MemoryJournal
  let reads = Recorder<Int>()

  init(_ base: MemoryJournal) { self.base = base }

  func batch(
    _ id: JournalBatch.ID, of key: JournalKey, after last: JournalSequence
  ) async throws(JournalError) -> [JournalRecord]? {
    try await base.batch(id, of: key, after: last)
  }

  func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
    await base.append(appends, claim: claim)
  }

  func records(
    ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPartitionPage {
    reads.record(partition.number)
    return try await base.records(ofPartition: partition, after: position, upTo: byteCount)
  }
}
