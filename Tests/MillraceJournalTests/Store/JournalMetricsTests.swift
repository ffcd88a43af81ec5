import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Metrics of a journal", .timeLimit(.minutes(1)))
struct JournalMetricsTests {
  private let clock = TestClock()
  private let journal = UnsteadyJournal(MemoryJournal())

  private func open(options: JournalOptions = JournalOptions()) async throws -> Store<Stepped> {
    var configuration = StoreConfiguration(clock: clock, wallTime: clock.wallTime)
    configuration.report = { _ in }
    return try await Store.open(
      initial: [],
      interactor: Stepped { run, number in
        try await run.step("step \(number)") { _ in if number == 13 { throw Refused() } }
      },
      journal: journal, key: "k", configuration: configuration, options: options)
  }

  private struct Refused: Error {}

  private func figures(of store: Store<Stepped>) async throws -> Metrics.Journal {
    try #require(await store.metrics.journal)
  }

  @Test("Records are unsynced, with their bytes and the time at which the journal got them, until it answers")
  func unsynced() async throws {
    let store = try await open()
    let opened = try await figures(of: store)
    #expect(opened.state == .writable && opened.unsyncedRecords == 0 && opened.bufferedBytes == 0)
    #expect(opened.oldestUnsynced == nil && opened.lastAppend == nil && opened.bufferLimit == 1 << 25)
    let gate = Gate()
    journal.hold(at: gate)
    let start = clock.wallTime()
    let first = store.send(.note("a"))
    try await gate.waitForArrivals(1)
    clock.advance(by: .seconds(2))
    let second = store.send(.note("b"))
    let waiting = try await figures(of: store)
    #expect(waiting.unsyncedRecords == 2 && waiting.bufferedBytes > 0)
    #expect(waiting.oldestUnsynced == start)
    #expect(waiting.records == opened.records)
    gate.open()
    _ = await (first.outcome, second.outcome)
    let stored = try await figures(of: store)
    #expect(stored.records == opened.records + 2 && stored.unsyncedRecords == 0 && stored.bufferedBytes == 0)
    #expect(stored.lastAppend == start + 2_000 && stored.oldestUnsynced == nil)
    #expect(stored.appendTime.maximum == .seconds(2))
  }

  @Test("A journal is unavailable while a call is repeated, and failed once it has failed for good")
  func states() async throws {
    let store = try await open()
    journal.fail(.unavailable)
    let receipt = store.send(.note("a"))
    try await clock.waitForSleepers()
    let unavailable = try await figures(of: store)
    #expect(unavailable.state == .unavailable && unavailable.retries == 0 && unavailable.appendTime.count == 0)
    journal.fail(nil)
    clock.advance(by: .seconds(1))
    #expect(await receipt.outcome.kind == .finished)
    let writable = try await figures(of: store)
    #expect(writable.state == .writable && writable.retries == 1 && writable.appendTime.maximum == .seconds(1))
    journal.fail(.failed)
    _ = await store.send(.note("b")).outcome
    let failed = try await figures(of: store)
    #expect(failed.state == .failed && failed.oldestUnsynced == nil && failed.retries == 1)
    #expect(await store.metrics.isShuttingDown)
  }

  // A look-up of batches was not counted, so the journal was shown as writable through an outage.
  @Test("A journal is unavailable while it is not known whether it stored its records")
  func unknown() async throws {
    let store = try await open()
    let gate = Gate()
    journal.fail(.unknown, afterStoring: true)
    journal.failReads(1)
    journal.holdReads(at: gate)
    let receipt = store.send(.note("a"))
    try await clock.waitForSleepers()
    #expect(try await figures(of: store).state == .unavailable)
    clock.advance(by: .seconds(1))
    try await gate.waitForArrivals(1)
    let lookedUp = try await figures(of: store)
    #expect(lookedUp.state == .unavailable && lookedUp.retries == 1)
    journal.fail(nil)
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    let found = try await figures(of: store)
    #expect(found.state == .writable && found.retries == 1 && found.unsyncedRecords == 0)
    // A look-up that does not fail itself.
    let second = Gate()
    journal.holdReads(at: second)
    journal.fail(.unknown, afterStoring: true)
    let other = store.send(.note("b"))
    try await second.waitForArrivals(1)
    #expect(try await figures(of: store).state == .unavailable)
    journal.fail(nil)
    second.open()
    #expect(await other.outcome.kind == .finished)
  }

  @Test("The log grows until a snapshot is stored, whose time is noted; a step that failed is counted")
  func snapshots() async throws {
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    let store = try await open(options: options)
    #expect(await store.send(.handle(1)).outcome.kind == .finished)
    #expect(await store.send(.handle(13)).outcome.kind == .failed)
    let grown = try await figures(of: store)
    #expect(grown.logRecords >= 6 && grown.logBytes > 0 && grown.lastSnapshot == nil && grown.failedSteps == 1)
    clock.advance(by: .seconds(5))
    await store.shutdown()
    let shutDown = try await figures(of: store)
    #expect(shutDown.logRecords == 0 && shutDown.logBytes == 0 && shutDown.lastSnapshot == clock.wallTime())
  }

  // The records counted as covered once a snapshot was begun, so a journal that takes none had a short log.
  @Test("Records count until the snapshot that covers them is stored; one that fails covers none")
  func uncovered() async throws {
    var options = JournalOptions()
    options.snapshotRecords = 3
    let store = try await open(options: options)
    let gate = Gate()
    journal.holdSnapshots(at: gate)
    for _ in 0..<4 { #expect(await store.send(.note("a")).outcome.kind == .finished) }
    try await gate.waitForArrivals(1)
    #expect(try await figures(of: store).logRecords == 5, "the epoch and four decisions")
    gate.open()
    await store.shutdown()
    var growth = LogGrowth()
    let entry = JournalEntry(kind: .decided, payload: [1, 2], schemaVersion: 1, revision: 1)
    growth.add(entry)
    growth.take()
    growth.add(entry)
    growth.didTake()
    #expect(growth.sinceStored == (2, 4), "the snapshot has failed")
    growth.take()
    growth.add(entry)
    growth.didStore(7)
    growth.didTake()
    #expect(growth.sinceStored == (1, 2))
  }
}
