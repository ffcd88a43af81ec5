import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("Memory journal", .timeLimit(.minutes(1)))
struct MemoryJournalTests {
  @Test(
    "The contract holds for a journal in memory",
    arguments: JournalConformance.all + JournalConformance.changing + JournalConformance.sharing)
  func conformance(_ conformance: JournalConformance) async throws {
    try await conformance.check(MemoryFixture())
  }

  // MARK: Failures

  @Test("Appends fail as they are told, one by one; they store nothing, and the journal continues")
  func failures() async throws {
    let journal = MemoryJournal()
    journal.failNext(JournalError(.unavailable, "The disk does not answer; try again."))
    journal.failNext(JournalError(.failed, "The disk is full; free some space."))
    var codes: [JournalError.Code?] = []
    for number in 1...3 {
      let result = await journal.append([JournalBatch(UInt64(number), "\(number)")], to: "a", after: .start)
      codes.append(result.failure?.code)
      #expect(result.stored == (number == 3 ? 1 : 0))
    }
    #expect(codes == [.unavailable, .failed, nil])
    #expect(try await journal.texts("a") == ["3"])
  }

  @Test(
    "A store repeats an append that fails for now, and is stopped by one that fails for good; the next store opens the log"
  )
  func failuresOfAStore() async throws {
    let (journal, clock) = (MemoryJournal(), TestClock())
    let store = try await Store.open(
      initial: [], interactor: Orders(), journal: journal, key: "orders",
      configuration: StoreConfiguration(clock: clock))
    journal.failNext(JournalError(.unavailable, "The disk does not answer; try again."))
    let first = store.send(.note(1))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await first.outcome.kind == .finished)
    journal.failNext(JournalError(.failed, "The disk is full; free some space."))
    guard case .failed(let error as JournalError) = await store.send(.note(2)).outcome else {
      Issue.record("the store was not stopped")
      return
    }
    #expect(error.code == .failed && error.description == "The disk is full; free some space.")
    #expect(await store.send(.note(3)).outcome.rejectionKind == .journal)
    #expect(
      try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders").state == ["note 1"])
  }

  // MARK: Crashes

  @Test(
    "A crash of the caller keeps none, some or all batches of its append, or loses the answer only; other callers continue"
  )
  func crashOfTheCaller() async {
    /// The records that were stored at a crash, and whether the caller had its answer.
    let ends = Recorder<String>()
    let report = await Simulation.run(seeds: 0..<300) { world in
      let (node, journal, isAnswered) = (world.node("a"), MemoryJournal(), Recorder<Bool>())
      node.run {
        _ = await journal.append([JournalBatch(1, "1"), JournalBatch(2, "2")], to: "a", after: .start)
        isAnswered.record(true)
      }
      await world.pause(upTo: 6)
      node.crash()
      let last = try await journal.lastSequence(of: "a")
      ends.record("\(last)\(isAnswered.recorded.isEmpty ? "" : " answered")")
      let result = await journal.append([JournalBatch(3, "3")], to: "a", after: last)
      world.expect(result.stored == 1, "the next life appends behind the last record")
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
    #expect(Set(ends.recorded) == ["0", "1", "2", "2 answered"])
  }

  @Test("Of calls at once exactly one is stored, whatever the order of their batches")
  func callsAtOnce() async {
    let report = await Simulation.run(seeds: 0..<100) { world in
      let journal = MemoryJournal()
      let tasks = (0..<3 as Range<UInt64>).map { number in
        Task { await journal.append([JournalBatch(number, "\(number)")], to: "a", after: .start).stored }
      }
      var stored = 0
      for task in tasks { stored += await task.value }
      world.expect(stored == 1, "one append of three is stored, and not \(stored)")
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }

  @Test("D2: after a crash at any step a log has every batch that was acknowledged, and none in part")
  func crashes() async {
    let report = await Simulation.run(seeds: 0..<300) { world in
      let (node, journal) = (world.node("a"), MemoryJournal())
      let acknowledged = Recorder<JournalSequence>()
      for life in 0..<3 {
        node.run {
          var last = try await journal.lastSequence(of: "a")
          for number in 0..<6 {
            let text = "\(life).\(number)"
            let result = await journal.append(
              [JournalBatch(UInt64(number), [text, text], writer: UInt64(life))], to: "a", after: last)
            guard result.failure == nil else { return }
            last = result.last
            acknowledged.record(last)
            if number == 3 {
              try await journal.store(JournalSnapshot(sequence: last, revision: 0, payload: []), of: "a")
              try await journal.truncate("a", through: JournalSequence(last.number - 2))
            }
          }
        }
        await world.pause(upTo: 40)
        node.crash()
      }
      let last = try await journal.lastSequence(of: "a")
      world.expect(last >= acknowledged.recorded.last ?? .start, "the log has each batch that was acknowledged")
      world.expect(last.number.isMultiple(of: 2), "no batch is split")
      let snapshot = try await journal.snapshot(of: "a")
      world.expect(snapshot.map { $0.sequence <= last } ?? true, "the snapshot is not ahead of the log")
      let start = snapshot?.sequence ?? .start
      let records = try await journal.all("a", after: start)
      world.expect(records.last?.sequence ?? start == last, "the log has all its records")
      world.expect(
        zip(records, records.dropFirst()).filter { $0.text == $1.text }.count == records.count / 2, "batches are whole")
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }
}
