#if SQLite
  import MillraceVFS
  import Testing

  @testable import MillraceJournal

  @Suite("Crashes of a SQLite journal with many keys", .timeLimit(.minutes(5)))
  struct PartitionCrashTests {
    private static let names = ["a", "b", "c"]

    /// The work that a program has done in a partition before the crash.
    private struct Done {
      /// The payloads that each key was given, also those of the last append, whose result may be unknown.
      var given: [String: [String]] = [:]
      var acknowledged: [String: Int] = [:]
      var truncated: JournalSequence = .start
      var mayBeErased = false
      var isErased = false
    }

    /// Appends to three keys at once, each with the number of the round as its wake time, truncates one and erases another.
    private func run(_ disk: Disk) async -> Done {
      var done = Done()
      guard let journal = try? await SQLiteJournal(Disk.file, disk.options()) else { return done }
      do throws(JournalError) {
        let claim = try await journal.claim(.of("orders"), as: .now())
        for round in 1...5 as ClosedRange<UInt64> {
          let isOpen = Self.names.filter { !done.mayBeErased || $0 != "c" }
          let appends = isOpen.map { name in
            let last = JournalSequence(UInt64(done.given[name, default: []].count))
            let texts = (0..<2).map { "\(name) \(round).\($0) " + String(repeating: "x", count: Int(round) * 60) }
            done.given[name, default: []] += texts
            return JournalKeyAppend(
              [
                JournalBatch(
                  id: .init(writer: 1, number: round), entries: texts.map { .text($0) }, wake: .at(Int64(round)))
              ], to: .order(name), after: last)
          }
          for (name, result) in zip(isOpen, await journal.append(appends, claim: claim)) {
            if let failure = result.failure { throw failure }
            done.acknowledged[name] = Int(result.last.number)
          }
          if round == 3 {
            try await journal.store(JournalSnapshot(sequence: 4, revision: 4, payload: [4]), of: .order("a"))
            try await journal.truncate(.order("a"), through: 3)
            done.truncated = 3
            done.mayBeErased = true
            try await journal.erase(.order("c"), claim: claim)
            done.isErased = true
          }
        }
      } catch {}
      await journal.close()
      return done
    }

    /// The sentences about what is wrong with the journal that a restart finds.
    private func problems(_ journal: any PartitionedJournal, _ done: Done) async throws -> [String] {
      var problems: [String] = []
      let (items, _) = try await journal.partition("orders", upTo: 100)
      let keys = try await journal.keys(of: "orders", prefix: "", after: nil)
      var counts: Set<Int> = []
      for name in Self.names {
        let given = done.given[name, default: []]
        let last = Int(try await journal.lastSequence(of: .order(name)).number)
        guard keys.contains(.order(name)) else {
          let isExpected = name == "c" && done.mayBeErased || done.acknowledged[name] == nil && last == 0
          if !isExpected { problems.append("\(name) is missing") }
          continue
        }
        if name == "c", done.isErased { problems.append("c is not erased") }
        if last < done.acknowledged[name, default: 0] { problems.append("\(name) ends at \(last)") }
        if !done.mayBeErased { counts.insert(last) }
        let start = try await journal.snapshot(of: .order(name))?.sequence ?? .start
        if name == "a", start < done.truncated { problems.append("the snapshot of a is lost") }
        let records = try await journal.all(.order(name), after: start)
        if records.map(\.text) != Array(given[..<last].dropFirst(Int(start.number))) {
          problems.append("\(name) has \(records.map(\.text))")
        }
        let found = items.compactMap { item in
          if case .record(let record, let key) = item, key == .order(name), record.sequence > start {
            record
          } else {
            nil
          }
        }
        if found != records { problems.append("the partition has other records of \(name)") }
        let due = try await journal.due(in: .of("orders"), before: .max, after: nil, upTo: 9)
        if due.first(where: { $0.key == .order(name) })?.wake != Int64(last / 2) {
          problems.append("\(name) wakes at \(due)")
        }
      }
      // The append of a round is one transaction.
      if counts.count > 1 { problems.append("the keys end at \(counts)") }
      let positions = items.map(\.position)
      if positions != positions.sorted() || Set(positions).count != positions.count {
        problems.append("the positions are \(positions)")
      }
      let claim = try await journal.claim(.of("orders"), as: .now())
      let end = try await journal.records(ofPartition: .of("orders"), after: .start, upTo: .max).last
      for name in Self.names {
        let last = try await journal.lastSequence(of: .order(name))
        let next = await journal.append([.init(99, "next", to: name, after: last)], claim: claim)[0]
        if next.stored != 1 { problems.append("\(name) does not continue: \(next)") }
      }
      let added = try await journal.records(ofPartition: .of("orders"), after: end, upTo: .max).items.map(\.position)
      if added != (1...3).map({ JournalPosition(end.number + $0) }) { problems.append("positions go on with \(added)") }
      return problems
    }

    @Test(
      "K6: After a crash at any operation, records, positions, wake times and erasures of a partition fit one another",
      arguments: [millrace_fault.crash, .torn, .error, .full])
    func crash(_ fault: millrace_fault) async throws {
      let whole = Disk()
      let all = await run(whole)
      #expect(all.acknowledged == ["a": 10, "b": 10, "c": 6] && all.isErased)
      let count = whole.operations
      var failures: [String] = []
      for operation in 0..<count {
        let disk = Disk()
        disk.plan(fault, at: operation, seed: UInt64(operation))
        let done = await run(disk)
        disk.restart()
        let journal = try await disk.open()
        failures += try await problems(journal, done).map { "operation \(operation): \($0)" }
        await disk.close()
      }
      #expect(failures == [])
      let journal = try await whole.open()
      #expect(try await problems(journal, all) == [])
      await whole.close()
    }
  }
#endif
