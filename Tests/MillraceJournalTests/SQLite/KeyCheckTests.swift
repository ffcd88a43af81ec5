#if SQLite
  import Foundation
  import Testing

  @testable import MillraceJournal

  @Suite("The check of a file's keys", .timeLimit(.minutes(1)))
  struct KeyCheckTests {
    private static let keys = ["a", "b", "c", "d", "e", "f", "g"].map { JournalKey($0) }

    private func open(_ path: String, keysAtOnce: Int) async throws -> SQLiteJournal {
      var options = SQLiteJournalOptions()
      options.keysAtOnce = keysAtOnce
      return try await SQLiteJournal(path, options)
    }

    /// A file with seven keys, which is changed when it is closed.
    private func file(_ folder: TemporaryFolder, _ change: String = "") async throws -> String {
      let path = folder.file("journal").path
      let journal = try await open(path, keysAtOnce: 1_000)
      for key in Self.keys {
        #expect(await journal.append([JournalBatch(1, "1")], to: key, after: .start).stored == 1)
      }
      await journal.close()
      let connection = try SQLiteConnection(JournalPath(path), system: nil)
      try connection.run(change)
      connection.close(leavesWAL: false)
      return path
    }

    @Test("Keys are found, listed and made, in whatever parts they are checked", arguments: [1, 2, 3, 7, 8, 1_000])
    func intact(keysAtOnce: Int) async throws {
      let folder = try TemporaryFolder()
      let journal = try await open(file(folder), keysAtOnce: keysAtOnce)
      #expect(try await journal.lastSequence(of: "nothing") == .start)
      #expect(await journal.append([JournalBatch(1, "1")], to: "bb", after: .start).stored == 1)
      #expect(await journal.append([JournalBatch(1, "1")], to: "h", after: .start).stored == 1)
      let names = try await journal.keys(after: nil).map(\.name)
      #expect(names == ["a", "b", "bb", "c", "d", "e", "f", "g", "h"])
      #expect(try await journal.keys(after: "f").map(\.name) == ["g", "h"])
      await journal.close()
    }

    @Test(
      "A row that is damaged behind the first part forbids new keys and lists, and keys that are found stay in use",
      arguments: [
        ("UPDATE keys SET last=9 WHERE name='g'", "The row of the key \"g\" is not the one that was written"),
        ("DELETE FROM keys WHERE name='g'", "keys are missing"),
        ("DELETE FROM keys WHERE name='d'", "keys are missing"),
        ("UPDATE keys SET name='x' WHERE name='g'", "The row of the key \"x\" is not the one that was written"),
        // No search for the text finds it.
        (
          "UPDATE keys SET name=CAST(name AS BLOB) WHERE name='g'",
          "The row of the key \"g\" is not the one that was written"
        ),
      ])
    func damaged(change: String, reason: String) async throws {
      let folder = try TemporaryFolder()
      let journal = try await open(file(folder, change), keysAtOnce: 2)
      func expectDamage(_ error: JournalError?) {
        #expect(error?.code == .corrupt && error?.description.contains(reason) == true, "\(error as Any)")
      }
      for attempt in 2...3 as ClosedRange<UInt64> {
        expectDamage(await journal.append([JournalBatch(1, "1")], to: "new", after: .start).failure)
        expectDamage(try await failure { _ = try await journal.lastSequence(of: "new") })
        expectDamage(try await failure { _ = try await journal.snapshot(of: "new") })
        expectDamage(try await failure { _ = try await journal.keys(after: nil) })
        expectDamage(try await failure { _ = try await journal.keys(after: "c") })
        // Calls for keys that are there do not fail.
        #expect(await journal.append([JournalBatch(attempt, "2")], to: "a", after: .init(attempt - 1)).stored == 1)
        #expect(try await journal.lastSequence(of: "f") == 1)
      }
      await journal.close()
    }

    @Test("A row that is damaged in the first part is an error of the opening")
    func damagedAtOnce() async throws {
      let folder = try TemporaryFolder()
      let path = try await file(folder, "DELETE FROM keys WHERE name='d'")
      let error = try await failure { _ = try await open(path, keysAtOnce: 1_000) }
      #expect(error.code == .corrupt && error.description.contains("is damaged: keys are missing; restore the journal"))
    }

    @Test(
      "A key that another process makes during the check is none that is missing, and stands for none",
      arguments: [false, true])
    func otherProcess(isDamaged: Bool) async throws {
      let folder = try TemporaryFolder()
      try check(JournalPath(try await file(folder)), isDamaged: isDamaged)
    }

    private func check(_ path: JournalPath, isDamaged: Bool) throws {
      let (connection, otherConnection) = (
        try SQLiteConnection(path, system: nil), try SQLiteConnection(path, system: nil)
      )
      // The statements are freed before the connections.
      defer { for connection in [connection, otherConnection] { connection.close(leavesWAL: false) } }
      var options = SQLiteJournalOptions()
      options.keysAtOnce = 1
      let tables = JournalTables(connection, path, options)
      try tables.checkKeys()
      try addKeys(otherConnection, path, options)
      if isDamaged {
        try otherConnection.run("DELETE FROM keys WHERE name='e'")
        let error = #expect(throws: JournalError.self) { try tables.row(of: "new") }
        #expect(error?.description.contains("keys are missing") == true)
      } else {
        #expect(try tables.row(of: "new") == nil)
      }
      #expect(try tables.row(of: "z")?.last == 1)
    }

    private func addKeys(_ connection: SQLiteConnection, _ path: JournalPath, _ options: SQLiteJournalOptions) throws {
      let tables = JournalTables(connection, path, options)
      try tables.transaction {
        for key in ["0", "z"] as [JournalKey] {
          var none: PartitionRow?
          _ = try tables.append([JournalBatch(1, "1")], to: key, after: .start, in: &none)
        }
      }
    }

    @Test("Rows that do not stand in order, where no search finds them, are damage")
    func order() async throws {
      let folder = try TemporaryFolder()
      let connection = try SQLiteConnection(JournalPath(try await file(folder)), system: nil)
      defer { connection.close(leavesWAL: false) }
      var file = FileRow()
      file.keys = 7
      var check = KeyCheck(file)
      #expect(throws: KeyCheck.OutOfOrder.self) {
        try SQLiteStatement(connection, "SELECT \(KeyRow.columns) FROM keys ORDER BY name DESC").run {
          try check.take($0)
          return true
        }
      }
    }
  }
#endif
