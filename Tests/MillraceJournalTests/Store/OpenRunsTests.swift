import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The runs that are open in a log", .timeLimit(.minutes(1)))
struct OpenRunsTests {
  private let memory = MemoryJournal()
  private let incidents = Recorder<Incident>()

  private func journal() -> UnsteadyJournal { UnsteadyJournal(memory) }

  private func open(
    _ journal: some Journal, every records: Int = 1_000, handling: @escaping Accounts.Handling = { _, _ in }
  ) async throws -> Store<Accounts> {
    var options = JournalOptions()
    options.snapshotRecords = records
    var configuration = StoreConfiguration()
    configuration.report = { [incidents] in incidents.record($0) }
    return try await Store.open(
      initial: Accounts.State(), interactor: Accounts(handling: handling), journal: journal, key: "account",
      configuration: configuration, options: options)
  }

  /// Leaves three runs open in the log, the second one with a sender's key.
  private func leaveOpen() async throws {
    let gate = Gate()
    let store = try await open(journal()) { _, _ in try await gate.enter() }
    let receipts = [store.send(.orderAgain(1)), store.send(.orderAgain(2), key: "two"), store.send(.orderAgain(3))]
    try await gate.waitForArrivals(3)
    withExtendedLifetime((store, receipts)) {}
  }

  // A snapshot that was due at the first emit forgot the runs that had not been handed over by then.
  @Test("D3: a snapshot has the runs that were open in the log before the first of them is handled again")
  func snapshotBeforeHandling() async throws {
    try await leaveOpen()
    let journal = journal()
    let log = StoreLog<Accounts>(
      journal: journal, key: "account", schema: StoreSchema(), options: JournalOptions())
    let calls = JournalCalls(journal: journal, key: "account", deadline: .seconds(30), clock: ContinuousClock())
    var opening = LogOpening(
      Accounts.State(), log, calls, writer: 1, wallTime: WallTime.now, report: { _ in })
    try await opening.read(for: .now())
    let writer = JournalWriter(opening, epoch: .now(), gate: DurabilityGate())
    writer.takeSnapshot(of: opening.restored.state, revision: opening.restored.revision)
    let stored = try await journal.snapshots.next()
    let payload = try JSONJournalCoder().decode(
      SnapshotPayload<Accounts.State>.self, from: Data(stored.payload))
    #expect(payload.runs.map(\.sequence) == [2, 3, 4])
    let (runs, _) = try log.openRuns(of: payload, in: stored)
    #expect(runs.map(\.takeUp.isSendersKey) == [false, true, false])
  }

  @Test("D3: runs that are handled again are done once for their keys, with a snapshot at each record")
  func keys() async throws {
    try await leaveOpen()
    let store = try await open(journal(), every: 1) { run, amount in run.emit(.added(amount)) }
    #expect(await store.send(.orderAgain(2), key: "two").outcome.kind == .finished)
    await store.shutdown(drainFor: .seconds(10))
    #expect(await store.state.balance == 6)
    #expect(await (try open(journal())).state.balance == 6)
  }

  @Test(
    "D3: a run is handled again as often in a row as its plan says, and is then abandoned with an incident",
    arguments: [1, 1_000])
  func limit(snapshotRecords: Int) async throws {
    let (gate, begun) = (Gate(), Recorder<String>())
    var crashed: [Store<Accounts>] = []
    for life in 0..<5 {
      // The second order ends each life, as a handler that ends its process does.
      let store = try await open(journal(), every: snapshotRecords) { run, _ in
        begun.record(run.idempotencyKey)
        try await gate.enter()
      }
      if life == 0 { store.send(.orderTwiceAgain(1)) }
      if life < 3 {
        _ = try await begun.next()
        let closings = await store.state.closings
        #expect(incidents.recorded.isEmpty && closings.isEmpty)
      }
      // A decided action, so that a snapshot may have the count.
      #expect(await store.send(.deposit(1)).outcome.kind == .finished)
      if life >= 3 { #expect(await store.state.closings == ["abandoned"]) }
      crashed.append(store)
    }
    #expect(begun.recorded.count == 3 && Set(begun.recorded).count == 1)
    #expect(incidents.recorded.map(\.kind) == [.recoveryLimit])
    #expect(
      incidents.recorded.first?.description
        == "MillraceJournalTests.Accounts abandoned an action of type MillraceJournalTests.Accounts.Action that was open in the log "
        + "(record 2), because it was handled again 2 times in a row without an end; see whether its handler ends the process, or raise "
        + "the limit of its recovery.")
  }

  @Test("A take-up of an earlier version is handled again at most 10 times, and one that is not handled again never")
  func limits() throws {
    func limit(_ json: String) throws -> Int {
      try JSONJournalCoder().decode(TakeUpHead<Accounts.Action>.self, from: Data(json.utf8)).recoveryLimit
    }
    #expect(try limit(#"{"action":{"look":{}},"handlesAgain":true,"isSendersKey":false,"key":"a"}"#) == 10)
    #expect(try limit(#"{"action":{"look":{}},"handlesAgain":false,"isSendersKey":false,"key":"a"}"#) == 0)
    #expect(try limit(#"{"action":{"look":{}},"handlesAgain":true,"isSendersKey":false,"key":"a","limit":-1}"#) == 0)
    #expect(Recovery.handleAgain(limit: -1).limit == 0 && Recovery.handleAgain == .handleAgain(limit: 10))
  }

  // MARK: Actions that cannot be decoded

  @Test(
    "T9: a run stays open whose action this version cannot decode, in records and in a snapshot, and stops nothing",
    arguments: [1, 1_000])
  func renamed(snapshotRecords: Int) async throws {
    let (gate, never) = (Gate(), Gate())
    func open<Action: JobAction>(
      _ type: Action.Type, key: JournalKey, at gate: Gate
    ) async throws -> Store<Jobs<Action>> {
      var options = JournalOptions()
      options.snapshotRecords = snapshotRecords
      var configuration = StoreConfiguration()
      configuration.report = { [incidents] in incidents.record($0) }
      return try await Store.open(
        initial: 0, interactor: Jobs<Action>(gate: gate), journal: journal(), key: key, configuration: configuration,
        options: options)
    }
    let first = try await open(EarlierJob.self, key: "ended", at: gate)
    let ended = first.send(.start(1))
    try await gate.waitForArrivals(1)
    // The run is open in a snapshot, and has ended in a record behind it.
    gate.open()
    #expect(await ended.outcome.kind == .finished)
    #expect(await (try open(LaterJob.self, key: "ended", at: gate)).state == 1)

    let second = try await open(EarlierJob.self, key: "open", at: never)
    let receipt = second.send(.start(1))
    try await never.waitForArrivals(1)
    #expect(incidents.recorded.isEmpty)
    let later = try await open(LaterJob.self, key: "open", at: gate)
    #expect(await later.send(.begin(1)).outcome.kind == .finished)
    #expect(incidents.recorded.map(\.kind) == [.unreadableAction])
    let error = incidents.recorded.first?.error as? JournalError
    #expect(error?.code == .corrupt && error?.sequence == 2)
    #expect(
      error?.description.hasPrefix(
        "The action of an open run of \"open\" (record 2) cannot be decoded: ") == true)
    await later.shutdown()
    let third = try await open(EarlierJob.self, key: "open", at: never)
    #expect(await third.state == 1, "the run is abandoned, and what the version between did is there")
    #expect(incidents.recorded.count == 1)
    withExtendedLifetime((first, second, receipt)) {}
  }

  @Test("T14: a take-up of an earlier version, which has no time, is one that is taken up at the opening")
  func takeUpWithoutTime() throws {
    let json = #"{"action":{"look":{}},"key":"a","isSendersKey":false,"handlesAgain":true"#
    func age(_ rest: String) throws -> Instant {
      let head = try JSONDecoder().decode(TakeUpHead<Accounts.Action>.self, from: Data((json + rest).utf8))
      return head.age(at: 5_000).nanoseconds
    }
    #expect(try age("}") == 0)
    #expect(try age(#","time":2000}"#) == 3_000_000_000)
    #expect(try age(#","time":-9223372036854775808}"#) == 0, "no time is a trap")
  }

  @Test("A run that was begun, or named, ends by the id of its action")
  func names() throws {
    let head = TakeUpHead(action: EncodedAction(), key: RunKey("a", isSenders: false), recovery: .handleAgain, time: 0)
    func run(_ sequence: UInt64) -> LoggedRun {
      LoggedRun(sequence: sequence, takeUp: head, payload: [], schemaVersion: 1)
    }
    var runs = LoggedRuns([run(5), run(3)])
    #expect(runs.all.map(\.sequence) == [3, 5])
    let ids = (1...3).map { ActionID.takenAtOnce($0) }
    runs.name(5, ids[0])
    runs.begin(run(7), ids[1])
    #expect(ids.map { runs.sequence(of: $0) } == [5, 7, 0])
    for id in ids { runs.end(id) }
    #expect(runs.all.map(\.sequence) == [3])
    #expect(ids.map { runs.sequence(of: $0) } == [0, 0, 0])
  }
}

/// The action of a version of `Jobs`.
private protocol JobAction: Codable, Sendable {}

private enum EarlierJob: JobAction {
  case start(Int)
}

private enum LaterJob: JobAction {
  case begin(Int)
}

/// Jobs that wait at a gate, and add one.
private struct Jobs<Action: JobAction>: Interactor {
  let gate: Gate

  func handle(_ action: Action, state: Int) -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      Task {
        try? await gate.enter()
        continuation.yield(1)
        continuation.finish()
      }
    }
  }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}
