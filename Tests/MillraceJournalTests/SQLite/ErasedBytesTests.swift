#if SQLite
  import Foundation
  import Testing

  @testable import MillraceJournal

  @Suite("Bytes of erased keys")
  struct ErasedBytesTests {
    /// Keys whose records and snapshots are of all sizes, so that pages are split, joined and freed.
    @Test(
      "K7: When an erasure has returned, neither the file nor its WAL has a byte of the key, of its name or of what it had before"
    )
    func bytes() async throws {
      let folder = try TemporaryFolder()
      var options = SQLiteJournalOptions()
      options.partBytes = 8_000
      let journal = try await SQLiteJournal(folder.file("journal").path, options)
      let claim = try await journal.claim(.of("orders"), as: .now())
      let names = (0..<40).map { "customer-\($0)-secret" }
      for round in 1...8 as ClosedRange<UInt64> {
        for (number, name) in names.enumerated() {
          let size = (number * 37 + Int(round) * 911) % 9_000
          let text = String(repeating: "private \(name) ", count: size / 20)
          let batch = JournalBatch(
            id: .init(writer: 1, number: round), entries: [.text(text)], wake: .at(Int64(number)))
          let append = JournalKeyAppend([batch], to: .order(name), after: JournalSequence(round - 1))
          #expect(await journal.append([append], claim: claim).map(\.stored) == [1])
          guard round % 3 == 0 else { continue }
          let state = Array(String(repeating: "state of \(name) ", count: number % 5 == 0 ? 2_000 : 100).utf8)
          let snapshot = JournalSnapshot(sequence: JournalSequence(round), revision: Int(round), payload: state)
          try await journal.store(snapshot, of: .order(name))
          try await journal.truncate(.order(name), through: JournalSequence(round - 1))
        }
      }
      #expect(try places(of: "customer-7-secret", in: folder) > 3)
      for name in names where name != names[1] { try await journal.erase(.order(name), claim: claim) }
      for name in names { #expect((try places(of: name, in: folder) > 0) == (name == names[1]), "\(name)") }
      #expect(try await journal.all(.order(names[1]), after: 5).count == 3)
      await journal.close()
      for name in names { #expect((try places(of: name, in: folder) > 0) == (name == names[1]), "\(name)") }
    }

    /// The number of places in all files of a folder that have the bytes of a text.
    private func places(of text: String, in folder: TemporaryFolder) throws -> Int {
      try folder.names().reduce(0) { count, name in
        let bytes = try Data(contentsOf: folder.file(name))
        var (places, start) = (0, bytes.startIndex)
        while let found = bytes[start...].range(of: Data(text.utf8)) {
          (places, start) = (places + 1, found.upperBound)
        }
        return count + places
      }
    }

    @Test("An erasure says that another process reads the bytes, and is complete when it is repeated")
    func reader() async throws {
      let folder = try TemporaryFolder()
      let path = folder.file("journal").path
      let journal = try await SQLiteJournal(path)
      _ = await journal.append([JournalBatch(1, "private")], to: "a", after: .start)
      let other = try SQLiteConnection(JournalPath(path), system: nil)
      try other.run("BEGIN; SELECT count(*) FROM keys")
      let error = try await failure { try await journal.erase("a", claim: nil) }
      #expect(error.code == .unavailable)
      #expect(
        error.description
          == #"The key "a" is erased, and another process reads the bytes that the WAL still has of it; repeat the call."#
      )
      #expect(try await journal.keys(after: nil) == [])
      other.close(leavesWAL: true)
      try await journal.erase("a", claim: nil)
      #expect(try places(of: "private", in: folder) == 0)
      await journal.close()
    }
  }
#endif
