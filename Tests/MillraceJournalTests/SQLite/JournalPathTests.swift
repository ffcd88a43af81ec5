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

    @Test("A process without a free file descriptor gets the words of the system, at each file that SQLite opens")
    func descriptors() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let path = folder.file("journal").path
        await (try await SQLiteJournal(path)).close()
        let next = open("/", O_RDONLY)
        close(next)
        for count in 0..<3 as Range<rlim_t> {
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(7), &limit)
          limit.rlim_cur = rlim_t(next) + count
          #expect(setrlimit(__rlimit_resource_t(7), &limit) == 0)
          let error = await #expect(throws: JournalError.self) { _ = try await SQLiteJournal(path) }
          #expect(
            error?.code == .cannotOpen && error?.description.contains("Too many open files") == true, "\(count)")
        }
      }
    }
  }
#endif
