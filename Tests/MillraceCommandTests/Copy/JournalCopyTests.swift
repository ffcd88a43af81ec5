#if SQLite && Postgres
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal
  import MillracePostgres
  import MillraceTesting
  import Testing

  @testable import MillraceCommand

  /// The directions in which keys are copied.
  enum CopyDirection: CaseIterable {
    case toServer, toFile
  }

  @Suite("Copies of keys between a file and a server", .timeLimit(.minutes(2)))
  struct JournalCopyTests {
    private let folder: Folder
    private let schema: TestSchema
    /// The sentences about keys that are not copied.
    private let sentences = Recorder<String>()
    /// The texts that were shown on the terminal.
    private let screen = Recorder<String>()

    init() async throws {
      folder = try Folder()
      schema = try await TestSchema()
    }

    private func open(_ direction: CopyDirection) async throws -> (any CheckedJournal, any CheckedJournal) {
      let (file, server) = (try await SQLiteJournal(folder.file("j").path), try await schema.open())
      return direction == .toServer ? (file, server) : (server, file)
    }

    private func copy(
      _ source: any CheckedJournal, _ target: any CheckedJournal, of stores: String? = nil, prefix: String = ""
    ) async throws -> Result<String, CommandFailure> {
      let line = StatusLine(columns: { 300 }) { [screen] in screen.record($0) }
      let copy = JournalCopy(
        from: source, to: target, places: ("'here'", "'there'"), command: "millrace journal", line: line
      ) { [sentences] in sentences.record($0) }
      do {
        return .success(try await copy.run(of: stores, prefix: prefix))
      } catch let failure as CommandFailure {
        return .failure(failure)
      }
    }

    /// Appends records to one of the stores `orders`, with the wake time.
    private func add(
      _ texts: [String], to name: String, in journal: any CheckedJournal, after last: JournalSequence = .start,
      wake: JournalWake
    ) async throws {
      let count = try await journal.partitions(of: "orders")
      let claim = try await journal.claim(JournalPartition(of: "orders", holding: name, among: count), as: .now())
      let batch = JournalBatch(last.number + 1, texts.map { JournalEntry(.emit, $0) }, wake: wake)
      let part = JournalKeyAppend([batch], to: JournalKey(name, of: "orders"), after: last)
      #expect(await journal.append([part], claim: claim).map(\.stored) == [1])
    }

    /// A log of three records, of which the first one is removed and the second one is covered by the snapshot too.
    private func addTruncated(to journal: any CheckedJournal) async throws {
      let batches = ["1", "2", "3"].enumerated().map { number, text in
        JournalBatch(
          id: .init(writer: 7, number: UInt64(number)),
          entries: [JournalEntry(kind: .step, payload: Array(text.utf8), schemaVersion: 2, revision: number)],
          time: Int64(number))
      }
      #expect(await journal.append(batches, to: "cut", after: .start).stored == 3)
      try await journal.store(
        JournalSnapshot(sequence: 2, revision: 2, payload: Array("two".utf8), schemaVersion: 3), of: "cut")
      try await journal.truncate("cut", through: 1)
    }

    private func expectSame(
      _ key: JournalKey, _ source: any CheckedJournal, _ target: any CheckedJournal,
      after removed: JournalSequence = .start
    ) async throws {
      let (records, copies) = (
        try await source.records(of: key, after: removed), try await target.records(of: key, after: removed)
      )
      #expect(copies.last == records.last && !copies.records.isEmpty || copies.last == removed)
      #expect(copies.records.map(\.entry) == records.records.map(\.entry))
      #expect(copies.records.map(\.batch) == records.records.map(\.batch))
      #expect(copies.records.map(\.sequence) == records.records.map(\.sequence))
      #expect(copies.records.map(\.time) == records.records.map(\.time))
      #expect(try await target.snapshot(of: key) == source.snapshot(of: key))
      #expect(try await target.wake(of: key) == source.wake(of: key))
    }

    @Test(
      "Keys of single and of many stores are copied with snapshots, removed records and wake times",
      arguments: CopyDirection.allCases)
    func all(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      await source.add("1", "2", to: "a")
      try await addTruncated(to: source)
      try await add(["1"], to: "x", in: source, wake: .at(5))
      try await add(["1"], to: "y", in: source, wake: .now)
      try await add(["1", "2"], to: "z", in: source, wake: .at(9))
      let z = JournalKey("z", of: "orders")
      try await source.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1]), of: z)
      try await source.truncate(z, through: 2)
      #expect(
        try await copy(source, target).get()
          == "Copied 5 keys, 6 records and 2 snapshots to 'there', and read them back.")
      #expect(sentences.recorded == [])
      #expect(screen.recorded.contains("\r\u{1B}[Kkey 5 of 5, 6 records copied"))
      try await expectSame("a", source, target)
      try await expectSame("cut", source, target, after: 1)
      #expect(try await target.lastRemoved(of: "cut") == 1)
      for name in ["x", "y"] { try await expectSame(JournalKey(name, of: "orders"), source, target) }
      try await expectSame(z, source, target, after: 2)
      #expect(try await copy(source, target).get() == "Copied nothing to 'there'; 5 keys were there already.")
      let part = JournalKey("a")
      #expect(await target.append([JournalBatch(9, [JournalEntry(.emit, "3")])], to: part, after: 2).stored == 1)
      for journal in [source, target] { await journal.close() }
    }

    @Test("A copy in a new file can be read by its owner only")
    func mode() async throws {
      let path = folder.file("copy").path
      await (try await JournalPlace.file(path).open(to: .filling)).close()
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
      "A copy that is repeated gets what was appended since, and a newer snapshot", arguments: CopyDirection.allCases)
    func again(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      await source.add("1", to: "a")
      try await add(["1"], to: "x", in: source, wake: .at(5))
      _ = try await copy(source, target).get()
      #expect(await source.append([JournalBatch(2, [JournalEntry(.emit, "2")])], to: "a", after: 1).stored == 1)
      try await source.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1]), of: "a")
      try await add(["2"], to: "x", in: source, after: 1, wake: .never)
      #expect(
        try await copy(source, target).get()
          == "Copied 2 keys, 2 records and 1 snapshot to 'there', and read them back.")
      try await expectSame("a", source, target)
      try await expectSame(JournalKey("x", of: "orders"), source, target)
      for journal in [source, target] { await journal.close() }
    }

    @Test(
      "A copy that was interrupted behind the beginning of a log, or within it, continues",
      arguments: CopyDirection.allCases)
    func interrupted(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      try await addTruncated(to: source)
      await source.add("1", to: "a")
      #expect(await source.append([JournalBatch(2, [JournalEntry(.emit, "2")])], to: "a", after: 1).stored == 1)
      await target.add("1", to: "a")
      try await target.begin("cut", after: 1, wake: nil, claim: nil)
      #expect(
        try await copy(source, target).get()
          == "Copied 2 keys, 3 records and 1 snapshot to 'there', and read them back.")
      try await expectSame("cut", source, target, after: 1)
      try await expectSame("a", source, target)
      for journal in [source, target] { await journal.close() }
    }

    @Test(
      "Keys of more than one page are copied together in either direction, also beside long logs, and a repeated copy finds all",
      arguments: CopyDirection.allCases)
    func many(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      let names = (1_000..<2_100).map { "\($0)" }
      await withTaskGroup { group in
        for name in names { group.addTask { await source.add("1", name, to: JournalKey(name)) } }
      }
      let long = JournalBatch(1, (0..<300).map { JournalEntry(.emit, "\($0)") })
      #expect(await source.append([long], to: "1500 long", after: .start).stored == 1)
      try await source.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1]), of: "1000")
      for number in 0..<8 {
        try await add(
          ["1", "\(number)"], to: "x\(number)", in: source, wake: number.isMultiple(of: 2) ? .at(5) : .never)
      }
      #expect(
        try await copy(source, target).get()
          == "Copied 1109 keys, 2516 records and 1 snapshot to 'there', and read them back.")
      #expect(screen.recorded.contains("\r\u{1B}[Kkey 1109 of 1109, 2516 records copied"))
      for key in ["1000", "1500 long", "2099"] as [JournalKey] { try await expectSame(key, source, target) }
      for number in 0..<8 { try await expectSame(JournalKey("x\(number)", of: "orders"), source, target) }
      #expect(try await copy(source, target).get() == "Copied nothing to 'there'; 1109 keys were there already.")
      #expect(sentences.recorded == [])
      for journal in [source, target] { await journal.close() }
    }

    @Test("Logs that are too large to be copied together are copied all the same", arguments: CopyDirection.allCases)
    func large(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      let text = String(repeating: "x", count: 3 << 20)
      for key in ["a", "b", "c", "d", "e"] as [JournalKey] { await source.add(text, to: key) }
      #expect(
        try await copy(source, target).get()
          == "Copied 5 keys, 5 records and 0 snapshots to 'there', and read them back.")
      try await expectSame("e", source, target)
      for journal in [source, target] { await journal.close() }
    }

    @Test("A key whose log is there with another wake time is named", arguments: CopyDirection.allCases)
    func otherWake(_ direction: CopyDirection) async throws {
      let (source, target) = try await open(direction)
      try await add(["1"], to: "x", in: source, wake: .at(5))
      try await add(["1"], to: "x", in: target, wake: .at(6))
      #expect(
        try await copy(source, target)
          == .failure(CommandFailure("Copied nothing to 'there'. 1 key was not copied.", code: 65)))
      #expect(sentences.recorded.first?.contains("its wake time in 'there' is another one") == true)
      for journal in [source, target] { await journal.close() }
    }

    @Test(
      "A key with another log, a longer one, or one that was erased is named, left as it is, and does not stop the others"
    )
    func refused() async throws {
      let (source, target) = try await open(.toServer)
      await source.add("1", "2", to: "a")
      await source.add("1", to: "b")
      await source.add("1", to: "c")
      await source.add("1", to: "d")
      await target.add("1", "other", to: "a")
      await target.add("1", "2", to: "b")
      await target.add("1", to: "c")
      try await target.erase("c", claim: nil)
      let failure = CommandFailure(
        "Copied 1 key, 1 record and 0 snapshots to 'there', and read them back. 3 keys were not copied.", code: 65)
      #expect(try await copy(source, target) == .failure(failure))
      #expect(
        sentences.recorded.sorted() == [
          "The key 'a' is not copied: 'there' has another log of this name from record 2 on; copy it to a place that does not have it.",
          "The key 'b' is not copied: its log in 'there' ends at record 2, behind the end of this one at 1; copy it to a place that does not have it.",
          "The key 'c' is not copied: it was erased in 'there', where its log begins anew behind record 2.",
        ])
      let left = try await target.records(of: "a", after: .start).records
      #expect(left.map { String(decoding: $0.entry.payload, as: UTF8.self) } == ["1", "other"])
      for journal in [source, target] { await journal.close() }
    }

    @Test("A log whose common records were removed since the copy is not continued without a comparison")
    func notComparable() async throws {
      let (source, target) = try await open(.toServer)
      await source.add("1", to: "a")
      _ = try await copy(source, target).get()
      #expect(await source.append([JournalBatch(2, [JournalEntry(.emit, "2")])], to: "a", after: 1).stored == 1)
      try await source.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1]), of: "a")
      try await source.truncate("a", through: 1)
      #expect(
        try await copy(source, target)
          == .failure(CommandFailure("Copied nothing to 'there'. 1 key was not copied.", code: 65)))
      #expect(
        sentences.recorded.first?.contains("ends at record 1, and the records from there on were removed") == true)
      #expect(try await target.lastSequence(of: "a") == 1)
      for journal in [source, target] { await journal.close() }
    }

    @Test("Only the keys of some stores, or with a prefix, are copied")
    func some() async throws {
      let (source, target) = try await open(.toServer)
      for key: JournalKey in ["a1", "a2", "b"] { await source.add("1", to: key) }
      try await add(["1"], to: "a3", in: source, wake: .never)
      #expect(
        try await copy(source, target, of: "orders").get()
          == "Copied 1 key, 1 record and 0 snapshots to 'there', and read them back.")
      #expect(
        try await copy(source, target, prefix: "a").get()
          == "Copied 2 keys, 2 records and 0 snapshots to 'there', and read them back; 1 key was there already.")
      #expect(try await target.keys(after: nil) == ["a1", "a2"])
      for journal in [source, target] { await journal.close() }
    }

    @Test("A store that was copied in either direction continues where it was")
    func store() async throws {
      let service = try await SQLiteJournal(folder.file("service").path)
      let store = try await Charges.open(service, key: "orders")
      #expect(await store.send(.note("one")).outcome.kind == .finished)
      await store.shutdown()
      await service.close()
      func journal(_ arguments: [String]) async throws -> FinishedCommand {
        try await FinishedCommand("millrace", ["journal", "copy"] + arguments, in: folder)
      }
      let there = try await journal(["service"] + schema.target)
      #expect(there.output.hasPrefix("Copied 1 key, "))
      #expect((there.errors, there.code) == ("", 0))
      #expect(there.output.hasSuffix("to PostgreSQL schema '\(schema.name)', and read them back.\n"))
      let back = try await journal(schema.flags + ["--to", "back"])
      #expect(back.output.hasSuffix("to 'back', and read them back.\n"))
      #expect((back.errors, back.code) == ("", 0))
      let copied = try await SQLiteJournal(folder.file("back").path)
      let again = try await Charges.open(copied, key: "orders")
      #expect(await again.state == ["one"])
      await again.shutdown()
      await copied.close()
      #expect(try await journal(["service", "--to", "service"]).code == 64)
    }
  }
#endif
