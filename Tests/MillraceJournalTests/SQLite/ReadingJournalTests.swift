#if SQLite
  import Foundation
  import Millrace
  import Testing

  @testable import MillraceJournal

  @Suite("A SQLite journal that is opened to be read", .timeLimit(.minutes(1)))
  struct ReadingJournalTests {
    /// A file with a single key and one of many, which another process has open.
    private func writer(_ folder: TemporaryFolder) async throws -> (journal: SQLiteJournal, claim: JournalClaim) {
      let journal = try await SQLiteJournal(folder.file("journal").path)
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start).stored == 1)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim).map(\.stored) == [1])
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [7]), of: "a")
      return (journal, claim)
    }

    /// The bytes of the files in a folder, without the index of the WAL, which each reader marks.
    private func bytes(_ folder: TemporaryFolder) throws -> [String: Data] {
      try folder.names().filter { !$0.hasSuffix("-shm") }.reduce(into: [:]) { bytes, name in
        let data = try Data(contentsOf: folder.file(name))
        if !data.isEmpty { bytes[name] = data }
      }
    }

    @Test("It is woken by each commit of the writer, and not only before that can be read")
    func woken() async throws {
      let folder = try TemporaryFolder()
      let (journal, _) = try await writer(folder)
      let reader = try await SQLiteJournal(reading: folder.file("journal").path)
      var changes = try await reader.changes().makeAsyncIterator()
      for number in 2..<302 as Range<UInt64> {
        async let stored = journal.append([JournalBatch(number, "\(number)")], to: "a", after: JournalSequence(number))
        while try await reader.lastSequence(of: "a").number == number {
          let hasChanged = await changes.next(isolation: #isolation) != nil
          try #require(hasChanged)
        }
        #expect(await stored.failure == nil)
      }
      await journal.close()
      await reader.close()
      while await changes.next(isolation: #isolation) != nil {}
    }

    @Test("A file that is moved away wakes its readers, whose next call says so")
    func moved() async throws {
      let folder = try TemporaryFolder()
      let (journal, _) = try await writer(folder)
      let reader = try await SQLiteJournal(reading: folder.file("journal").path)
      let replica = try await Replica<Accounts>.open(initial: Accounts.State(), journal: reader, key: "none")
      try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("other"))
      for await _ in replica.reader.states {}
      #expect(replica.failure?.code == .failed)
      await reader.close()
      await journal.close()
    }

    @Test("It has what is durable, also what is stored after the opening, and two may read beside a writer")
    func beside() async throws {
      let folder = try TemporaryFolder()
      let (journal, claim) = try await writer(folder)
      let readers = [
        try await SQLiteJournal(reading: folder.file("journal").path),
        try await SQLiteJournal(reading: folder.file("journal").path),
      ]
      for reader in readers { #expect(try await JournalContent(reader) == JournalContent(journal)) }
      for number in 2...4 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        #expect(await journal.append([.init(number, "\(number)", to: "a", after: last)], claim: claim)[0].stored == 1)
        for reader in readers {
          #expect(try await reader.texts(.order("a")) == (1...number).map { "\($0)" })
          #expect(try await reader.partition("orders", upTo: 1).items.count == Int(number))
        }
      }
      #expect(await journal.append([JournalBatch(2, "new")], to: "new", after: .start).stored == 1)
      #expect(try await readers[0].texts("new") == ["new"])
      try await journal.erase("new", claim: nil)
      #expect(try await readers[0].keys(after: nil) == ["a"])
      await journal.close()
      #expect(try await readers[1].texts("a") == ["1", "2"])
      for reader in readers { await reader.close() }
    }

    @Test("A call that writes is refused with the fix, and so is a store")
    func writes() async throws {
      let folder = try TemporaryFolder()
      let (journal, claim) = try await writer(folder)
      let reader = try await SQLiteJournal(reading: folder.file("journal").path)
      let snapshot = JournalSnapshot(sequence: 2, revision: 2, payload: [1])
      var errors = [
        try await failure { try await reader.store(snapshot, of: "a") },
        try await failure { try await reader.truncate("a", through: 1) },
        try await failure { _ = try await reader.claim(.of("orders"), as: .now()) },
        try await failure { try await reader.erase("a", claim: nil) },
        try await failure {
          _ = try await Store.open(initial: Accounts.State(), interactor: Accounts(), journal: reader, key: "new")
        },
      ]
      errors += [await reader.append([JournalBatch(2, "x")], to: "a", after: 2).failure].compactMap(\.self)
      errors += await reader.append([.init(2, "x", to: "a", after: 1)], claim: claim).compactMap(\.failure)
      #expect(errors.count == 7)
      for error in errors {
        #expect(error.code == .readOnly && !error.isTransient)
        #expect(
          error.description.hasSuffix(
            "was opened to be read alone; open it by 'SQLiteJournal(_:)' to change something."))
      }
      #expect(try await journal.texts("a") == ["1", "2"])
      await reader.close()
      await journal.close()
    }

    @Test("It changes no byte of the file and the WAL, neither of an open file nor of one that a crash has left")
    func bytes() async throws {
      let folder = try TemporaryFolder()
      let (journal, _) = try await writer(folder)
      let copy = try TemporaryFolder()
      for (name, data) in try bytes(folder) { try data.write(to: copy.file(name)) }
      #expect(try bytes(copy).keys.contains("journal-wal"))
      for folder in [folder, copy] {
        let before = try bytes(folder)
        let reader = try await SQLiteJournal(reading: folder.file("journal").path)
        #expect(try await JournalContent(reader) == JournalContent(journal))
        await reader.close()
        #expect(try bytes(folder) == before)
      }
      await journal.close()
      let before = try bytes(folder)
      let reader = try await SQLiteJournal(reading: folder.file("journal").path)
      #expect(try await reader.texts("a") == ["1", "2"])
      await reader.close()
      #expect(try bytes(folder) == before)
    }

    @Test("It opens while another process has the lock of writers")
    func locked() async throws {
      let folder = try TemporaryFolder()
      let (journal, _) = try await writer(folder)
      let other = try SQLiteConnection(JournalPath(folder.file("journal").path), system: nil)
      try other.run("BEGIN IMMEDIATE")
      let reader = try await SQLiteJournal(reading: folder.file("journal").path)
      #expect(try await reader.texts("a") == ["1", "2"])
      #expect(await journal.append([JournalBatch(2, "x")], to: "a", after: 2).failure?.code == .unavailable)
      await reader.close()
      other.close(leavesWAL: true)
      await journal.close()
    }

    @Test(
      "A file that is missing, empty, of another program or of version 1 is refused with a sentence, and left as it is")
    func refused() async throws {
      let folder = try TemporaryFolder()
      func error(_ name: String) async throws -> JournalError {
        let before = try folder.names()
        let error = try await failure { _ = try await SQLiteJournal(reading: folder.file(name).path) }
        #expect(try folder.names().filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == before)
        return error
      }
      var found = try await error("missing")
      #expect(found.code == .cannotOpen)
      #expect(found.description.contains("missing' cannot be opened to be read: "))
      try Data().write(to: folder.file("empty"))
      found = try await error("empty")
      #expect(found.code == .notAJournal && found.description.contains("is empty; name the file of a journal"))
      try Data("Dear diary, this is no database, and is long enough for the header of one.".utf8)
        .write(to: folder.file("text"))
      found = try await error("text")
      #expect(found.code == .notAJournal)
      let other = try SQLiteConnection(JournalPath(folder.file("other").path), system: nil)
      try other.run("CREATE TABLE t(x)")
      other.close(leavesWAL: false)
      found = try await error("other")
      #expect(found.code == .notAJournal && found.description.contains("is a database of another program"))
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      let earlier = try Data(contentsOf: tests.appending(path: "Files/version-1.journal"))
      try earlier.write(to: folder.file("earlier"))
      found = try await error("earlier")
      #expect(found.code == .otherVersion)
      #expect(found.description.contains("has version 1 of the format; open it once to write it"))
      #expect(try Data(contentsOf: folder.file("earlier")) == earlier)
    }
  }
#endif
