#if SQLite
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal
  import MillraceTesting
  import Testing

  @testable import MillraceCommand

  @Suite("The verification of a journal's file", .timeLimit(.minutes(1)))
  struct JournalVerificationTests {
    private let folder: Folder
    /// The sentences about damage.
    private let sentences = Recorder<String>()
    /// The texts that were shown on the terminal.
    private let screen = Recorder<String>()

    init() throws {
      folder = try Folder()
    }

    private var path: String { folder.file("j").path }

    /// Writes a file with three keys of single stores and two of many, and a snapshot.
    private func write() async throws {
      let journal = try await SQLiteJournal(path)
      await journal.add("payload-alpha", "second", to: "key-alpha")
      await journal.add("payload-bravo", "second", to: "key-bravo")
      await journal.add("payload-charlie", "second", to: "key-charlie")
      try await journal.addOrders(("key-delta", .keep), ("key-echo", .keep))
      let state = JournalSnapshot(sequence: 1, revision: 1, payload: Array("snapshot-charlie".utf8))
      try await journal.store(state, of: "key-charlie")
      try await journal.truncate("key-charlie", through: 1)
      await journal.close()
    }

    /// Flips a bit of each place of the file that has a text, or of one of these places.
    private func damage(_ text: String, at index: Int? = nil) throws {
      var bytes = try Data(contentsOf: folder.file("j"))
      let places = try places(text)
      #expect(!places.isEmpty)
      for (number, place) in places.enumerated() where index == nil || index == number { bytes[place - 1] ^= 1 }
      try bytes.write(to: folder.file("j"))
    }

    private func verify() async throws -> Result<String, CommandFailure> {
      let journal = try await SQLiteJournal(checking: path)
      let line = StatusLine(columns: { 300 }) { [screen] in screen.record($0) }
      var check = JournalVerification(of: journal, place: "'j'", line: line) { [sentences] in sentences.record($0) }
      let result: Result<String, CommandFailure>
      do {
        result = .success(try await check.run())
      } catch {
        result = .failure(CommandFailure(error))
      }
      await journal.close()
      return result
    }

    /// The positions behind each place of the file that has a text.
    private func places(_ text: String) throws -> [Int] {
      let bytes = try Data(contentsOf: folder.file("j"))
      var (places, start): ([Int], Int) = ([], 0)
      while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
        places.append(found.upperBound)
        start = found.upperBound
      }
      return places
    }

    private static let end = "could be read; restore the journal from a copy."

    @Test("A file that is whole is counted, and its progress is shown by its keys and removed")
    func whole() async throws {
      try await write()
      #expect(try await verify().get() == "'j' is whole: 5 keys, 7 records and 1 snapshot.")
      #expect(sentences.recorded == [])
      let percents = [20, 40, 60, 80, 100].map { "\r\u{1B}[K\($0) % of 5 keys of 'j'" }
      #expect(screen.recorded == percents + ["\r\u{1B}[K"])
    }

    @Test("A damaged record names its key, and the other keys are read")
    func record() async throws {
      try await write()
      try damage("payload-alpha")
      let failure = CommandFailure(
        "'j' is damaged: 1 problem in 5 keys, 5 records and 1 snapshot that \(Self.end)", code: 65)
      #expect(try await verify() == .failure(failure))
      #expect(sentences.recorded.count == 1)
      #expect(
        sentences.recorded.first?.hasPrefix(
          "The key 'key-alpha' is damaged. Record 1 of \"key-alpha\" is missing or is not the one that was written")
          == true)
    }

    @Test("A damaged snapshot names its key, and the records of the key are read")
    func snapshot() async throws {
      try await write()
      try damage("snapshot-charlie")
      let failure = CommandFailure(
        "'j' is damaged: 1 problem in 5 keys, 7 records and 0 snapshots that \(Self.end)", code: 65)
      #expect(try await verify() == .failure(failure))
      #expect(sentences.recorded.map { $0.hasPrefix("The key 'key-charlie' is damaged. The snapshot of ") } == [true])
    }

    @Test("A damaged row of a key, for which a journal is not opened, does not stop the other keys")
    func row() async throws {
      try await write()
      try damage("key-bravo")
      await #expect(throws: JournalError.self) { _ = try await SQLiteJournal(reading: path) }
      let failure = CommandFailure(
        "'j' is damaged: 1 problem in 5 keys, 5 records and 1 snapshot that \(Self.end)", code: 65)
      #expect(try await verify() == .failure(failure))
      #expect(sentences.recorded.map { $0.hasPrefix("The row of the key \"key-bravn\" is not the one") } == [true])
    }

    @Test("A damaged page names the keys that are read from it, and SQLite's check of the file finds it")
    func page() async throws {
      let journal = try await SQLiteJournal(path)
      for letter in ["a", "b", "c", "d"] {
        // About four of them have a page of their own.
        let entries = (1...20).map { _ in JournalEntry(.emit, String(repeating: letter, count: 900)) }
        #expect(await journal.append([JournalBatch(1, entries)], to: JournalKey(letter), after: .start).stored == 1)
      }
      await journal.close()
      var bytes = try Data(contentsOf: folder.file("j"))
      let page = try places(String(repeating: "b", count: 900))[10] / 4_096
      for byte in 0..<12 { bytes[page * 4_096 + byte] = 0xFF }
      try bytes.write(to: folder.file("j"))
      let failure = try await #require(throws: CommandFailure.self) { _ = try await verify().get() }
      #expect(failure.code == 65)
      // A key beside it may have a record on the page.
      let found = ["a", "b", "c", "d", "SQLite"].filter { name in
        sentences.recorded.contains {
          $0.hasPrefix("The key '\(name)' is damaged. ") || $0.hasPrefix("\(name) finds in ")
        }
      }
      #expect(found.contains("b") && found.contains("SQLite") && !found.contains("d"), "\(sentences.recorded)")
    }

    @Test("A name that is damaged at any place of the file is found: also where the partition has it by a position")
    func names() async throws {
      try await write()
      let count = try places("key-delta").count
      #expect(count >= 2)
      let whole = try Data(contentsOf: folder.file("j"))
      for index in 0..<count {
        try damage("key-delta", at: index)
        guard case .failure = try await verify() else {
          Issue.record("The damage at place \(index) is not found.")
          return
        }
        try whole.write(to: folder.file("j"))
      }
      #expect(sentences.recorded.contains { $0.hasPrefix("The positions of the stores 'orders' are damaged. ") })
    }

    @Test("Several damaged keys are a sentence each")
    func several() async throws {
      try await write()
      try damage("payload-alpha")
      try damage("payload-bravo")
      guard case .failure = try await verify() else {
        Issue.record("The damage is not found.")
        return
      }
      #expect(
        sentences.recorded.map { String($0.prefix(34)) } == [
          "The key 'key-alpha' is damaged. Re", "The key 'key-bravo' is damaged. Re",
        ])
    }

    @Test("A writer beside the check does not disturb it")
    func beside() async throws {
      try await write()
      let writer = try await SQLiteJournal(path)
      await writer.add("1", to: "new")
      #expect(try await verify().get() == "'j' is whole: 6 keys, 8 records and 1 snapshot.")
      await writer.close()
    }
  }
#endif
