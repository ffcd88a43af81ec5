#if SQLite
  import Foundation
  import MillraceVFS
  import Testing

  @testable import MillraceJournal

  /// A journal in a file of this machine.
  private struct FileFixture: StoredJournalFixture {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.file("journal").path }

    func open(largestBatch: Int) async throws(JournalError) -> any PartitionedJournal {
      try await SQLiteJournal(path, largestBatch: largestBatch)
    }

    func damage(_ payload: String) async throws {
      var bytes = [UInt8](try Data(contentsOf: folder.file("journal")))
      bytes.flipBit(of: payload)
      try Data(bytes).write(to: folder.file("journal"))
    }
  }

  @Suite("SQLite journal")
  struct SQLiteJournalTests {
    @Test(
      "The contract holds for a journal in a file",
      arguments: JournalConformance.all + JournalConformance.changing + JournalConformance.beginning)
    func conformance(_ conformance: JournalConformance) async throws {
      try await conformance.check(FileFixture())
    }

    @Test("Damage of a file is found", arguments: DamageConformance.all)
    func damage(_ conformance: DamageConformance) async throws {
      try await conformance.check(FileFixture())
    }

    @Test("Damage of a file with small pages is found", arguments: DamageConformance.all)
    func damageOfSmallPages(_ conformance: DamageConformance) async throws {
      let disk = Disk()
      try await conformance.check(disk)
      await disk.close()
    }

    @Test("The contract holds with small pages and frequent checkpoints", arguments: JournalConformance.all)
    func smallPages(_ conformance: JournalConformance) async throws {
      let disk = Disk()
      try await conformance.check(disk)
      await disk.close()
    }

    @Test("A file that is open in this process is not opened a second time, by no path")
    func openTwice() async throws {
      let fixture = try FileFixture()
      let journal = try await fixture.open()
      let link = fixture.folder.file("link").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
      for path in [
        fixture.path, link, fixture.folder.url.path + "/../" + fixture.folder.url.lastPathComponent + "/journal",
      ] {
        let error = try await failure { _ = try await SQLiteJournal(path) }
        #expect(
          error.code == .inUse && error.description.contains("is open in this process already; share one journal"))
      }
      await journal.close()
      await (try await SQLiteJournal(link)).close()
    }

    @Test("Eight processes at once make a file, and open it")
    func openAtOnce() async throws {
      let fixture = try FileFixture()
      for round in 0..<3 as Range<UInt64> {
        let results = await withTaskGroup(of: JournalError?.self) { group in
          for _ in 0..<8 {
            group.addTask {
              var options = SQLiteJournalOptions()
              options.files = OpenJournals()
              do throws(JournalError) {
                let journal = try await SQLiteJournal(fixture.path, options)
                await journal.close()
                return nil
              } catch {
                return error
              }
            }
          }
          return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
        }
        #expect(results.isEmpty, "round \(round): \(results)")
      }
    }

    @Test("A folder that is missing, and a path without a file, are errors with the fix")
    func missingFolder() async throws {
      let folder = try TemporaryFolder()
      let error = try await failure { _ = try await SQLiteJournal(folder.file("none/journal").path) }
      #expect(error.code == .cannotOpen)
      #expect(
        error.description.hasSuffix("cannot be found (No such file or directory); make it, or name another file."))
      for path in ["", "/", folder.url.path + "/", folder.url.path + "/none/", "a\0b"] {
        let error = try await failure { _ = try await SQLiteJournal(path) }
        #expect(
          error.code == .cannotOpen && error.description.hasSuffix("give the path of the journal file."), "\(path)")
      }
      #expect(try await failure { _ = try await SQLiteJournal(folder.url.path) }.code == .cannotOpen)
      try Data().write(to: folder.file("file"))
      #expect(
        try await failure { _ = try await SQLiteJournal(folder.file("file/journal").path) }.description
          .contains("cannot be found (Not a directory)"))
      #expect(try folder.names() == ["file"])
    }

    @Test("A file of something else is an error with the fix, and is left as it is")
    func foreignFile() async throws {
      let fixture = try FileFixture()
      let text = Data(String(repeating: "This is no database. ", count: 100).utf8)
      try text.write(to: fixture.folder.file("journal"))
      var error = try await failure { _ = try await fixture.open() }
      #expect(error.code == .notAJournal)
      #expect(
        error.description.hasSuffix(
          "is no database, and is left as it is; give the journal the name of a file of its own."))
      #expect(try Data(contentsOf: fixture.folder.file("journal")) == text)
      try FileManager.default.removeItem(atPath: fixture.path)
      try Self.change(fixture.path, "CREATE TABLE t(x); PRAGMA user_version=1")
      let database = try Data(contentsOf: fixture.folder.file("journal"))
      error = try await failure { _ = try await fixture.open() }
      #expect(error.code == .notAJournal && error.description.contains("is a database of another program"))
      #expect(try Data(contentsOf: fixture.folder.file("journal")) == database)
      #expect(try fixture.folder.names() == ["journal"])
    }

    @Test("A file of another version, and one whose tables were changed, are errors with the fix")
    func changedFile() async throws {
      let fixture = try FileFixture()
      await (try await fixture.open()).close()
      try Self.change(fixture.path, "PRAGMA user_version=3")
      var error = try await failure { _ = try await fixture.open() }
      #expect(error.code == .otherVersion)
      #expect(error.description.contains("has version 3 of the format, and this program reads versions 1 to 2"))
      try Self.change(fixture.path, "PRAGMA user_version=2; CREATE TABLE t(x)")
      error = try await failure { _ = try await fixture.open() }
      #expect(error.code == .corrupt && error.description.contains("the tables are not those of a journal"))
    }

    @Test("A file with the tables of ANALYZE is a journal")
    func analyzed() async throws {
      let fixture = try FileFixture()
      var journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      await journal.close()
      try Self.change(fixture.path, "ANALYZE")
      journal = try await fixture.open()
      #expect(try await journal.texts("a") == ["1"])
    }

    @Test("The WAL of a large transaction is cut to 8 MiB behind its checkpoint")
    func largeWAL() async throws {
      let fixture = try FileFixture()
      let journal = try await fixture.open(largestBatch: 1 << 24)
      let size = { try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")[.size] as? Int ?? 0 }
      #expect(
        await journal.append(
          [JournalBatch(1, String(repeating: "x", count: 12 << 20))], to: "a", after: .start
        ).stored == 1)
      #expect(try size() > 12 << 20)
      _ = await journal.append([JournalBatch(2, "2")], to: "a", after: 1)
      #expect(try size() == JournalSchema.largestWAL)
    }

    @Test("A record or a key that is missing is found")
    func missingRows() async throws {
      let changes: [(sql: String, sequence: JournalSequence?)] = [
        ("DELETE FROM records WHERE sequence=2", 2), ("DELETE FROM records WHERE sequence>=2", 2),
        ("UPDATE records SET sequence=4 WHERE sequence=3", 3), ("UPDATE records SET key=9 WHERE key=1", 1),
        // The records of two keys that have the same payloads are exchanged.
        ("UPDATE records SET key=-key; UPDATE records SET key=3+key", 1),
        ("UPDATE keys SET last=2 WHERE name='a'", nil), ("UPDATE keys SET name='c' WHERE name='b'", nil),
        ("DELETE FROM keys WHERE name='b'", nil), ("UPDATE file SET keys=1", nil), ("DELETE FROM snapshots", nil),
      ]
      for change in changes {
        let fixture = try FileFixture()
        let journal = try await fixture.open()
        for key in ["a", "b"] as [JournalKey] {
          _ = await journal.append((1...3).map { JournalBatch($0, "same") }, to: key, after: .start)
          try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: []), of: key)
        }
        await journal.close()
        try Self.change(fixture.path, change.sql)
        let error = try await failure {
          let journal = try await fixture.open()
          for key in ["a", "b"] as [JournalKey] {
            _ = try await journal.all(key)
            _ = try await journal.snapshot(of: key)
          }
        }
        #expect(error.code == .corrupt && error.sequence == change.sequence, "\(change.sql)")
      }
    }

    @Test("Nothing is stored of a batch that meets a record behind the last one, and the batches before it stay")
    func strayRecord() async throws {
      let fixture = try FileFixture()
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1"), JournalBatch(2, "2")], to: "a", after: .start)
      let stray =
        "INSERT INTO records SELECT key, 5, writer, batch, kind, version, revision, payload, chain, time, NULL FROM records"
      try Self.change(fixture.path, "\(stray) WHERE sequence=1")
      let result = await journal.append([JournalBatch(3, "3"), JournalBatch(4, "4", "5")], to: "a", after: 2)
      #expect(result.stored == 1 && result.last == 3)
      #expect(result.failure?.code == .corrupt && result.failure?.sequence == 5)
      try Self.change(fixture.path, "DELETE FROM records WHERE sequence=5")
      #expect(try await journal.texts("a") == ["1", "2", "3"])
    }

    @Test("A lock of another process is a transient error, and stores nothing")
    func locked() async throws {
      let fixture = try FileFixture()
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      let other = try SQLiteConnection(JournalPath(fixture.path), system: nil)
      try other.run("BEGIN IMMEDIATE")
      let error = try #require(await journal.append([JournalBatch(2, "2")], to: "a", after: 1).failure)
      #expect(error.code == .unavailable && error.isTransient)
      #expect(error.description.hasSuffix("is locked by another process; repeat the call later."))
      #expect(try await journal.texts("a") == ["1"])
      try other.run("ROLLBACK")
      other.close(leavesWAL: true)
      #expect(await journal.append([JournalBatch(2, "2")], to: "a", after: 1).stored == 1)
    }

    @Test("A write waits 20 milliseconds for a lock of another process, and opening longer")
    func shortLock() async throws {
      let disk = Disk()
      let journal = try await disk.open()
      disk.lock(milliseconds: 19)
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      disk.lock(milliseconds: 21)
      #expect(await journal.append([JournalBatch(2, "2")], to: "a", after: 1).failure?.code == .unavailable)
      disk.lock(milliseconds: 1_000)
      let other = try await disk.open()
      #expect(await other.append([JournalBatch(2, "2")], to: "a", after: 1).stored == 1)
      await disk.close()
    }

    @Test("Calls that wait at the same time are stored by one sync, and a conflict stops its own key alone")
    func group() async throws {
      let disk = Disk()
      var options = disk.options()
      options.checkpointPages = 10_000
      let journal = try await SQLiteJournal(Disk.file, options)
      _ = await journal.append([JournalBatch(1, "taken")], to: "key 7", after: .start)
      let gate = DispatchSemaphore(value: 0)
      await withCheckedContinuation { continuation in
        journal.queue.add(
          JournalCall(
            access: .read,
            perform: { _ in
              continuation.resume()
              gate.wait()
              return {}
            }, refuse: { _ in }))
      }
      let syncs = disk.syncs
      let (stream, results) = AsyncStream.makeStream(of: (Int, JournalAppend).self)
      for key in 0..<20 {
        journal.queue.add(
          SQLiteJournal.appending([JournalBatch(2, "\(key)")], to: JournalKey("key \(key)"), after: .start) {
            results.yield((key, $0))
          })
      }
      gate.signal()
      let found = await stream.prefix(20).reduce(into: [Int: JournalAppend]()) { $0[$1.0] = $1.1 }
      #expect(disk.syncs == syncs + 1)
      for key in 0..<20 {
        #expect(found[key]?.failure?.code == (key == 7 ? .conflict : nil))
        #expect(try await journal.texts(JournalKey("key \(key)")) == [key == 7 ? "taken" : "\(key)"])
      }
      await journal.close()
    }

    @Test("A journal that is released closes its file")
    func release() async throws {
      let disk = Disk()
      var journal: SQLiteJournal? = try await SQLiteJournal(Disk.file, disk.options())
      let queue = try #require(journal).queue
      _ = await journal?.append([JournalBatch(1, "1")], to: "a", after: .start)
      journal = nil
      await queue.waitForEnd()
      #expect(disk.size(Disk.wal) == 0)
      #expect(try await disk.open().texts("a") == ["1"])
      await disk.close()
    }

    /// Changes a file by SQLite.
    private static func change(_ path: String, _ sql: String) throws {
      let connection = try SQLiteConnection(JournalPath(path), system: nil)
      defer { connection.close(leavesWAL: false) }
      try connection.run(sql)
    }
  }
#endif
