import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("A store whose journal fails", .timeLimit(.minutes(1)))
struct FailedJournalTests {
  private let journal = MemoryJournal()

  private func open(_ journal: some Journal, clock: any Clock<Duration>) async throws -> Store<Orders> {
    var options = JournalOptions()
    (options.deadline, options.snapshotAtShutdown) = (.seconds(3), true)
    return try await Store.open(
      initial: [], interactor: Orders(), journal: journal, key: "orders",
      configuration: StoreConfiguration(clock: clock),
      options: options)
  }

  @Test("D6: the observers of a store that was fenced get what is durable, and an error that names the newcomer")
  func fenced() async throws {
    let (first, second) = (try await open(journal, clock: TestClock()), try await open(journal, clock: TestClock()))
    let revisions = Recorder<Int>()
    let observer = Task.immediate { [states = first.snapshots(.lossless().durable)] in
      for try await snapshot in states { revisions.record(snapshot.revision) }
    }
    #expect(await first.send(.note(1)).outcome.kind == .failed)
    let error = await #expect(throws: StoreError.self) { try await observer.value }
    let newcomer = try #require((error?.underlying as? JournalError)?.newcomer)
    #expect(
      error?.code == .journal && error?.description.contains("\(newcomer)") == true, "\(error.map { "\($0)" } ?? "")")
    #expect(revisions.recorded == [0])
    withExtendedLifetime(second) {}
  }

  @Test("S1: a shutdown returns although its journal never answers, and its receipts say that it is not known")
  func neverAnswers() async throws {
    let (clock, answers) = (TestClock(), Gate())
    let journal = UnsteadyJournal(self.journal)
    let store = try await open(journal, clock: clock)
    journal.hold(at: answers)
    let stored = store.send(.note(1))
    try await answers.waitForArrivals(1)
    let waiting = store.send(.note(2))
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    let report = await shutdown.value
    #expect(report.notDurable == 2 && report.drained == 0 && report.cancelled.isEmpty)
    for receipt in [stored, waiting] {
      guard case .failed(let error as JournalError) = await receipt.outcome else {
        Issue.record("it has no outcome of its journal")
        return
      }
      #expect(error.code == .unknown)
      #expect(
        error.description == """
          The store of "orders" was shut down, and its journal did not store the last entries (2) within 3.0 seconds; open the store \
          again to see which of them are in the log, or raise 'deadline'.
          """)
    }
    let next = try await open(self.journal, clock: clock)
    #expect(await next.state == ["note 1"], "the first one was stored, and not answered")
    answers.open()
  }

  @Test("S1: a shutdown returns although its last snapshot is never stored, because everything is durable without it")
  func snapshotIsNeverStored() async throws {
    let (clock, snapshots) = (TestClock(), Gate())
    let journal = UnsteadyJournal(self.journal)
    let store = try await open(journal, clock: clock)
    journal.holdSnapshots(at: snapshots)
    #expect(await store.send(.note(1)).outcome.kind == .finished)
    let shutdown = Task.immediate { await store.shutdown() }
    try await snapshots.waitForArrivals(1)
    clock.advance(by: .seconds(3))
    #expect(await shutdown.value.isClean)
    snapshots.open()
  }
}
