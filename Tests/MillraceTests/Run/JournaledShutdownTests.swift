import MillraceTesting
import Testing

@testable import Millrace

@Suite("The shutdown of a store with a journal", .timeLimit(.minutes(1)))
struct JournaledShutdownTests {
  private let journal = ScriptedJournal<Ledger.Action, [Int]>()
  private let clock = TestClock()
  private let store: Store<Ledger>

  init() {
    store = Store.restored(
      [], revision: 0, interactor: Ledger { _, _ in try await Gate().enter() },
      configuration: StoreConfiguration(clock: clock), journal: journal, gate: journal.gate)
    journal.attach(to: store.journaled)
  }

  @Test("S1: a shutdown waits for its journal as long as the journal says; what is not durable then has failed")
  func flushEnds() async throws {
    let states = store.snapshots(.every(endsAt: 10).durable)
    let durable = Recorder<Int>()
    let observer = Task.immediate { for try await snapshot in states { durable.record(snapshot.revision) } }
    let (stored, running, held) = (store.send(.add([1])), store.send(.load(4)), store.send(.add([2])))
    let run = Task.immediate { await store.run() }
    let reports = Recorder<ShutdownReport>()
    Task.immediate { reports.record(await store.shutdown(drainFor: .seconds(5))) }
    journal.store(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    try await journal.waitForEntries(4)
    try await clock.waitForSleepers(1)
    for time in [Duration.zero, .seconds(1)] {
      Task.immediate { reports.record(await store.shutdown(drainFor: time)) }
    }
    clock.advance(by: .seconds(29))
    #expect(await stored.outcome.kind == .finished)
    #expect(reports.recorded.isEmpty && running.outcomeNow == nil && held.outcomeNow == nil)
    clock.advance(by: .seconds(1))
    for report in try await reports.next(3) {
      #expect(report.cancelled == [running.id] && report.drained == 0 && report.notDurable == 3 && !report.isClean)
      #expect(report.failure is ScriptedFailure)
    }
    for receipt in [running, held] { #expect(await receipt.outcome.kind == .failed) }
    await #expect(throws: StoreError.self) { try await observer.value }
    #expect(durable.recorded == [0, 1])
    await run.value
    #expect(await store.send(.add([3])).outcome.rejectionKind == .journal)
  }

  @Test("S1: a shutdown whose journal has stored everything leaves no timer behind")
  func flushed() async throws {
    let receipt = store.send(.add([1]))
    let shutdown = Task.immediate { await store.shutdown() }
    try await clock.waitForSleepers(1)
    journal.store(1)
    let report = await shutdown.value
    #expect(report.isClean && report.notDurable == 0)
    #expect(await receipt.outcome.kind == .finished)
    #expect(clock.sleepers == 0)
  }

  @Test("R6: mutations that are committed in the step in which their store is released are still stored")
  func releasedInAStep() async throws {
    let (journal, owned) = (ScriptedJournal<Int, Int>(), Box<Store<Releasing>?>(nil))
    owned.value = Store.restored(
      0, revision: 0, interactor: Releasing { owned.value = nil }, configuration: StoreConfiguration(),
      journal: journal,
      gate: journal.gate)
    let access = try #require(owned.value).access
    let receipt = access.send(1)
    #expect(owned.value == nil)
    try await journal.waitForEntries(1)
    journal.store(1)
    #expect(await receipt.outcome.kind == .finished)
  }
}

/// Releases its store while it decides.
private struct Releasing: Interactor {
  let release: @Sendable () -> Void

  func decide(_ action: Int, state: Int) -> Decision<Int> {
    release()
    return .mutate(action)
  }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}
