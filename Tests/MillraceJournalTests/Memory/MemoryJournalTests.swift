public import MillraceJournal
public import MillraceTesting
import Testing

// The storage of a node is one for journals.
extension SimulatedStorage: JournalStorage {}

@Suite("Memory journal")
struct MemoryJournalTests {
  @Test("The contract holds for a journal in memory with a storage", arguments: JournalConformance.all)
  func conformance(_ conformance: JournalConformance) async throws {
    try await conformance.check(MemoryFixture())
  }

  /// A journal without a storage, which cannot be opened again.
  private struct BareFixture: JournalFixture {
    func open(largestBatch: Int) async throws(JournalError) -> any Journal { MemoryJournal(largestBatch: largestBatch) }
    func damage(_ payload: String) async throws {}
  }

  @Test(
    "The contract holds for a journal that is in memory alone, as far as it need not be opened again",
    arguments: JournalConformance.appending + JournalConformance.reading)
  func bareConformance(_ conformance: JournalConformance) async throws {
    try await conformance.check(BareFixture())
  }

  @Test("A storage that fails ends the journal, which shows what was stored when it is opened again")
  func failingStorage() async throws {
    let storage = ByteStorage()
    var journal = try await MemoryJournal(storage: storage)
    _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
    await storage.breakDown()
    let error = try #require(await journal.append([JournalBatch(2, "2")], to: "a", after: 1).failure)
    #expect(error.code == .failed && !error.isTransient)
    #expect(error.description.hasSuffix("whether the last batch was stored shows when the journal is opened again."))
    await storage.breakDown(false)
    #expect(await journal.append([JournalBatch(2, "2")], to: "b", after: .start).failure?.code == .failed)
    #expect(try await failure { _ = try await journal.lastSequence(of: "a") }.code == .failed)
    journal = try await MemoryJournal(storage: storage)
    #expect(try await journal.texts("a") == ["1", "2"])
  }

  @Test("A storage that cannot be read, or that is damaged, is an error with the fix, and is left as it is")
  func unreadableStorage() async throws {
    let storage = ByteStorage()
    await storage.breakDown()
    #expect(try await failure { _ = try await MemoryJournal(storage: storage) }.code == .cannotOpen)
    await storage.breakDown(false)
    let journal = try await MemoryJournal(storage: storage)
    for number in 1...4 {
      _ = await journal.append(
        [JournalBatch(UInt64(number), "payload")], to: "a", after: JournalSequence(UInt64(number) - 1))
    }
    try await journal.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1, 2, 3]), of: "a")
    try await journal.truncate("a", through: 1)
    let bytes = try #require(await storage.files["journal"])
    for index in bytes.indices {
      await storage.change {
        $0 = bytes
        $0[index] ^= 1 << (index % 8)
      }
      let damaged = await storage.files
      let error = try await failure { _ = try await MemoryJournal(storage: storage) }
      #expect(error.code == .corrupt, "byte \(index)")
      #expect(await storage.files == damaged)
    }
  }

  @Test("The part of a write that a crash has left is cut off, and the next write is whole")
  func tornWrite() async throws {
    let storage = ByteStorage()
    var journal = try await MemoryJournal(storage: storage)
    _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
    let before = try #require(await storage.files["journal"])
    _ = await journal.append([JournalBatch(2, "2", "3")], to: "a", after: 1)
    let after = try #require(await storage.files["journal"])
    for count in before.count..<after.count {
      await storage.change { $0 = Array(after.prefix(count)) }
      journal = try await MemoryJournal(storage: storage)
      #expect(try await journal.texts("a") == ["1"])
      #expect(await journal.append([JournalBatch(3, "x")], to: "a", after: 1).stored == 1)
      journal = try await MemoryJournal(storage: storage)
      #expect(try await journal.texts("a") == ["1", "x"])
    }
  }

  @Test("Of calls that wait for the storage at the same time each sees the one before it")
  func callsAtOnce() async {
    let report = await Simulation.run(seeds: 0..<100) { world in
      let journal = try await MemoryJournal(storage: world.node("a").storage)
      let tasks = (0..<3 as Range<UInt64>).map { number in
        Task { await journal.append([JournalBatch(number, "\(number)")], to: "a", after: .start).stored }
      }
      var stored = 0
      for task in tasks { stored += await task.value }
      world.expect(stored == 1, "one append of three is stored, and not \(stored)")
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }

  @Test(
    "D2: After a crash at any step a log on the storage of a node has every batch that was acknowledged, and none in part"
  )
  func crashes() async {
    let report = await Simulation.run(seeds: 0..<300) { world in
      let node = world.node("a")
      let acknowledged = Recorder<JournalSequence>()
      for life in 0..<3 {
        node.run {
          let journal = try await MemoryJournal(storage: node.storage)
          var last = try await journal.lastSequence(of: "a")
          for number in 0..<6 {
            let text = "\(life).\(number)"
            let result = await journal.append(
              [JournalBatch(UInt64(number), [text, text], writer: UInt64(life))], to: "a", after: last)
            last = result.last
            acknowledged.record(last)
            if number == 3 {
              try await journal.store(JournalSnapshot(sequence: last, revision: 0, payload: []), of: "a")
              try await journal.truncate("a", through: JournalSequence(last.number - 2))
            }
          }
        }
        await world.pause(upTo: 80)
        node.crash()
      }
      await node.run {
        let journal = try await MemoryJournal(storage: node.storage)
        let last = try await journal.lastSequence(of: "a")
        world.expect(last >= acknowledged.recorded.last ?? .start, "the log has each batch that was acknowledged")
        world.expect(last.number.isMultiple(of: 2), "no batch is split")
        let snapshot = try await journal.snapshot(of: "a")
        world.expect(snapshot.map { $0.sequence <= last } ?? true, "the snapshot is not ahead of the log")
        let start = snapshot?.sequence ?? .start
        let records = try await journal.all("a", after: start)
        world.expect(records.last?.sequence ?? start == last, "the log has all its records")
        world.expect(
          zip(records, records.dropFirst()).filter { $0.text == $1.text }.count == records.count / 2,
          "batches are whole")
      }.value
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }
}
