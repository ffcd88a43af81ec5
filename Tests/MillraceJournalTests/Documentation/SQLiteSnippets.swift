#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal
  import MillraceTesting
  import Testing

  @testable import MillraceJournalKill

  /// The snippets of docs/durability.md on files, of docs/a-durable-main-program.md and, on kills, of docs/testing-a-durable-store.md.
  @Suite("SQLiteSnippets", .timeLimit(.minutes(5)))
  struct SQLiteSnippets {
    private let folder: JournalFolder

    init() throws { folder = try JournalFolder() }

    /// Opens journals in the folder of the test.
    private func SQLiteJournal(_ name: String) async throws(JournalError) -> MillraceJournal.SQLiteJournal {
      try await MillraceJournal.SQLiteJournal(folder.path(name))
    }

    /// Opens journals in the folder of the test to read them.
    private func SQLiteJournal(reading name: String) async throws(JournalError) -> MillraceJournal.SQLiteJournal {
      try await MillraceJournal.SQLiteJournal(reading: folder.path(name))
    }

    @Test("A file has the logs of several stores, and is opened again after it was closed")
    func open() async throws {
      for life in 1...2 {
        // snippet.open
        let journal = try await SQLiteJournal("service.journal")
        let orders = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
        // A log of its own.
        let notes = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "notes")
        // snippet.end
        #expect(await orders.state.count == life - 1)
        #expect(await notes.state.isEmpty)
        #expect(await orders.send(.note(life)).outcome.kind == .finished)
        #expect(try await count() == 2 * life)
        // snippet.close
        await orders.shutdown(drainFor: .seconds(10))
        await notes.shutdown(drainFor: .seconds(10))
        await journal.close()
        // snippet.end
      }
    }

    /// The number of records that another process finds in the log of the orders.
    private func count() async throws -> Int {
      // snippet.read
      let reader = try await SQLiteJournal(reading: "service.journal")
      let page = try await reader.records(of: "orders", after: .start)
      await reader.close()
      // snippet.end
      return page.records.count
    }

    @Test("The whole program answers each line once for its key, and after it was ended and started again")
    func program() async throws {
      let input = folder.path("lines")
      try "a Ada 100\na Ada 100\nb Ada 50\nwhat\n".write(toFile: input, atomically: true, encoding: .utf8)
      for (accounts, first) in [(0, 100), (1, 150)] {
        let process = try ChildProcess(
          "MillraceDurableMain", [folder.path("accounts.journal")], limit: "exec < '\(input)'")
        let (output, complaints) = await (process.rest, process.complaints)
        #expect(
          output == """
            open with \(accounts) accounts
            a done, balance \(first)
            a done, balance \(first)
            b done, balance 150
            Write KEY ACCOUNT CENTS.
            stopped: 0 drained, 0 cancelled, 0 not returned

            """, "\(complaints)")
        #expect(await process.end == .exit(EXIT_SUCCESS))
      }
    }

    @Test("After a kill all that the process has acknowledged is in the file")
    func killed() async throws {
      let file = folder.path("parcels.journal")
      // snippet.kill
      let process = try ChildProcess("MillraceJournalKill", [file, "1"])  // It prints a line for each outcome.
      let output = await process.lines(20) { $0.hasPrefix("noted ") }
      process.send(SIGKILL)
      _ = await process.end

      let journal = try await SQLiteJournal("parcels.journal")
      let store = try await Store.open(
        initial: Parcels.State(), interactor: Parcels(), journal: journal, key: "parcels")
      let notes = Set(await store.state.notes)
      for line in output.split(separator: "\n") where line.hasPrefix("noted ") {
        #expect(notes.contains(Int(line.dropFirst(6)) ?? -1), "\(line) was acknowledged, and is lost")
      }
      // snippet.end
      #expect(notes.count >= 20)
      await store.shutdown()
      await journal.close()
    }
  }
#endif
