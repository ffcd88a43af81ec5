#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal
  import MillraceTesting
  import Testing

  @Suite("Mutated rows of a SQLite journal", .timeLimit(.minutes(60)))
  struct MutatedJournalTests {
    /// `MILLRACE_MUTANTS` journals, or 600.
    private static var mutants: Range<UInt64> {
      0..<(ProcessInfo.processInfo.environment["MILLRACE_MUTANTS"].flatMap(UInt64.init) ?? 600)
    }

    /// A journal with two single keys, one of which has a snapshot, open runs and results of idempotency keys, two keys of many stores, and
    /// two that were erased.
    private func filled() async throws -> Disk {
      let (disk, gate) = (Disk(), Gate())
      let base = try await disk.open()
      let journal = UnsteadyJournal(base)
      var options = JournalOptions()
      options.snapshotRecords = 12
      let accounts = Accounts { _, _ in try await gate.enter() }
      let store = try await Store.open(
        initial: Accounts.State(), interactor: accounts, journal: journal, key: "accounts", options: options)
      let receipts = [store.send(.order(1)), store.send(.orderAgain(2))]
      try await gate.waitForArrivals(2)
      for amount in 1...10 { #expect(await store.send(.deposit(amount), key: "\(amount)").outcome.kind == .finished) }
      _ = try await journal.truncations.next()
      for amount in 1...4 { #expect(await store.send(.withdraw(amount), key: "-\(amount)").outcome.kind == .finished) }
      for number in 1...4 as ClosedRange<UInt64> {
        let batch = JournalBatch(number, "payload \(number)", "payload \(number)")
        #expect(await base.append([batch], to: "other", after: JournalSequence(number * 2 - 2)).stored == 1)
      }
      let claim = try await base.claim(.of("orders"), as: .now())
      for number in 1...3 as ClosedRange<UInt64> {
        let wake = JournalWake.at(Int64(number))
        let appends = ["a", "b", "c"].map { name in
          JournalKeyAppend(
            [JournalBatch(id: .init(writer: 1, number: number), entries: [.text("payload \(name)")], wake: wake)],
            to: .order(name), after: JournalSequence(number - 1))
        }
        #expect(await base.append(appends, claim: claim).allSatisfy { $0.stored == 1 })
      }
      try await base.erase(.order("c"), claim: claim)
      _ = await base.append([JournalBatch(1, "payload")], to: "erased", after: .start)
      try await base.erase("erased", claim: nil)
      // The process ends.
      await disk.close()
      withExtendedLifetime((store, receipts)) {}
      return disk
    }

    private func mutant(of original: Disk, seed: UInt64) throws -> (disk: Disk, change: String) {
      let disk = Disk()
      disk.copy(original)
      return (disk, try JournalMutator.mutate(disk, seed: seed, repairsChecksums: seed % 2 == 1))
    }

    /// Reads a journal, and stores and removes something in each of its logs.
    private func use(_ journal: any PartitionedJournal) async throws(JournalError) -> JournalContent {
      let content = try await JournalContent(journal)
      for key in content.keys {
        let last = try await journal.lastSequence(of: key)
        if let snapshot = content.snapshots[key]?.sequence, snapshot > last || last.number > 1 << 62 {
          throw JournalError(.ahead, "The snapshot of \(key) is at \(snapshot), and its log ends at \(last).")
        }
        let append = JournalKeyAppend([JournalBatch(1, "1", "2")], to: key, after: last)
        let appended =
          key.stores == nil
          ? await journal.append(append.batches, to: key, after: last)
          : await journal.append([append], claim: try await journal.claim(.of("orders"), as: .now()))[0]
        if let failure = appended.failure { throw failure }
        try await journal.store(JournalSnapshot(sequence: appended.last, revision: 1, payload: []), of: key)
        try await journal.truncate(key, through: last)
        _ = try await journal.all(key, after: last)
      }
      try await journal.erase(.order("a"), claim: try await journal.claim(.of("orders"), as: .now()))
      _ = try await journal.due(in: .of("orders"), before: .max, after: nil, upTo: 9)
      var position = JournalPosition.start
      while true {
        let page = try await journal.records(ofPartition: .of("orders"), after: position, upTo: 1)
        if page.position == page.last { break }
        if page.position <= position { throw JournalError(.ahead, "The partition is read without an end.") }
        position = page.position
      }
      return content
    }

    @Test(
      "A journal with a changed row is an error or as it was, and with right checksums an error or another journal"
    )
    func engine() async throws {
      let original = try await filled()
      let content = try await JournalContent(original.open())
      await original.close()
      var (problems, errors, others) = ([String](), 0, 0)
      for seed in Self.mutants {
        let (disk, change) = try mutant(of: original, seed: seed)
        do throws(JournalError) {
          let read = try await use(try await disk.open())
          if seed % 2 == 0, read != content { problems.append("\(change): is read") }
          if read != content { others += 1 }
        } catch {
          errors += 1
          if error.isTransient || error.code == .ahead { problems.append("\(change): \(error)") }
        }
        await disk.close()
      }
      #expect(problems == [])
      #expect(errors > Self.mutants.count / 3 && others > Self.mutants.count / 10, "\(errors), \(others)")
    }

    @Test("D2: Store.open is an error or a store behind any changed row, and never calls the journal without end")
    func store() async throws {
      let original = try await filled()
      var (problems, errors, stores) = ([String](), 0, 0)
      for seed in Self.mutants {
        let (disk, change) = try mutant(of: original, seed: seed)
        var journal: CountedJournal?
        do throws(JournalError) {
          let counted = CountedJournal(try await disk.open(), calls: 200)
          journal = counted
          let store = try await Store.open(
            initial: Accounts.State(), interactor: Accounts(), journal: counted, key: "accounts")
          _ = await store.send(.deposit(1)).outcome
          await store.shutdown(drainFor: .seconds(1))
          stores += 1
        } catch {
          errors += 1
          if error.isTransient || error.code == .ahead { problems.append("\(change): \(error)") }
        }
        if journal?.isExceeded == true { problems.append("\(change): the journal is called without end") }
        await disk.close()
      }
      #expect(problems == [])
      #expect(errors > Self.mutants.count / 3 && stores > Self.mutants.count / 10, "\(errors), \(stores)")
    }
  }
#endif
