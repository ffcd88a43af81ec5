#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal
  import Testing

  @Suite("A second process at a journal", .timeLimit(.minutes(5)))
  struct SecondProcessTests {
    @Test("D4: of 12 openings beside four senders of another process each one takes a log over")
    func besideSenders() async throws {
      let folder = try JournalFolder()
      let process = try ChildProcess("MillraceJournalKill", [folder.path(), "0"])
      defer { process.send(SIGKILL) }
      _ = await process.lines(20)
      async let rest = process.rest
      for number in 1...12 {
        let journal = try await SQLiteJournal(folder.path())
        let store = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "other")
        #expect(await store.send(.note(number)).outcome.kind == .finished)
        #expect(await store.state.count == number, "it has what the openings before have stored")
        await store.shutdown()
        await journal.close()
      }
      process.send(SIGKILL)
      #expect(await rest.split(separator: "\n").count > 12, "the senders continue")
      #expect(await process.end == .signal(SIGKILL))
    }
  }
#endif
