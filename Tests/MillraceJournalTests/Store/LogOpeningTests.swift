import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The opening of a log", .timeLimit(.minutes(1)))
struct LogOpeningTests {
  private let memory = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func journal(failing failures: [UnsteadyJournal.Failure] = []) -> UnsteadyJournal {
    UnsteadyJournal(memory, failing: failures)
  }

  private func open(
    _ journal: some Journal, initial: Int = 0, options: JournalOptions = JournalOptions(),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> Store<Accounts> {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { [incidents] in incidents.record($0) }
    return try await Store.open(
      initial: Accounts.State(balance: initial), interactor: Accounts(), journal: journal, key: "account",
      configuration: configuration, options: options)
  }

  // MARK: Numbers of the log

  // A snapshot ahead of its log made the opening read and append for ever.
  @Test("A snapshot ahead of its log is an error, and so is a conflict behind which there is nothing to read")
  func ahead() async throws {
    let journal = journal()
    let first = try await open(journal)
    #expect(await first.send(.deposit(1)).outcome.kind == .finished)
    journal.fail(.conflict)
    let conflict = await #expect(throws: JournalError.self) { _ = try await open(journal) }
    #expect(conflict?.code == .conflict)
    journal.fail(nil)
    journal.answer(try snapshot(at: 99, revision: 1))
    let error = await #expect(throws: JournalError.self) { _ = try await open(journal) }
    #expect(
      error?.description
        == "The snapshot of \"account\" covers the records up to 99, and its log ends at 2, so records are missing; restore the "
        + "journal from a copy.")
    #expect(error?.code == .corrupt && error?.sequence == 99)
  }

  // The store added to the revision unchecked.
  @Test(
    "Numbers that no store has are an error, whatever checksum they have",
    arguments: [
      (1, Int.max, nil), (1, -1, nil), (UInt64.max, 1, nil), (1, 1, 2...2), (1, 1, 0...1), (1, 1, 1...Int.max),
    ] as [(UInt64, Int, ClosedRange<Int>?)])
  func numbers(sequence: UInt64, revision: Int, result: ClosedRange<Int>?) async throws {
    let journal = journal()
    let first = try await open(journal)
    #expect(await first.send(.deposit(1)).outcome.kind == .finished)
    await first.shutdown()
    try await truncate(journal)
    journal.answer(try snapshot(at: sequence, revision: revision, result: result))
    let error = await #expect(throws: JournalError.self) { _ = try await open(journal) }
    #expect(error?.code == .corrupt)
  }

  @Test(
    "A record of an unknown kind stops the opening below 128, and is skipped from there on",
    arguments: [11, 127, 128, 255])
  func unknownKinds(number: UInt8) async throws {
    let first = try await open(journal())
    #expect(await first.send(.deposit(5)).outcome.kind == .finished)
    await first.shutdown()
    let last = try await memory.lastSequence(of: "account")
    let entry = JournalEntry(kind: JournalEntry.Kind(rawValue: number), payload: [1, 2, 3], schemaVersion: 7)
    let batch = JournalBatch(id: .init(writer: 9, number: 1), entries: [entry])
    #expect(await memory.append([batch], to: "account", after: last).stored == 1)
    guard number < 128 else {
      let second = try await open(journal())
      #expect(await second.send(.deposit(1)).outcome.kind == .finished)
      await second.shutdown()
      return #expect(try await open(journal()).state.balance == 6)
    }
    let error = await #expect(throws: JournalError.self) { _ = try await open(journal()) }
    #expect(error?.code == .corrupt && error?.sequence == last.advanced(by: 1))
    #expect(error?.description.contains("this version knows no entry of the kind \(number)") == true)
  }

  @Test("A result of an idempotency key with a time from before 1970 is forgotten", arguments: [Int64.min, -1])
  func time(_ time: Int64) async throws {
    let journal = journal()
    let first = try await open(journal)
    #expect(await first.send(.deposit(1)).outcome.kind == .finished)
    await first.shutdown()
    try await truncate(journal)
    journal.answer(try snapshot(at: 2, revision: 1, result: 1...1, time: time))
    let second = try await open(journal)
    #expect(await second.send(.deposit(1), key: "a").lastRevision == 2)
  }

  private func snapshot(
    at sequence: UInt64, revision: Int, result: ClosedRange<Int>? = nil, time: Int64 = 0
  ) throws -> JournalSnapshot {
    var keys: [RememberedResult] = []
    if let result { keys = [.init(KeyedResult(keys: ["a"], outcome: .finished, revisions: result), of: "a", at: time)] }
    let payload = SnapshotPayload<Accounts.State>(
      state: Accounts.State(balance: 1), runs: [], keys: keys, epoch: .now())
    return JournalSnapshot(
      sequence: JournalSequence(sequence), revision: revision, payload: Array(try JSONJournalCoder().encode(payload)))
  }

  /// Removes the log up to its end, so that a snapshot that cannot be used has nothing in its place.
  private func truncate(_ journal: UnsteadyJournal) async throws {
    let last = try await journal.lastSequence(of: "account")
    try await journal.store(
      JournalSnapshot(sequence: last, revision: 1, payload: []), of: "account")
    try await journal.truncate("account", through: last)
  }

  // MARK: The end of the log beside the snapshot

  /// A journal that knows the end of a log with its snapshot, and notes the reads of records.
  private struct KnowingJournal: ForwardedJournal {
    let base: MemoryJournal
    let reads = Recorder<JournalSequence>()
    /// What happens between the beginning and the next call.
    var meanwhile: @Sendable () async -> Void = {}
    var last: JournalSequence?

    func beginning(of key: JournalKey) async throws(JournalError) -> JournalBeginning {
      let end = try await base.lastSequence(of: key)
      let beginning = JournalBeginning(snapshot: try await base.snapshot(of: key), last: last ?? end)
      await meanwhile()
      return beginning
    }

    func records(
      of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPage {
      reads.record(sequence)
      return try await base.records(of: key, after: sequence, upTo: byteCount)
    }

    func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
      await base.append(appends, claim: claim)
    }
  }

  @Test(
    "An opening reads no records if the log ends with the snapshot, or there is none, and those behind it otherwise")
  func knownEnd() async throws {
    let journal = KnowingJournal(base: memory)
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    let first = try await open(journal, options: options)
    #expect(await first.send(.deposit(5)).outcome.kind == .finished)
    await first.shutdown()
    let second = try await open(journal)
    #expect(await second.state.balance == 5)
    #expect(await second.send(.deposit(1)).outcome.kind == .finished)
    await second.shutdown()
    #expect(journal.reads.recorded == [])
    #expect(await (try open(journal)).state.balance == 6)
    #expect(journal.reads.recorded == [2])
  }

  @Test(
    "D4: What an earlier writer appends behind the end that an opening has read is read before the log is taken over")
  func appendedMeanwhile() async throws {
    let first = try await open(memory)
    #expect(await first.send(.deposit(5)).outcome.kind == .finished)
    let journal = KnowingJournal(base: memory) {
      #expect(await first.send(.deposit(2)).outcome.kind == .finished)
    }
    let second = try await open(journal)
    #expect(await second.state.balance == 7)
    #expect(await first.send(.deposit(1)).outcome.kind == .failed, "it is fenced")
  }

  @Test("An end before the snapshot that was read with it is an error")
  func endBeforeSnapshot() async throws {
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    let first = try await open(memory, options: options)
    #expect(await first.send(.deposit(5)).outcome.kind == .finished)
    await first.shutdown()
    let error = try await failure { _ = try await open(KnowingJournal(base: memory, last: 1)) }
    #expect(error.code == .corrupt && error.sequence == 2)
    #expect(error.description.contains("its log ends at 1"))
  }

  // MARK: Transient errors

  @Test("D4: an opening repeats reads and appends of a journal that is unavailable, as a store does")
  func unavailable() async throws {
    let journal = journal(failing: [.init(code: .unavailable), .init(code: .unknown, stores: true)])
    journal.failReads(3)
    let store = try await open(journal, clock: ImmediateClock())
    #expect(await store.send(.deposit(1)).outcome.kind == .finished)
    #expect(try await journal.lastSequence(of: "account") == 2, "the epoch was stored once")
  }

  // The pause of a cancelled task returned at once, so the journal was asked again and again without one.
  @Test("An opening in a cancelled task pauses between its attempts, too")
  func cancelled() async throws {
    let (clock, journal) = (TestClock(), journal())
    journal.failReads(1)
    let opening = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await open(journal, clock: clock)
    }
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(10))
    #expect(await (try opening.value).state.balance == 0)
  }

  @Test("An opening ends when the journal was unavailable for the deadline, and says so")
  func deadline() async throws {
    let journal = journal()
    journal.fail(.unavailable)
    let error = await #expect(throws: JournalError.self) { _ = try await open(journal, clock: ImmediateClock()) }
    #expect(error?.code == .unavailable)
    #expect(
      error?.description
        == "The journal of \"account\" was unavailable for 30.0 seconds; open the store again when the journal is available, or raise "
        + "'deadline'. The last attempt failed: The journal does not answer; try again.")
  }

  @Test("D6: an append that never returns ends at the deadline, of an opening and of a store")
  func neverReturns() async {
    await Simulation.run(seeds: 0..<10) { world in
      let (journal, gate) = (UnsteadyJournal(MemoryJournal()), Gate())
      let store = try await open(journal)
      journal.hold(at: gate)
      let receipt = store.send(.deposit(1))
      guard case .failed(let error as JournalError) = await receipt.outcome else {
        return world.expect(false, "the action fails")
      }
      world.expect(
        error.description
          == "The journal of \"account\" did not answer within 30.0 seconds, and what it was given may be stored or not; see that its "
          + "disk or its server answers, and open the store again, or raise 'deadline'.", error.description)
      let opening = await #expect(throws: JournalError.self) { _ = try await open(journal) }
      world.expect(opening?.code == .unknown, "the opening fails")
      gate.open()
      let later = try await open(journal)
      world.expect(await later.state.balance == 1, "the append was stored, and its answer came too late")
    }
  }

  // Only the first batch was looked up, and the next attempt was taken for the append of another writer.
  @Test("Batches with an unknown result, or behind a conflict of our own, are all looked up")
  func lookUp() async throws {
    let journal = journal(failing: [
      .init(code: .unknown, stores: true), .init(code: .conflict, stores: true),
    ])
    let calls = JournalCalls(journal: journal, key: "account", deadline: .seconds(30), clock: ImmediateClock())
    var counts: [Int] = []
    for (first, last) in [(1, 0), (4, 3)] {
      let batches = (first..<first + 3).map { JournalBatch(UInt64($0), "\($0)") }
      try await calls.append(batches, after: JournalSequence(UInt64(last))) { count, _ in counts.append(count) }
    }
    #expect(counts == [3, 3])
    #expect(try await journal.texts("account") == ["1", "2", "3", "4", "5", "6"])
  }

  @Test("A journal that stores nothing and gives no reason is an error, and not asked for ever")
  func noReason() async throws {
    let error = await #expect(throws: JournalError.self) { _ = try await open(SilentJournal()) }
    #expect(error?.code == .failed)
    #expect(
      error?.description
        == "The journal of \"account\" stored nothing and gave no reason, against its contract; mend the engine, and open the store again."
    )
  }

  // MARK: The initial state

  @Test("Another initial state than the log begins with is an incident, unless a snapshot is read")
  func initial() async throws {
    let first = try await open(journal(), initial: 5)
    #expect(await first.send(.deposit(1)).outcome.kind == .finished)
    #expect(try await open(journal(), initial: 5).state.balance == 6 && incidents.recorded.isEmpty)
    let third = try await open(journal(), initial: 7)
    #expect(await third.state.balance == 8)
    #expect(incidents.recorded.map(\.kind) == [.otherInitialState])
    #expect(
      incidents.recorded.first?.description
        == "The log of \"account\" is folded from another initial state of MillraceJournalTests.Accounts than the process before gave, "
        + "so the restored state may be another one than it had; open the log with the initial state that it began with, and commit "
        + "what differs by an action.")
    var options = JournalOptions()
    options.snapshotRecords = 1
    let journal = journal()
    let fourth = try await open(journal, initial: 7, options: options)
    #expect(await fourth.send(.deposit(1)).outcome.kind == .finished)
    _ = try await journal.truncations.next()
    #expect(try await open(journal, initial: 9).state.balance == 9 && incidents.recorded.count == 1)
  }
}

/// A journal that stores nothing.
private struct SilentJournal: Journal {
  let base = MemoryJournal()

  var largestBatch: Int { base.largestBatch }

  func append(
    _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
  ) async -> JournalAppend { JournalAppend(stored: 0, last: last) }

  func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage { try await base.records(of: key, after: sequence, upTo: byteCount) }

  func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence { .start }

  func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? { nil }

  func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence { .start }

  func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int)
    async throws(JournalError)
    -> JournalSequence
  {
    sequence
  }

  func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { [] }

  func changes() async throws(JournalError) -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  func close() async {}
}
