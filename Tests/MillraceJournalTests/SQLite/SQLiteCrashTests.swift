#if SQLite
  import Foundation
  import MillraceJournal
  import MillraceVFS
  import Testing

  @Suite("Crashes of a SQLite journal")
  struct SQLiteCrashTests {
    /// The number of operations of the scenario, and whether the last of them are syncs.
    private func operations() async -> Int {
      let disk = Disk()
      var scenario = CrashScenario()
      await scenario.run(disk)
      return disk.operations
    }

    /// Runs the scenario once for each operation, with a fault there.
    private func expectPrefix(
      _ fault: millrace_fault, restarts: Bool, seeds: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      let count = await operations()
      #expect(count > 200, sourceLocation: sourceLocation)
      var failures: [String] = []
      for operation in 0..<count {
        for seed in 0..<seeds {
          let disk = Disk()
          disk.plan(fault, at: operation, seed: UInt64(operation * seeds + seed))
          var scenario = CrashScenario()
          await scenario.run(disk)
          if restarts { disk.restart() } else { disk.plan(.none) }
          for problem in await scenario.problems(disk) {
            failures.append("operation \(operation), seed \(seed): \(problem)")
          }
        }
      }
      #expect(failures == [], sourceLocation: sourceLocation)
    }

    @Test(
      "D2: After a crash before any write or sync, with any sectors kept, each log is a first part with every acknowledged batch"
    )
    func crash() async { await expectPrefix(.crash, restarts: true, seeds: 2) }

    @Test("D2: A crash in the middle of a write or of a sync splits no batch")
    func tornWrite() async { await expectPrefix(.torn, restarts: true, seeds: 2) }

    @Test(
      "D2: A write or a sync that fails loses no acknowledged batch, also when the machine then crashes",
      arguments: [true, false])
    func error(restarts: Bool) async { await expectPrefix(.error, restarts: restarts) }

    @Test("D2: A disk that is full from any operation on loses no acknowledged batch")
    func fullDisk() async { await expectPrefix(.full, restarts: true) }

    @Test(
      "A scenario without a fault has all its batches, also when the machine then crashes", arguments: [true, false])
    func noFault(restarts: Bool) async {
      let disk = Disk()
      var scenario = CrashScenario()
      await scenario.run(disk)
      if restarts { disk.restart() }
      #expect(await scenario.problems(disk) == [])
    }

    @Test("A failed sync ends the journal for all its keys")
    func failedSync() async throws {
      let count = await operations()
      var failedSyncs = 0
      for operation in 0..<count {
        let disk = Disk()
        disk.plan(.error, at: operation)
        guard let journal = try? await SQLiteJournal(Disk.file, disk.options()) else { continue }
        var scenario = CrashScenario()
        try? await scenario.write(to: journal)
        guard disk.failedSyncs > 0 else {
          await journal.close()
          continue
        }
        failedSyncs += 1
        let error = try #require(
          await journal.append([JournalBatch(1, "x")], to: "third", after: .start).failure)
        #expect(error.code == .failed && !error.isTransient)
        #expect(error.description.hasSuffix("open it again to see whether the batches in progress were stored."))
        #expect(disk.connections == 0)
        #expect(try await failure { _ = try await journal.texts("first") }.code == .failed)
        #expect(await scenario.problems(disk) == [])
        await journal.close()
      }
      #expect(failedSyncs > 20)
    }

    /// Runs the scenario with a failed sync, then in a process that opens the file again, and cuts the power.
    ///
    /// - Parameter cut: The operation of the second run at which the power is cut; nil for the time after it.
    /// - Returns: The number of operations of the second run, and the problems; nil if no sync has failed.
    private func runTwice(failingAt operation: Int, cut: Int?) async -> (operations: Int, problems: [String])? {
      let disk = Disk()
      disk.plan(.error, at: operation, seed: UInt64(operation))
      var scenario = CrashScenario()
      await scenario.run(disk)
      guard disk.failedSyncs > 0 else { return nil }
      disk.plan(
        cut.map { $0.isMultiple(of: 2) ? .crash : .torn } ?? .none, at: cut ?? 0, seed: UInt64(operation + (cut ?? 0)))
      await scenario.run(disk, batches: 9...10)
      let operations = disk.operations
      disk.restart()
      return (operations, await scenario.problems(disk))
    }

    @Test(
      "D1: A process that opens the file after a failed sync loses nothing that it acknowledges by a power cut at any operation"
    )
    func openedAfterFailedSync() async {
      var (failures, cuts) = ([String](), 0)
      for operation in 0..<(await operations()) {
        guard let (count, problems) = await runTwice(failingAt: operation, cut: nil) else { continue }
        for problem in problems { failures.append("sync \(operation), cut at the end: \(problem)") }
        for cut in stride(from: operation % 5, to: count, by: 5) {
          for problem in await runTwice(failingAt: operation, cut: cut)?.problems ?? [] {
            failures.append("sync \(operation), cut at \(cut): \(problem)")
          }
          cuts += 1
        }
      }
      #expect(failures == [])
      #expect(cuts > 500, "\(cuts)")
    }

    @Test("D1: An opening whose folder cannot be synchronized fails, and so does each further one until it can be")
    func folder() async throws {
      let disk = Disk()
      var options = disk.options()
      options.syncFolder = { EIO }
      for _ in 0..<2 {
        let error = try await failure { _ = try await SQLiteJournal(Disk.file, options) }
        #expect(error.code == .cannotOpen)
        #expect(
          error.description.hasPrefix("The folder of 'journal' cannot be synchronized (Input/output error), so a power")
        )
        #expect(disk.connections == 0)
      }
      let journal = try await SQLiteJournal(Disk.file, disk.options())
      #expect(await journal.append([JournalBatch(1, "1")], to: "first", after: .start).stored == 1)
      await journal.close()
    }

    @Test(
      "D1: A folder sync of SQLite that fails unnoticed loses nothing that was acknowledged, when the power is cut then"
    )
    func unnoticedFolderSync() async throws {
      let count = await operations()
      var failures: [String] = []
      for seed in 0..<8 {
        // The opening makes the file and the WAL, and all syncs of the folder are there.
        for operation in 0..<min(count, 40) {
          let disk = Disk()
          disk.plan(.error, at: operation, seed: UInt64(seed))
          guard let journal = try? await SQLiteJournal(Disk.file, disk.options()) else { continue }
          let stored = await journal.append([JournalBatch(1, "1")], to: "first", after: .start).stored
          disk.plan(.crash, seed: UInt64(seed))
          await journal.close()
          disk.restart()
          let texts = try? await disk.open().texts("first")
          if texts != (stored == 1 ? ["1"] : []), stored == 1 { failures.append("\(operation), seed \(seed)") }
          await disk.close()
        }
      }
      #expect(failures == [])
    }

    @Test("An error of a full disk says so, when a file is opened and when it fails")
    func fullDiskText() async throws {
      var found = 0
      for operation in 0..<20 {
        let disk = Disk()
        disk.plan(.full, at: operation)
        do {
          await (try await SQLiteJournal(Disk.file, disk.options())).close()
        } catch  where error.description.contains("is full") {
          #expect(error.code == .cannotOpen)
          #expect(
            error.description
              == "'journal' cannot be opened: database or disk is full; free space on its disk, and open it again.")
          found += 1
        } catch {}
      }
      #expect(found > 3)
      let disk = Disk()
      let journal = try await disk.open()
      disk.plan(.full)
      let error = await journal.append([JournalBatch(1, "1")], to: "first", after: .start).failure
      #expect(
        error?.description
          == "'journal' failed: database or disk is full; free space on its disk, close the journal, and open it again to see "
          + "whether the batches in progress were stored.")
      await disk.close()
    }

    @Test("A folder that cannot be written is an error with the fix, and nothing is changed")
    func protectedFolder() async throws {
      let disk = Disk()
      disk.protect(true)
      #expect(try await failure { _ = try await disk.open() }.code == .cannotOpen)
      disk.protect(false)
      var scenario = CrashScenario()
      await scenario.run(disk)
      disk.protect(true)
      // There is a file, and no room for its WAL.
      let error = try await failure { _ = try await disk.open() }
      #expect(error.code == .cannotOpen)
      #expect(error.description.hasSuffix("see that its folder can be written, or name another file."))
      disk.protect(false)
      #expect(await scenario.problems(disk) == [])
    }
  }
#endif
