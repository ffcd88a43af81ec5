import MillraceJournal
import Testing

/// The snippets of docs/partitions.md, as they stand there.
@Suite("PartitionSnippets")
struct PartitionSnippets {
  @Test("A key is appended to by a claim, is due, and is followed")
  func partition() async throws {
    let journal = MemoryJournal()
    let (writer, dueTime): (UInt64, Int64) = (1, 1_000)
    let entry = JournalEntry(kind: .emit, payload: [1])
    // snippet.claim
    let partition = JournalPartition(of: "orders", number: 0)
    let claim = try await journal.claim(partition, as: .now())
    let batch = JournalBatch(id: .init(writer: writer, number: 1), entries: [entry], wake: .at(dueTime))
    let results = await journal.append(
      [JournalKeyAppend([batch], to: JournalKey("17", of: "orders"), after: .start)], claim: claim)
    // snippet.end
    #expect(results.map(\.stored) == [1])
    #expect(try await journal.due(in: partition, before: 1_001, after: nil, upTo: 9).map(\.key.name) == ["17"])
    var seen: [String] = []
    // snippet.follow
    var position = JournalPosition.start
    while true {
      let page = try await journal.records(ofPartition: partition, after: position, upTo: 1 << 20)
      for item in page.items {
        switch item {
        case .record(let record, let key): seen.append("\(key) \(record.sequence)")
        case .missed(let key, let sequence, _): seen.append("\(key): read its snapshot, which covers \(sequence)")
        case .erased(let digest, _): seen.append("erased: \(digest.description.prefix(8))")
        }
      }
      position = page.position
      if position == page.last { break }
    }
    // snippet.end
    #expect(seen == ["orders/17 1"])
  }
}
