#if SQLite
  import Foundation
  import Testing

  @testable import MillraceJournal

  @Suite("Path of a journal")
  struct JournalPathTests {
    @Test("A name without a folder is a file of the current folder, and a folder may have a name that is no UTF-8")
    func names() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let bytes = folder.url.path.utf8CString.dropLast() + [CChar(bitPattern: 0x2F), CChar(bitPattern: 0xFF), 0]
        #expect(bytes.withUnsafeBufferPointer { mkdir($0.baseAddress!, 0o700) } == 0)
        #expect(bytes.withUnsafeBufferPointer { chdir($0.baseAddress!) } == 0)
        for path in ["j", "./j", "j"] {
          let journal = try await SQLiteJournal(path)
          await #expect(throws: JournalError.self) { _ = try await SQLiteJournal("j") }
          await journal.close()
        }
        #expect(access("j", F_OK) == 0)
      }
    }

    @Test(
      "The first opening through symbolic links to a missing file makes the file at their end, and claims it by its own path"
    )
    func danglingLinks() async throws {
      let folder = try JournalFolder()
      let manager = FileManager.default
      try manager.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
      try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "data/../other")
      try manager.createSymbolicLink(atPath: folder.path("other"), withDestinationPath: folder.path("data/journal"))
      let journal = try await SQLiteJournal(folder.path("link"))
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      #expect(manager.fileExists(atPath: folder.path("data/journal-wal")))
      let error = try await failure { _ = try await SQLiteJournal(folder.path("data/journal")) }
      #expect(error.code == .inUse)
      await journal.close()
      let again = try await SQLiteJournal(folder.path("link"))
      #expect(try await again.texts("a") == ["1"])
      await again.close()
    }

    @Test(
      "A new file, its WAL and its index can be read by their owner only, with any umask, and a file that is there keeps its mode"
    )
    func modes() async throws {
      await #expect(processExitsWith: .success) {
        umask(0)
        let folder = try JournalFolder()
        func expect(_ mode: Int) throws {
          for end in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("journal" + end))
            #expect(attributes[.posixPermissions] as? Int == mode, "\(end)")
          }
        }
        let journal = try await SQLiteJournal(folder.path())
        try expect(0o600)
        await journal.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path())
        let again = try await SQLiteJournal(folder.path())
        try expect(0o640)
        await again.close()
      }
    }

    @Test("A symbolic link whose end is in no folder, or that leads to itself, is an error with the fix")
    func brokenLinks() async throws {
      let folder = try JournalFolder()
      let links = ["lost": "missing/journal", "loop": "loop"]
      for (name, target) in links {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        let error = try await failure { _ = try await SQLiteJournal(folder.path(name)) }
        #expect(error.code == .cannotOpen)
        #expect(error.description.contains("cannot be found"), "\(error)")
      }
    }

    @Test(
      "A process without a free file descriptor gets the words of the system, at each file that SQLite opens and at the folder"
    )
    func descriptors() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let path = folder.file("journal").path
        await (try await SQLiteJournal(path)).close()
        let next = open("/", O_RDONLY)
        close(next)
        var before = rlimit()
        getrlimit(__rlimit_resource_t(7), &before)
        for count in 0..<4 as Range<rlim_t> {
          var limit = before
          limit.rlim_cur = rlim_t(next) + count
          #expect(setrlimit(__rlimit_resource_t(7), &limit) == 0)
          let error = await #expect(throws: JournalError.self) { _ = try await SQLiteJournal(path) }
          #expect(
            error?.code == .cannotOpen && error?.description.contains("Too many open files") == true, "\(count)")
        }
        #expect(setrlimit(__rlimit_resource_t(7), &before) == 0)
        await (try await SQLiteJournal(path)).close()
      }
    }
  }
#endif
