import MillraceTesting
import Testing

@testable import Millrace

@Suite("A store with a journal", .timeLimit(.minutes(1)))
struct StoreJournalTests {
  let journal = ScriptedJournal<Ledger.Action, [Int]>()
  let incidents = Recorder<Incident>()

  func store(
    revision: Int = 0, handling: @escaping Ledger.Handling = { _, _ in }
  ) -> Store<Ledger> {
    var configuration = StoreConfiguration()
    configuration.report = { [incidents] in incidents.record($0) }
    let store = Store.restored(
      [], revision: revision, interactor: Ledger(handling: handling),
      configuration: configuration, journal: journal, gate: journal.gate)
    journal.attach(to: store.journaled)
    return store
  }

  // MARK: Decided actions

  @Test("D1: the outcome of a decided action waits until its mutations are durable, and so do its commits")
  func decided() async {
    let store = store()
    let (one, many) = (store.send(.add([1])), store.send(.add([2, 3])))
    #expect(await store.state == [1, 2, 3], "the state is ahead of the journal")
    #expect(one.ticket == nil && one.outcomeNow == nil && many.outcomeNow == nil)
    let revisions = Task { (await one.firstCommit, await many.firstCommit, await many.lastRevision) }
    journal.store(1)
    #expect(await one.outcome.kind == .finished)
    #expect(many.outcomeNow == nil)
    journal.store(1)
    #expect(await many.outcome.kind == .finished)
    #expect(await revisions.value == (1, 2, 3))
    #expect(journal.entries == ["decided [1]", "decided [2, 3]"])
  }

  @Test("D1: an action that commits nothing waits for all that was committed before its decision, and for no more")
  func nothing() async {
    let store = store()
    #expect(await store.send(.add([])).outcome.kind == .finished, "nothing was committed before")
    store.send(.add([1]))
    let (empty, rejected) = (store.send(.add([])), store.send(.reject))
    store.send(.add([2]))
    #expect(empty.outcomeNow == nil && rejected.outcomeNow == nil)
    journal.store(1)
    #expect(await empty.outcome.kind == .finished)
    let revisions = await (empty.firstCommit, empty.lastRevision)
    #expect(revisions == (nil, nil))
    #expect(await rejected.outcome.rejectionKind == .decided)
    #expect(journal.entries == ["decided [1]", "decided [2]"])
  }

  @Test("A batch waits for each of its actions")
  func batch() async {
    let store = store()
    let batch = store.send(contentsOf: [.add([1]), .add([2])])
    let outcomes = Task { await batch.outcomes.map(\.kind) }
    journal.store(2)
    #expect(await outcomes.value == [.finished, .finished])
  }

  @Test("The answer to a request waits until the action is durable, decided at once or handled")
  func request() async throws {
    let store = store { run, value in run.emit(value) }
    let decided = Task { try await store.request(.add([1]), returning: { $0 }) }
    try await journal.waitForEntries(1)
    journal.fail()
    await #expect(throws: StoreError.self) { try await decided.value }
  }

  @Test("Revisions continue from that of the restored state")
  func restored() async {
    let store = store(revision: 7)
    #expect(await store.snapshot.revision == 7)
    store.send(.add([1]))
    #expect(await store.snapshot.revision == 8)
    #expect(journal.revisions == [7])
  }

  @Test("D1: a first commit that the journal holds back is seen when it is released, also behind the outcome")
  func firstCommitBehindOutcome() async {
    for (error, expected) in [(nil, 7), (Ledger.Refusal(), nil)] as [((any Error)?, Int?)] {
      let ticket = Ticket(id: .takenAtOnce(1), at: nil, lineage: nil)
      #expect(ticket.recordFirstCommit(7, isWithheld: true))
      _ = ticket.end(.finished, lastRevision: 7, cancelsTask: false, isWithheld: true)
      ticket.releaseOutcome(error)
      let first = Task.immediate { await ticket.firstCommit }
      ticket.releaseFirstCommit(error)
      #expect(await first.value == expected)
    }
  }

  // MARK: Handled actions

  @Test("D1: a handler starts when its action is durable, and its outcome comes when its end is")
  func handled() async throws {
    let begun = Recorder<Int>()
    let store = store { run, value in
      begun.record(value)
      run.emit(value + 1)
    }
    let receipt = store.send(.load(4))
    #expect(begun.recorded.isEmpty && journal.entries == ["taken up load(4) [4]"])
    journal.store(1)
    #expect(try await begun.next() == 4)
    try await journal.waitForEntries(3)
    #expect(receipt.outcomeNow == nil)
    #expect(journal.entries.dropFirst() == ["emitted 5", "ended finished"])
    journal.store(2)
    #expect(await receipt.outcome.kind == .finished)
    let revisions = await (receipt.firstCommit, receipt.lastRevision)
    #expect(revisions == (1, 2))
  }

  @Test("D1: a run that is cancelled has its outcome at once, and its receipt shows it when the closing is durable")
  func cancelled() async throws {
    let gate = Gate()
    let store = store { _, _ in try await gate.enter() }
    let receipt = store.send(.load(4))
    journal.store(1)
    try await gate.waitForArrivals(1)
    receipt.cancel()
    #expect(await store.state == [4, -4], "the closing is committed")
    #expect(receipt.outcomeNow == nil && journal.entries.last == "ended cancelled closing -4")
    journal.store(1)
    #expect(await receipt.outcome.kind == .cancelled)
  }

  @Test("A handler whose action was cancelled before it was durable never starts")
  func cancelledBefore() async {
    let begun = Recorder<Int>()
    let store = store { _, value in begun.record(value) }
    let receipt = store.send(.load(4))
    receipt.cancel()
    journal.store(2)
    #expect(await receipt.outcome.kind == .cancelled)
    await store.shutdown()
    #expect(begun.recorded.isEmpty)
  }

  @Test("A shared run has one entry for its take-up and one for its end; the other actions wait for what was kept")
  func shared() async throws {
    let gate = Gate()
    let store = store { run, value in
      try await gate.enter()
      run.emit(value)
    }
    let receipts = [store.send(.share(1)), store.send(.share(1))]
    journal.store(1)
    try await gate.waitForArrivals(1)
    receipts[0].cancel()
    gate.open()
    try await journal.waitForEntries(3)
    #expect(journal.entries == ["taken up share(1) []", "emitted 1", "ended finished"])
    journal.store(2)
    #expect(await receipts[0].outcome.kind == .cancelled)
    #expect(await receipts[1].outcome.kind == .finished)
  }

  @Test(
    "The end of a shared run remembers the keys of all actions that share it in one entry, but not of one that has left it",
    arguments: [4, 200])
  func sharedKeys(count: Int) async throws {
    let gate = Gate()
    let store = store { run, value in
      try await gate.enter()
      run.emit(value)
    }
    let first = store.send(.share(1))
    let receipts = (0..<count).map { store.send(.share(1), key: "\($0)") }
    journal.store(1)
    try await gate.waitForArrivals(1)
    receipts[1].cancel()
    gate.open()
    try await journal.waitForEntries(3)
    let keys = (0..<count).filter { $0 != 1 }.map(String.init).joined(separator: " ")
    #expect(journal.entries == ["taken up share(1) []", "emitted 1", "ended finished for \(keys), 1...1"])
    journal.store(2)
    #expect(await first.outcome.kind == .finished)
    for (number, receipt) in receipts.enumerated() {
      #expect(await receipt.outcome.kind == (number == 1 ? .cancelled : .finished))
    }
    #expect(journal.entries.count == 3)
    let left = await store.onRuns { [$0?.keyed.count, $0?.keyedJoiners.count] }
    #expect(left == [0, 0], "R5: no key is left behind")
  }

  @Test("A closing that cannot be encoded leaves the result of the key in the journal")
  func closingOfAKeyNotEncoded() async {
    let store = store()
    let receipt = store.send(.rejectClosing(13), key: "a")
    journal.store(1)
    #expect(await receipt.outcome.rejectionKind == .decided)
    #expect(journal.entries == ["decided [] for a, no revisions"])
    #expect(incidents.recorded.map(\.kind) == [.unhandledFailure])
  }

  @Test("D3: an action that is handled again is planned anew and not decided, and keeps its idempotency key")
  func handledAgain() async throws {
    let seen = Recorder<String>()
    let store = store { run, value in
      seen.record("\(run.idempotencyKey) \(value) \(run.attempt)")
      run.emit(value)
    }
    let ids = Recorder<ActionID>()
    let restored = RestoredAction(Ledger.Action.load(4), key: RunKey("key-1", isSenders: false))
    store.handleAgain([restored], in: RecoveryLine(on: ContinuousClock())) { ids.record($1) }
    try await journal.waitForEntries(1)
    #expect(seen.recorded.isEmpty)
    journal.store(1)
    #expect(try await seen.next() == "key-1 4 1" && ids.recorded.count == 1)
    try await journal.waitForEntries(3)
    #expect(journal.entries == ["resumed 1", "emitted 4", "ended finished"])
    #expect(await store.state == [4])
  }

  @Test("R2: an action that is handled again and ends while it waits gets its closing, because it was taken up before")
  func handledAgainCancelled() async throws {
    let gate = Gate()
    let store = store { _, _ in try await gate.enter() }
    let restored = [(4, "first"), (5, "second")].map { number, key in
      RestoredAction(Ledger.Action.loadSerially(number), key: RunKey(key, isSenders: false))
    }
    store.handleAgain(restored, in: RecoveryLine(on: ContinuousClock())) { _, _ in }
    journal.store(1)
    try await gate.waitForArrivals(1)
    store.cancelAll()
    #expect(Set(await store.state) == [-4, -5])
    #expect(Set(journal.entries) == ["resumed 1", "ended cancelled closing -4", "ended cancelled closing -5"])
  }

  // MARK: Entries that cannot be encoded

  @Test("A decision that cannot be encoded changes nothing, and its action ends alone", arguments: [[13], [1, 13]])
  func decisionNotEncoded(mutations: [Int]) async throws {
    let store = store()
    let outcome = await store.send(.add(mutations)).outcome
    #expect(outcome.rejectionKind == .journal)
    let planned = await store.send(.addSerially(mutations)).outcome
    #expect(planned.rejectionKind == .journal)
    #expect(await store.state.isEmpty && journal.entries.isEmpty)
    let next = store.send(.add([2]))
    journal.store(1)
    #expect(await next.outcome.kind == .finished)
  }

  @Test("A run whose mutation cannot be encoded fails with a closing, and one whose closing cannot ends without")
  func emitNotEncoded() async throws {
    let store = store { run, _ in run.emit(13) }
    let receipt = store.send(.load(4))
    let other = store.send(.load(-13))
    journal.store(2)
    try await journal.waitForEntries(4)
    journal.store(2)
    #expect(await receipt.outcome.kind == .failed)
    #expect(await other.outcome.kind == .failed)
    #expect(Set(await store.state) == [4, -13, -4])
    #expect(journal.entries.contains("ended failed"))
    let lost = incidents.recorded.filter {
      $0.description.contains("was not committed, because the journal did not take it")
    }
    #expect(lost.count == 1, "the closing of the other one")
  }

  // MARK: The end

  @Test("S1: a shutdown returns when all that was kept is durable, and observers end then")
  func shutdown() async throws {
    let store = store { _, _ in try await Gate().enter() }
    let receipt = store.send(.load(4))
    let states = Recorder<[Int]>()
    let observer = states.record(from: store.states)
    let ended = Recorder<ShutdownReport>()
    Task.immediate { ended.record(await store.shutdown()) }
    #expect(ended.recorded.isEmpty, "it waits for the journal")
    #expect(await store.state == [4, -4] && receipt.outcomeNow == nil)
    #expect(journal.entries.last == "ended shutDown closing -4")
    journal.store(2)
    #expect(try await ended.next().cancelled == [receipt.id])
    #expect(await receipt.outcome.kind == .shutDown)
    try await observer.value
    #expect(states.recorded.last == [4, -4])
  }

  @Test(
    "R6: for the journal the release of a store is a crash; an action that had ended gets its outcome once that is stored"
  )
  func released() async throws {
    var store: Store<Ledger>? = store { _, _ in try await Gate().enter() }
    let decided = store?.send(.add([1]))
    let open = store?.send(.load(4))
    store = nil
    #expect(await open?.outcome.kind == .shutDown)
    #expect(journal.entries == ["decided [1]", "taken up load(4) [4]"])
    journal.store(1)
    #expect(await decided?.outcome.kind == .finished)
  }
}
