import MillraceJournal
import Testing

extension JournalConformance {
  /// The rules of `Journal.changes`.
  static let changing = [
    JournalConformance("Each call that changes the journal wakes who waits for changes, once it can be read") {
      fixture in
      let journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      var changes = try await journal.changes().makeAsyncIterator()
      var others = try await journal.changes().makeAsyncIterator()
      func isChanged(
        sourceLocation: SourceLocation = #_sourceLocation, _ isSeen: () async throws -> Bool
      ) async throws {
        // An earlier change may have brought two elements.
        while try await !isSeen() {
          let hasChanged = await changes.next(isolation: #isolation) != nil
          try #require(hasChanged, sourceLocation: sourceLocation)
        }
        let hasChanged = await others.next(isolation: #isolation) != nil
        #expect(hasChanged, sourceLocation: sourceLocation)
      }
      for number in 1...20 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        #expect(await journal.append([JournalBatch(number, "\(number)")], to: "a", after: last).failure == nil)
        try await isChanged { try await journal.lastSequence(of: "a").number == number }
      }
      _ = await journal.append([.init(1, "b", to: "b", after: .start)], claim: claim)
      try await isChanged { try await journal.records(ofPartition: .of("orders"), after: .start, upTo: 1).last == 1 }
      try await journal.store(JournalSnapshot(sequence: 10, revision: 10, payload: [1]), of: "a")
      try await isChanged { try await journal.snapshot(of: "a") != nil }
      try await journal.truncate("a", through: 5)
      try await isChanged { (try? await journal.records(of: "a", after: .start)) == nil }
      try await journal.erase(.order("b"), claim: claim)
      try await isChanged { try await journal.lastSequence(of: .order("b")) == 2 }
    },
    JournalConformance("A change that comes between the call and the wait is not missed") { fixture in
      let journal = try await fixture.open()
      var changes = try await journal.changes().makeAsyncIterator()
      for number in 1...3 as ClosedRange<UInt64> {
        _ = await journal.append([JournalBatch(number, "\(number)")], to: "a", after: JournalSequence(number - 1))
      }
      let hasChanged = await changes.next(isolation: #isolation) != nil
      #expect(hasChanged)
    },
    JournalConformance("A sequence of changes ends with the journal, and with its task") { fixture in
      let journal = try await fixture.open()
      let waiting = Task { [changes = try await journal.changes()] in for await _ in changes {} }
      waiting.cancel()
      await waiting.value
      var changes = try await journal.changes().makeAsyncIterator()
      await journal.close()
      while await changes.next(isolation: #isolation) != nil {}
      #expect(try await failure { _ = try await journal.changes() }.code == .closed)
    },
  ]
}
