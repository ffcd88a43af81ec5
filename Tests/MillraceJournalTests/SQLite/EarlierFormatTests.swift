#if SQLite
  import Foundation
  import Millrace
  import MillraceTesting
  import MillraceVFS
  import Testing

  @testable import MillraceJournal

  /// `Files/version-1.journal` was written by a program of version 1 of the format: a store of `Accounts` with an open run, a log of 61
  /// records of which a snapshot covers 21, and four keys with one record each.
  @Suite("Files of version 1 of the format", .timeLimit(.minutes(5)))
  struct EarlierFormatTests {
    private static let keys: [JournalKey] = ["", "a\0b", "accounts", "e\u{301}", "raw", "é"]

    /// The file.
    private func bytes() throws -> [UInt8] {
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      return [UInt8](try Data(contentsOf: tests.appending(path: "Files/version-1.journal")))
    }

    private func file(_ folder: TemporaryFolder) throws -> String {
      let file = folder.file("journal")
      try Data(try bytes()).write(to: file)
      return file.path
    }

    /// The sentences about what is wrong with a journal that has what the file had.
    private func problems(_ journal: any Journal) async throws(JournalError) -> [String] {
      let content = try await JournalContent(journal)
      var problems: [String] = []
      if content.keys != Self.keys { problems.append("the keys are \(content.keys)") }
      let raw = (1...30).flatMap { ["entry \($0)", "and \($0)"] }
      let texts = [["of 0"], ["of 3"], nil, ["of 3"], Array(raw.dropFirst(20)), ["of 2"]]
      for (key, texts) in zip(Self.keys, texts) {
        guard let texts else { continue }
        let found = content.records[key]?.map(\.text)
        if found != texts { problems.append("\(key) has \(found ?? [])") }
        if content.records[key]?.contains(where: { $0.time != nil || $0.position != nil }) != false {
          problems.append("\(key) has times or positions")
        }
      }
      let snapshot = JournalSnapshot(sequence: 21, revision: 9, payload: Array(0...255), schemaVersion: 3)
      if content.snapshots != ["raw": snapshot] { problems.append("the snapshots are others") }
      if content.records["accounts"]?.map(\.entry.kind) != [.epoch, .decided, .takeUp, .emit, .decided] {
        problems.append("the log of the store is another one")
      }
      return problems
    }

    @Test("A file of version 1 has what it had, and is continued as one of version 2")
    func continued() async throws {
      let folder = try TemporaryFolder()
      let path = try file(folder)
      for _ in 0..<2 {
        let journal = try await SQLiteJournal(path)
        #expect(try await problems(journal) == [])
        await journal.close()
      }
      let journal = try await SQLiteJournal(path)
      let batch = JournalBatch(id: .init(writer: 1, number: 99), entries: [.text("new")], time: 5)
      #expect(await journal.append([batch], to: "raw", after: 61).last == 62)
      #expect(try await journal.all("raw", after: 60).map(\.time) == [nil, 5])
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim).map(\.stored) == [1])
      try await journal.erase("é", claim: nil)
      #expect(try await journal.truncate("raw", through: 21) == 21)
      await journal.close()
      let again = try await SQLiteJournal(path)
      #expect(try await again.keys(after: nil) == Self.keys.dropLast())
      #expect(try await again.texts("raw", after: 61) == ["new"])
      #expect(try await again.texts(.order("a")) == ["1"])
      await again.close()
    }

    @Test("A store whose log a program of version 1 wrote is restored, with its open run and the answers of its keys")
    func store() async throws {
      let folder = try TemporaryFolder()
      let journal = try await SQLiteJournal(try file(folder))
      let gate = Gate()
      var configuration = StoreConfiguration()
      configuration.wallTime = { 1_764_000_001_000 }
      let store = try await Store.open(
        initial: Accounts.State(), interactor: Accounts { _, amount in try await gate.enter() }, journal: journal,
        key: "accounts", configuration: configuration)
      #expect(await store.state.balance == 15)
      let repeated = store.send(.orderAgain(3), key: "job")
      try await gate.waitForArrivals()
      #expect(await store.send(.deposit(100), key: "request").outcome.kind == .finished)
      gate.open()
      #expect(await repeated.outcome.kind == .finished)
      #expect(await store.state == Accounts.State(balance: 15))
      await store.shutdown()
      await journal.close()
    }

    @Test("A crash before any write of the move, or in the middle of one, leaves everything in a file that moves again")
    func crash() async throws {
      let original = Disk()
      original.write(Disk.file, try bytes())
      let whole = Disk()
      whole.copy(original)
      let moved = try await SQLiteJournal(Disk.file, whole.options())
      let count = whole.operations
      await moved.close()
      #expect(count > 30)
      var failures: [String] = []
      for fault in [millrace_fault.crash, .torn, .error, .full] {
        for operation in 0..<count {
          let disk = Disk()
          disk.copy(original)
          disk.plan(fault, at: operation, seed: UInt64(operation))
          if let journal = try? await SQLiteJournal(Disk.file, disk.options()) { await journal.close() }
          disk.restart()
          do throws(JournalError) {
            let journal = try await disk.open()
            failures += try await problems(journal).map { "\(fault.rawValue) at \(operation): \($0)" }
          } catch {
            failures.append("\(fault.rawValue) at \(operation): \(error)")
          }
          await disk.close()
        }
      }
      #expect(failures == [])
    }

    @Test("Two processes that open a file of version 1 at once both have it")
    func together() async throws {
      let folder = try TemporaryFolder()
      let path = try file(folder)
      try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var options = SQLiteJournalOptions()
            options.files = OpenJournals()
            let journal = try await SQLiteJournal(path, options)
            let problems = try await problems(journal)
            await journal.close()
            return problems
          }
        }
        for try await problems in group { #expect(problems == []) }
      }
    }

    @Test(
      "A file of version 1 without its tables is damaged, and is left as it is",
      arguments: ["DROP TABLE keys", "DROP TABLE snapshots", "CREATE TABLE erased(x)"])
    func damaged(change: String) async throws {
      let folder = try TemporaryFolder()
      let path = try file(folder)
      let connection = try SQLiteConnection(JournalPath(path), system: nil)
      try connection.run(change)
      connection.close(leavesWAL: false)
      for _ in 0..<2 {
        let error = try await failure { _ = try await SQLiteJournal(path) }
        #expect(error.code == .corrupt)
        #expect(error.description.contains("is damaged: its tables are not those of version 1"))
      }
    }
  }
#endif
