import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Idempotency keys of shared runs", .timeLimit(.minutes(1)))
struct SharedIdempotencyTests {
  /// Actions that share a run, and one that keeps the only slot from it, or its turn.
  private struct Sharing: Interactor {
    let (blocks, shared): (Gate, Gate)
    let blocking: Plan

    func plan(for action: String, state: [String]) -> Plan {
      action == "blocks" ? blocking : .shared(key: "s").recovery(.handleAgain)
    }

    func handle(_ action: String, state: [String]) -> Effect<Self> {
      Effect { [blocks, shared] run in
        try await (action == "blocks" ? blocks : shared).enter()
        run.emit(action)
      }
    }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  private let journal = MemoryJournal()

  private func open(
    handling: @escaping Accounts.Handling = { run, amount in run.emit(.added(amount)) }
  ) async throws -> Store<Accounts> {
    try await Store.open(
      initial: Accounts.State(), interactor: Accounts(handling: handling), journal: journal, key: "account")
  }

  @Test("Each action that shares a run remembers its own key")
  func shared() async throws {
    let gate = Gate()
    let first = try await open { run, amount in
      try await gate.enter()
      run.emit(.added(amount))
    }
    let receipts = ["a", "b"].map { first.send(.shared(7), key: $0) }
    try await gate.waitForArrivals(1)
    gate.open()
    for receipt in receipts {
      #expect(await receipt.outcome.kind == .finished)
      #expect(await [receipt.firstCommit, receipt.lastRevision] == [1, 1])
    }
    #expect(
      try await journal.lastSequence(of: "account") == 4, "an epoch, a take-up, an emit, and one end for both keys")
    let second = try await open()
    for key in ["a", "b"] {
      let receipt = second.send(.shared(7), key: key)
      #expect(await receipt.outcome.kind == .finished)
      #expect(await [receipt.firstCommit, receipt.lastRevision] == [1, 1])
    }
    #expect(await second.state.balance == 7)
  }

  @Test(
    "D3: an action that joined a shared run waits for it when it is sent again after a crash, and is not done again",
    arguments: [1, 1_000], [false, true])
  func joined(snapshotRecords: Int, isLeftOpen: Bool) async throws {
    var options = JournalOptions()
    options.snapshotRecords = snapshotRecords
    // The keys are in the snapshot only, then.
    options.snapshotAtShutdown = true
    let lives = Lives(journal)
    let gates = (Gate(), Gate(), Gate())
    let plan = Plan.shared(key: "s").recovery(.handleAgain)
    let first = try await lives.open(plan: plan, options: options) { _, _ in try await gates.0.enter() }
    // The second one joins before the run is in the log, as far as the first is concerned, and the third one after that.
    let receipts = ["one", "two", "three", nil].map { first.send(.handle(7), key: $0) }
    try await gates.0.waitForArrivals(1)
    let late = first.send(.handle(7), key: "late")
    // Behind it, so that the key of the last one is in the log.
    #expect(await first.send(.note("noted")).outcome.kind == .finished)
    if isLeftOpen {
      await first.shutdown(drainFor: .zero)
      #expect(await late.outcome.kind == .leftOpen)
    }

    // It is handled again twice, so that the second life has to keep the keys, too.
    let second = try await lives.open(plan: plan, options: options) { _, _ in try await gates.1.enter() }
    try await gates.1.waitForArrivals(1)
    #expect(await second.send(.note("noted")).outcome.kind == .finished)
    let third = try await lives.open(plan: plan, options: options) { run, number in
      try await gates.2.enter()
      run.emit("done \(number)")
    }
    try await gates.2.waitForArrivals(1)
    let again = third.send(.handle(7), key: "one")
    gates.2.open()
    #expect(await again.outcome.kind == .finished)
    // Behind the end of the run, so that no action joins it once more.
    for key in ["late", "three", "two"] {
      #expect(await third.send(.handle(7), key: key).outcome.kind == .finished)
    }
    #expect(await third.state == ["noted", "noted", "done 7"])

    let fourth = try await lives.open(plan: plan, options: options) { _, _ in }
    for key in ["one", "two", "three", "late"] {
      #expect(await fourth.send(.handle(7), key: key).outcome.kind == .finished)
    }
    #expect(await fourth.state == ["noted", "noted", "done 7"], "the results of all keys are remembered")
    withExtendedLifetime((receipts, late)) {}
  }

  // The run that waits for its slot is taken up, and the one that waits for its turn is not.
  @Test(
    "D3: an action that joins a shared run which waits for its slot or its turn is not done again in the next process",
    arguments: [Plan.concurrent, .serial(key: "s")])
  func joinedWhileWaiting(blocking: Plan) async throws {
    let (blocks, gates) = (Gate(), (Gate(), Gate()))
    func open(_ shared: Gate) async throws -> Store<Sharing> {
      try await Store.open(
        initial: [], interactor: Sharing(blocks: blocks, shared: shared, blocking: blocking), journal: journal,
        key: "shared", configuration: StoreConfiguration(limits: .init(runsInFlight: 1)))
    }
    let first = try await open(gates.0)
    first.send("blocks")
    try await blocks.waitForArrivals(1)
    let receipts = ["one", "two"].map { first.send("shared", key: $0) }
    blocks.open()
    try await gates.0.waitForArrivals(1)
    await first.shutdown(drainFor: .zero)
    let second = try await open(gates.1)
    gates.1.open()
    for key in ["one", "two"] { #expect(await second.send("shared", key: key).outcome.kind == .finished) }
    #expect(await second.state == ["blocks", "shared"], "asked for behind the end, where none joins it")
    withExtendedLifetime(receipts) {}
  }

  // The key of the action that had left was answered by a run of others, so the action was never done.
  @Test(
    "D3: an action that joined a shared run and was cancelled is done anew when it is sent again after a crash",
    arguments: [1, 1_000])
  func joinedAndLeft(snapshotRecords: Int) async throws {
    var options = JournalOptions()
    options.snapshotRecords = snapshotRecords
    let (lives, gates) = (Lives(journal), (Gate(), Gate()))
    let plan = Plan.shared(key: "s").recovery(.handleAgain)
    let first = try await lives.open(plan: plan, options: options) { _, _ in try await gates.0.enter() }
    let receipts = ["one", "two"].map { first.send(.handle(7), key: $0) }
    try await gates.0.waitForArrivals(1)
    receipts[1].cancel()
    #expect(await receipts[1].outcome.kind == .cancelled)
    #expect(await first.send(.note("noted")).outcome.kind == .finished)
    let second = try await lives.open(plan: plan, options: options) { run, number in
      try await gates.1.enter()
      run.emit("done \(number)")
    }
    gates.1.open()
    #expect(await second.send(.handle(7), key: "one").outcome.kind == .finished)
    #expect(await second.send(.handle(8), key: "two").outcome.kind == .finished)
    #expect(await second.state == ["noted", "done 7", "done 8"])
    withExtendedLifetime(receipts) {}
  }

  // The timeout of the first ended the run for all, and each was done again when it was sent once more.
  @Test("T14: a restored run that others had joined has until the timeout of the last of them", arguments: [70, 111])
  func joinedTimeout(openedAt seconds: Int64) async throws {
    let (lives, gate, time) = (Lives(journal), Gate(), Recorder<Int64>())
    let wallTime: @Sendable () -> Int64 = { time.recorded.last ?? 0 }
    let plan = Plan.shared(key: "s").timeout(.seconds(60)).recovery(.handleAgain)
    let first = try await lives.open(plan: plan, wallTime: wallTime) { _, _ in try await gate.enter() }
    let early = first.send(.handle(7), key: "early")
    try await gate.waitForArrivals(1)
    time.record(50_000)
    let late = first.send(.handle(7), key: "late")
    #expect(await first.send(.note("noted")).outcome.kind == .finished)
    time.record(seconds * 1_000)
    let second = try await lives.open(plan: plan, wallTime: wallTime) { run, _ in run.emit("done") }
    #expect(await second.send(.handle(7), key: "late").outcome.kind == .finished)
    #expect(await second.state == (seconds < 110 ? ["noted", "done"] : ["noted", "timedOut", "done"]))
    withExtendedLifetime((early, late)) {}
  }

  @Test("A shared run that is not handled again has no record of the keys that joined it")
  func joinedAbandoned() async throws {
    let gate = Gate()
    let store = try await open { run, amount in
      try await gate.enter()
      run.emit(.added(amount))
    }
    let receipts = ["a", "b"].map { store.send(.shared(7), key: $0) }
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(try await journal.records(of: "account", after: .start).records.allSatisfy { $0.entry.kind != .joined })
  }
}
