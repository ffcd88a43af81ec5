#if SQLite
  import MillraceJournal
  import Testing

  /// A journal's user that writes to two keys until it is done or meets an error, and the check of what a restart finds.
  struct CrashScenario {
    /// The payloads of the batches that each key was given, also of the last one, whose result may be unknown.
    private var given: [JournalKey: [[String]]] = [:]
    /// The number of batches whose append has returned.
    private var acknowledged: [JournalKey: Int] = [:]
    private var snapshots: [JournalKey: JournalSequence] = [:]
    private var truncations: [JournalKey: JournalSequence] = [:]

    static let keys: [JournalKey] = ["first", "second"]

    /// Runs to the end, or to the first error.
    mutating func run(_ disk: Disk, _ files: OpenJournals = OpenJournals(), batches: ClosedRange<Int> = 1...8) async {
      guard let journal = try? await SQLiteJournal(Disk.file, disk.options(files)) else { return }
      try? await write(to: journal, batches: batches)
      await journal.close()
    }

    /// The same without closing.
    mutating func write(to journal: some Journal, batches: ClosedRange<Int> = 1...8) async throws {
      for key in Self.keys { try await readEnd(of: key, in: journal) }
      for number in batches {
        for key in Self.keys {
          // Some are longer than a page.
          let batch = (0..<number % 3 + 1).map {
            "\(key) \(number).\($0) " + String(repeating: "x", count: number * $0 * 40)
          }
          let last = JournalSequence(UInt64(given[key, default: []].joined().count))
          given[key, default: []].append(batch)
          let result = await journal.append([JournalBatch(UInt64(number), batch)], to: key, after: last)
          if let failure = result.failure { throw failure }
          acknowledged[key, default: 0] += 1
          guard number % 4 == 3 else { continue }
          let payload = [UInt8](repeating: UInt8(number), count: 700)
          try await journal.store(JournalSnapshot(sequence: last, revision: number, payload: payload), of: key)
          snapshots[key] = last
          try await journal.truncate(key, through: last)
          truncations[key] = last
        }
      }
    }

    /// Forgets the batch of an earlier run that was not stored.
    private mutating func readEnd(of key: JournalKey, in journal: some Journal) async throws {
      let last = try await journal.lastSequence(of: key)
      if given[key, default: []].joined().count > last.number { given[key]?.removeLast() }
    }

    /// The sentences about what is wrong with the journal that a restart finds.
    func problems(_ disk: Disk) async -> [String] {
      var problems: [String] = []
      do {
        let journal = try await disk.open()
        for key in Self.keys { problems += try await self.problems(journal, key) }
      } catch {
        problems.append("the journal cannot be read: \(error)")
      }
      await disk.close()
      return problems
    }

    private func problems(_ journal: any Journal, _ key: JournalKey) async throws -> [String] {
      let given = given[key, default: []]
      let ends = given.reduce(into: [0]) { $0.append($0.last! + $1.count) }
      let last = try await journal.lastSequence(of: key)
      var problems: [String] = []
      if !ends.contains(Int(last.number)) { problems.append("\(key): a batch is split, the log ends at \(last)") }
      if Int(last.number) < ends[acknowledged[key, default: 0]] {
        problems.append("\(key): an acknowledged batch is lost, the log ends at \(last)")
      }
      let snapshot = try await journal.snapshot(of: key)
      if snapshot?.sequence ?? .start < snapshots[key] ?? .start { problems.append("\(key): a snapshot is lost") }
      var start = JournalSequence.start
      do {
        _ = try await journal.records(of: key, after: start)
      } catch {
        guard error.code == .truncated else { throw error }
        start = try #require(error.sequence)
      }
      if start < truncations[key] ?? .start { problems.append("\(key): a truncation is lost") }
      if start > snapshot?.sequence ?? .start { problems.append("\(key): the snapshot covers less than was truncated") }
      let texts = try await journal.texts(key, after: start)
      if texts != Array(given.joined().prefix(Int(last.number)).dropFirst(Int(start.number))) {
        problems.append("\(key): the records are not a first part of those that were given")
      }
      let next = await journal.append([JournalBatch(1, ["after"], writer: 2)], to: key, after: last)
      if next.stored != 1 { problems.append("\(key): the log does not continue: \(next)") }
      return problems
    }
  }
#endif
