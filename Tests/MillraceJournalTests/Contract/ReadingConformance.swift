import MillraceJournal
import Testing

extension JournalConformance {
  static let reading = [
    JournalConformance("Entries come back as they were written") { fixture in
      let journal = try await fixture.open()
      let entries = [
        JournalEntry(kind: .decided, payload: Array(0...255), schemaVersion: 3, revision: 0),
        JournalEntry(kind: .takeUp, payload: [], schemaVersion: 0),
        JournalEntry(kind: .emit, payload: [0], revision: Int.max),
        JournalEntry(kind: .end, payload: [255, 0], schemaVersion: Int.max, revision: 7),
        JournalEntry(kind: .mark, payload: Array(repeating: 7, count: 100_000)),
        JournalEntry(kind: JournalEntry.Kind(rawValue: 255), payload: [1]),
      ]
      let id = JournalBatch.ID(writer: .max, number: .max)
      #expect(await journal.append([JournalBatch(id: id, entries: entries)], to: "a", after: .start).stored == 1)
      let records = try await journal.all("a")
      #expect(records.map(\.entry) == entries && records.allSatisfy { $0.batch == id })
      #expect(Set(records.map(\.checksum)).count == entries.count)
    },
    JournalConformance("A page ends with the batch that reaches its size, and tells the last sequence of the key") {
      fixture in
      let journal = try await fixture.open()
      _ = await journal.append(
        [JournalBatch(1, "12", "34", "56"), JournalBatch(2, "78"), JournalBatch(3, "9", "")], to: "a", after: .start)
      func page(_ start: JournalSequence, _ size: Int) async throws -> [String] {
        let page = try await journal.records(of: "a", after: start, upTo: size)
        #expect(page.last == 6)
        return page.records.map(\.text)
      }
      #expect(try await page(0, 1) == ["12", "34", "56"])
      #expect(try await page(0, 6) == ["12", "34", "56"])
      #expect(try await page(0, 7) == ["12", "34", "56", "78"])
      #expect(try await page(0, 9) == ["12", "34", "56", "78", "9", ""])
      #expect(try await page(1, 1) == ["34", "56"])
      #expect(try await page(3, 100) == ["78", "9", ""])
      #expect(try await page(0, 0) == ["12", "34", "56"])
      #expect(try await page(6, 100) == [])
      #expect(try await page(7, 100) == [])
      let none = try await journal.records(of: "b", after: .start)
      #expect(none.records.isEmpty && none.last == .start)
    },
    JournalConformance(
      "The beginning of a log is its newest snapshot, and its end if the engine reads that in the same step"
    ) {
      fixture in
      let journal = try await fixture.open()
      func expect(_ sequence: JournalSequence?, _ payload: [UInt8]?, last: JournalSequence) async throws {
        let beginning = try await journal.beginning(of: "a")
        #expect(beginning.snapshot?.sequence == sequence && beginning.snapshot?.payload == payload)
        #expect(beginning.last ?? last == last)
      }
      try await expect(nil, nil, last: .start)
      _ = await journal.append([JournalBatch(1, "1", "2"), JournalBatch(2, "3")], to: "a", after: .start)
      try await expect(nil, nil, last: 3)
      try await journal.store(JournalSnapshot(sequence: 3, revision: 3, payload: [1, 2]), of: "a")
      try await expect(3, [1, 2], last: 3)
      _ = await journal.append([JournalBatch(3, "4")], to: "a", after: 3)
      try await expect(3, [1, 2], last: 4)
      // More than an engine stores in one row.
      let large = Array(repeating: UInt8(7), count: 3 << 20)
      try await journal.store(JournalSnapshot(sequence: 4, revision: 4, payload: large), of: "a")
      try await expect(4, large, last: 4)
    },
    JournalConformance("Keys are any texts, are told apart by their UTF-8, and come in its order") { fixture in
      let journal = try await fixture.open()
      let keys: [JournalKey] = ["", "\u{0}", "%_'\";--", "A", "a", "a b", "e\u{301}", "é", "🏞"]
      for (index, key) in keys.enumerated() {
        #expect(await journal.append([JournalBatch(1, "\(index)")], to: key, after: .start).stored == 1)
      }
      for (index, key) in keys.enumerated() { #expect(try await journal.texts(key) == ["\(index)"]) }
      #expect(try await journal.keys(after: nil) == keys)
      #expect(try await journal.keys(after: "a") == Array(keys[5...]))
      #expect(try await journal.keys(after: "🏞") == [])
    },
    JournalConformance("Keys are read a thousand at a time") { fixture in
      let journal = try await fixture.open()
      let keys = (10_000..<11_500).map { JournalKey("\($0)") }
      await withTaskGroup { group in
        for key in keys {
          group.addTask { _ = await journal.append([JournalBatch(1, key.name)], to: key, after: .start) }
        }
      }
      let first = try await journal.keys(after: nil)
      #expect(first == Array(keys[..<1_000]))
      #expect(try await journal.keys(after: first.last) == Array(keys[1_000...]))
      #expect(try await journal.texts(keys[1_234]) == ["11234"])
    },
  ]
}
