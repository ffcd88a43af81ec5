#if SQLite
  import Foundation
  import Testing

  @testable import MillraceJournal

  @Suite("Lost files of a SQLite journal")
  struct LostFileTests {
    private let folder: JournalFolder

    init() throws { folder = try JournalFolder() }

    /// A change of the files behind the back of an open journal.
    enum Loss: String, CaseIterable {
      case deleted, moved, replaced, emptied, withoutWAL, walReplaced, withoutIndex
    }

    private func lose(_ loss: Loss) throws {
      let files = FileManager.default
      switch loss {
      case .deleted: try files.removeItem(atPath: folder.path())
      case .moved: try files.moveItem(atPath: folder.path(), toPath: folder.path("moved"))
      case .replaced:
        try files.copyItem(atPath: folder.path(), toPath: folder.path("copy"))
        #expect(rename(folder.path("copy"), folder.path()) == 0)
      case .emptied: #expect(truncate(folder.path(), 0) == 0)
      case .withoutWAL: try files.removeItem(atPath: folder.path("journal-wal"))
      case .walReplaced:
        try files.copyItem(atPath: folder.path("journal-wal"), toPath: folder.path("copy"))
        #expect(rename(folder.path("copy"), folder.path("journal-wal")) == 0)
      case .withoutIndex: try files.removeItem(atPath: folder.path("journal-shm"))
      }
    }

    @Test(
      "D1: A journal whose file or WAL was deleted, moved, replaced or emptied acknowledges nothing more",
      arguments: Loss.allCases)
    func lostBefore(_ loss: Loss) async throws {
      let journal = try await SQLiteJournal(folder.path())
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      try lose(loss)
      let result = await journal.append([JournalBatch(2, "2")], to: "a", after: 1)
      let failure = try #require(result.failure)
      #expect(result.stored == 0 && failure.code == .failed && !failure.isTransient)
      #expect(failure.description.contains("was moved or deleted, replaced or emptied while the journal was open"))
      #expect(try await MillraceJournalTests.failure { _ = try await journal.texts("a") }.code == .failed)
      await journal.close()
    }

    @Test("D1: A file that is lost during a call fails the call", arguments: [false, true])
    func lostDuring(isWrite: Bool) async throws {
      let journal = try await SQLiteJournal(folder.path())
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      let path = folder.path()
      let error: JournalError? = await withCheckedContinuation { continuation in
        journal.queue.add(
          JournalCall(
            access: isWrite ? .write : .read,
            perform: { _ in
              unlink(path)
              return { continuation.resume(returning: nil) }
            }, refuse: { continuation.resume(returning: $0) }))
      }
      #expect(error?.code == .failed)
      await journal.close()
    }

    @Test("A journal that is closed behind a lost file leaves the files of its successor as they are")
    func successor() async throws {
      let first = try await SQLiteJournal(folder.path())
      _ = await first.append([JournalBatch(1, "1")], to: "a", after: .start)
      for end in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.path("journal\(end)")) }
      var options = SQLiteJournalOptions()
      options.files = OpenJournals()
      let second = try await SQLiteJournal(folder.path(), options)
      #expect(await second.append([JournalBatch(1, "2")], to: "a", after: .start).stored == 1)
      await first.close()
      #expect(await second.append([JournalBatch(2, "3")], to: "a", after: 1).stored == 1)
      #expect(try await second.texts("a") == ["2", "3"])
      await second.close()
    }

    @Test(
      "An empty or missing file beside a WAL with records is refused with a sentence, and both are left as they are",
      arguments: [true, false])
    func lostMain(isMissing: Bool) async throws {
      let journal = try await SQLiteJournal(folder.path())
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      // As after a crash.
      let copy = try folder.copyJournal()
      await journal.close()
      let wal = try Data(contentsOf: URL(filePath: copy + "-wal"))
      #expect(wal.count > 0)
      if isMissing { unlink(copy) } else { truncate(copy, 0) }
      let error = try await failure { _ = try await SQLiteJournal(copy) }
      #expect(error.code == .cannotOpen)
      #expect(error.description.contains("is empty or missing, and '\(copy)-wal' beside it has records of a journal"))
      #expect(try Data(contentsOf: URL(filePath: copy + "-wal")) == wal)
    }
  }
#endif
