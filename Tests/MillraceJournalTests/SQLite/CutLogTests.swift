#if SQLite
  import Millrace
  import MillraceJournal
  import MillraceTesting
  import Testing

  @Suite("Steps in a log that is cut", .timeLimit(.minutes(3)))
  struct CutLogTests {
    private static let names = ["a", "b", "c"]

    /// Opens a store whose handler does three steps, each with a mutation, and emits one mutation once.
    private func open(_ journal: any Journal, _ calls: Recorder<String>) async throws -> Store<Stepped> {
      try await Store.open(
        initial: [],
        interactor: Stepped { run, _ in
          for name in Self.names {
            try await run.step(name, commit: { [name] }) { _ in calls.record(name) }
          }
          run.emit("once", once: "once")
        }, journal: journal, key: "k")
    }

    @Test(
      "T1: a log that is cut in any frame has no result of a step without its mutation, and no mutation without its result"
    )
    func cut() async throws {
      let (whole, calls) = (Disk(), Recorder<String>())
      var options = whole.options()
      // All records stay in the file that is cut.
      options.checkpointPages = 10_000
      let journal = try await SQLiteJournal(Disk.file, options)
      // The transaction that makes the tables is cut by the tests of crashes.
      let tables = whole.size(Disk.wal)
      let store = try await open(journal, calls)
      #expect(await store.send(.handle(1)).outcome.kind == .finished)
      let (size, last) = (whole.size(Disk.wal), try await journal.lastSequence(of: "k"))
      var (sequences, called): ([JournalSequence], [Int]) = ([], [])
      // Each frame has a header of 24 bytes and a page; a cut in the middle of one is the same as at its beginning.
      let frame = 24 + options.pageSize
      for bytes in tables...size where bytes % 16 == 0 || (bytes - 32) % frame < 2 || (bytes - 31) % frame < 2 {
        let disk = Disk()
        disk.copy(whole)
        disk.cut(Disk.wal, after: bytes)
        let journal = try await disk.open(largestBatch: options.largestBatch)
        let sequence = try await journal.lastSequence(of: "k")
        // The log is the same as at the cut before, but behind each record.
        if sequence != sequences.last {
          sequences.append(sequence)
          called.append(try await continueRun(in: journal, sequence))
        }
        await disk.close()
      }
      await journal.close()
      // The last two may be stored at once.
      #expect(sequences.prefix(6) == [0, 1, 2, 3, 4, 5] && sequences.last == last, "the log ends behind each record")
      #expect(called.prefix(6) == [0, 0, 3, 2, 1, 0], "an epoch, a take-up, and three steps")
      #expect(called.dropFirst(6).allSatisfy { $0 == 0 }, "a mutation, and the end")
    }

    /// Opens the log, checks that its run commits each mutation once, and returns the number of bodies that are called.
    private func continueRun(in journal: any Journal, _ last: JournalSequence) async throws -> Int {
      let calls = Recorder<String>()
      let store = try await open(journal, calls)
      await store.shutdown(drainFor: .seconds(30))
      let state = await store.state
      #expect(state == (last.number < 2 ? [] : Self.names + ["once"]), "the log ended at \(last)")
      return calls.recorded.count
    }
  }
#endif
