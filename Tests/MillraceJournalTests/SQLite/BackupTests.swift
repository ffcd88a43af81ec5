#if SQLite
  import Millrace
  import MillraceTesting
  import Testing

  @testable import MillraceJournal

  @Suite("Copies of a journal that is in use", .timeLimit(.minutes(2)))
  struct BackupTests {
    private let folder: JournalFolder

    init() throws { folder = try JournalFolder() }

    private func copyFile() throws { try PlainConnection(folder.path()).run("VACUUM INTO '\(folder.path("copy"))'") }

    @Test("A copy that SQLite makes beside senders is whole, and has what was acknowledged before it began")
    func copy() async throws {
      let journal = try await SQLiteJournal(folder.path())
      let stores = try await ManyAccounts.accounts(journal)
      let acknowledged = Recorder<String>()
      let senders = ["a", "b", "c"].map { key in
        Task {
          while !Task.isCancelled {
            _ = try await stores.request(.deposit(1), of: key) { $0.balance }
            acknowledged.record(key)
          }
        }
      }
      _ = try await acknowledged.next(50)
      let before = acknowledged.recorded
      try copyFile()
      // The senders have not ended.
      _ = try await acknowledged.next(10)
      for sender in senders { sender.cancel() }
      for sender in senders { _ = await sender.result }
      let report = await stores.shutdown()
      #expect(report.isClean)
      await journal.close()

      let copied = try await SQLiteJournal(reading: folder.path("copy"))
      #expect(try await copied.integrityProblems().isEmpty)
      await copied.close()
      let restored = try await SQLiteJournal(folder.path("copy"))
      let accounts = try await ManyAccounts.accounts(restored)
      for key in ["a", "b", "c"] {
        let balance = try await accounts.state(of: key).balance
        // Each began with 1.
        #expect(balance > before.filter { $0 == key }.count)
        #expect(balance <= acknowledged.recorded.filter { $0 == key }.count + 2)
        #expect(try await accounts.request(.deposit(1), of: key) { $0.balance } == balance + 1)
      }
      await accounts.shutdown()
      await restored.close()
    }

    @Test("K6: A reader that is ahead of a restored copy learns that records were lost")
    func lost() async throws {
      let partition = JournalPartition(of: "accounts", number: 0)
      let journal = try await SQLiteJournal(folder.path())
      let stores = try await ManyAccounts.accounts(journal)
      _ = try await stores.request(.deposit(1), of: "a") { $0.balance }
      try copyFile()
      _ = try await stores.request(.deposit(1), of: "a") { $0.balance }
      let end = try await journal.records(ofPartition: partition, after: .start, upTo: 1_000).last
      await stores.shutdown()
      await journal.close()
      let restored = try await SQLiteJournal(folder.path("copy"))
      do throws(JournalError) {
        _ = try await restored.records(ofPartition: partition, after: end, upTo: 1_000)
        Issue.record("The reader was not told.")
      } catch {
        #expect(error.code == .lost)
      }
      await restored.close()
    }
  }
#endif
