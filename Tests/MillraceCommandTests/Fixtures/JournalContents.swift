import MillraceJournal
import Testing

extension JournalBatch {
  /// A batch of entries that were written at 2026-11-25T16:44:38.120Z.
  init(_ number: UInt64, _ entries: [JournalEntry], wake: JournalWake = .keep) {
    self.init(id: ID(writer: 1, number: number), entries: entries, time: 1_795_625_078_120, wake: wake)
  }
}

extension JournalEntry {
  /// An entry with this text as its payload.
  init(_ kind: Kind, _ text: String, revision: Int? = nil) {
    self.init(kind: kind, payload: Array(text.utf8), revision: revision)
  }
}

extension PartitionedJournal {
  /// Adds a batch of emits with these texts to the log of a single store, which has none.
  func add(_ texts: String..., to key: JournalKey) async {
    #expect(await append([JournalBatch(1, texts.map { JournalEntry(.emit, $0) })], to: key, after: .start).stored == 1)
  }

  /// Adds keys of one record to the stores `orders`, with their wake times.
  func addOrders(_ wakes: (name: String, wake: JournalWake)...) async throws {
    let claim = try await claim(JournalPartition(of: "orders", number: 0), as: .now())
    for (name, wake) in wakes {
      let batch = JournalBatch(1, [JournalEntry(.decided, #"{"head":{},"mutations":[]}"#)], wake: wake)
      let part = JournalKeyAppend([batch], to: JournalKey(name, of: "orders"), after: .start)
      #expect(await append([part], claim: claim).map(\.stored) == [1])
    }
  }
}
