#if SQLite
  import Foundation
  import MillraceVFS
  import Testing

  @testable import MillraceJournal

  @Suite("Large snapshots of a SQLite journal", .timeLimit(.minutes(5)))
  struct LargeSnapshotTests {
    /// The size of the parts in bytes.
    private static let part = 600

    private func open(_ folder: TemporaryFolder) async throws -> SQLiteJournal {
      var options = SQLiteJournalOptions()
      options.partBytes = Self.part
      options.files = OpenJournals()
      return try await SQLiteJournal(folder.file("journal").path, options)
    }

    private func snapshot(_ sequence: JournalSequence, _ size: Int) -> JournalSnapshot {
      JournalSnapshot(
        sequence: sequence, revision: size,
        payload: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ Int(sequence.number)) })
    }

    private func parts(_ path: String) throws -> Int {
      let connection = try SQLiteConnection(JournalPath(path), system: nil)
      defer { connection.close(leavesWAL: false) }
      var count = 0
      try SQLiteStatement(connection, "SELECT count(*) FROM parts").run {
        count = $0.int(0)
        return false
      }
      return count
    }

    @Test("A snapshot of any size comes back whole, and leaves no part of the one before it")
    func sizes() async throws {
      let folder = try TemporaryFolder()
      let path = folder.file("journal").path
      var journal = try await open(folder)
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      let part = Self.part
      for (size, expected) in [
        (3 * part + 7, 3), (part + 1, 1), (part, 0), (2 * part, 1), (part - 1, 0), (0, 0), (5 * part, 4), (1, 0),
      ] {
        for sequence in [1, 2] as [JournalSequence] where sequence == 2 || size == 3 * part + 7 {
          try await journal.store(snapshot(sequence, size), of: "a")
          #expect(try await journal.snapshot(of: "a") == snapshot(sequence, size))
        }
        await journal.close()
        #expect(try parts(path) == expected)
        journal = try await open(folder)
        #expect(try await journal.snapshot(of: "a") == snapshot(2, size))
      }
      try await journal.store(snapshot(2, 3 * part), of: "a")
      // An older one stores no part.
      try await journal.store(snapshot(1, 3 * part), of: "a")
      #expect(try await failure { try await journal.store(snapshot(3, 3 * part), of: "a") }.code == .ahead)
      try await journal.erase("a", claim: nil)
      await journal.close()
      #expect(try parts(path) == 0)
    }

    @Test("An append does not wait for all of a snapshot that is stored, but for a part of it")
    func between() async throws {
      let folder = try TemporaryFolder()
      let journal = try await open(folder)
      for key in ["a", "b"] as [JournalKey] { _ = await journal.append([JournalBatch(1, "1")], to: key, after: .start) }
      async let stored: Void = journal.store(snapshot(1, 500 * Self.part), of: "a")
      var last: JournalSequence = 1
      while try await journal.snapshot(of: "a") == nil {
        let number = last.number + 1
        #expect(await journal.append([JournalBatch(number, "x")], to: "b", after: last).stored == 1)
        last = last.advanced(by: 1)
      }
      try await stored
      // One transaction for each part, and calls share a transaction only where they wait together.
      #expect(last > 20)
      await journal.close()
    }

    @Test("Two processes that store a snapshot of a key at once leave one of the two whole")
    func together() async throws {
      let folder = try TemporaryFolder()
      let journals = [try await open(folder), try await open(folder)]
      _ = await journals[0].append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      let size = 4 * Self.part
      for _ in 0..<5 {
        await withTaskGroup { group in
          for (number, journal) in journals.enumerated() {
            group.addTask { try? await journal.store(snapshot(1, size + number), of: "a") }
          }
        }
        if let found = try await journals[0].snapshot(of: "a") {
          #expect(found == snapshot(1, size) || found == snapshot(1, size + 1))
        }
      }
      try await journals[1].store(snapshot(2, 1), of: "a")
      for journal in journals { await journal.close() }
      #expect(try parts(folder.file("journal").path) == 0)
    }

    @Test("A snapshot whose parts another process has deleted is refused, and the one of that process stays")
    func deletedParts() async throws {
      let folder = try TemporaryFolder()
      let journal = try await open(folder)
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      try await storeLate(JournalPath(folder.file("journal").path)) {
        try await journal.store(snapshot(1, Self.part), of: "a")
      }
      #expect(try await journal.snapshot(of: "a") == snapshot(1, Self.part))
      await journal.close()
    }

    /// Stores a snapshot of two parts and a rest, between which another process stores its own.
    private func storeLate(_ path: JournalPath, between other: () async throws -> Void) async throws {
      let connection = try SQLiteConnection(path, system: nil)
      // The statements are freed before the connection.
      defer { connection.close(leavesWAL: false) }
      let tables = JournalTables(connection, path, SQLiteJournalOptions())
      for number in 0..<2 {
        #expect(try tables.store(SnapshotPart(snapshot: 7, sequence: 1, number: number, payload: [1]), of: "a"))
      }
      try await other()
      let error = #expect(throws: JournalError.self) {
        try tables.store(snapshot(1, 1), checksum: 0, parts: (id: 7, count: 2), of: "a")
      }
      #expect(error?.code == .unavailable, "the writer repeats the call")
    }

    @Test("A crash at any operation while a snapshot is stored in parts leaves this one or the one before it, whole")
    func crash() async throws {
      let size = 4 * Self.part + 5
      func store(_ disk: Disk) async -> Bool {
        guard let journal = try? await SQLiteJournal(Disk.file, disk.options()) else { return false }
        let isStored = (try? await journal.store(snapshot(2, size), of: "a")) != nil
        await journal.close()
        return isStored
      }
      let original = Disk()
      let journal = try await original.open(largestBatch: 1_000)
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      try await journal.store(snapshot(1, size), of: "a")
      await original.close()
      let whole = Disk()
      whole.copy(original)
      #expect(await store(whole))
      let count = whole.operations
      #expect(count > 20)
      for operation in 0..<count {
        let disk = Disk()
        disk.copy(original)
        disk.plan(.crash, at: operation, seed: UInt64(operation))
        let isStored = await store(disk)
        disk.restart()
        let journal = try await disk.open()
        let found = try await journal.snapshot(of: "a")
        #expect(found == snapshot(2, size) || !isStored && found == snapshot(1, size), "operation \(operation)")
        try await journal.store(snapshot(2, 9), of: "a")
        #expect(try await journal.snapshot(of: "a") == snapshot(2, 9))
        await disk.close()
      }
    }
  }
#endif
