import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Idempotency keys", .timeLimit(.minutes(1)))
struct IdempotencyTests {
  private let journal = MemoryJournal()

  private func open(
    keys: Int = 100, in journal: MemoryJournal? = nil, configuration: StoreConfiguration = StoreConfiguration(),
    handling: @escaping Accounts.Handling = { run, amount in run.emit(.added(amount)) }
  ) async throws -> Store<Accounts> {
    var options = JournalOptions()
    (options.rememberedKeys, options.snapshotAtShutdown) = (keys, true)
    return try await Store.open(
      initial: Accounts.State(), interactor: Accounts(handling: handling), journal: journal ?? self.journal,
      key: "account", configuration: configuration, options: options)
  }

  /// The outcome and the revisions of a receipt as a text.
  private func text(_ receipt: Receipt) async -> String {
    let (outcome, first, last) = await (receipt.outcome, receipt.firstCommit ?? 0, receipt.lastRevision ?? 0)
    return "\(outcome), \(first) to \(last)"
  }

  // MARK: Once

  @Test(
    "An action is done once for its key: decided, ignored, rejected and handled; later ones have its outcome and revisions",
    arguments: [
      (Accounts.Action.deposit(5), "finished, 2 to 2", 15), (.look, "finished, 0 to 0", 10),
      (.withdraw(11), "rejected: The interactor decided against the action: only 10, 0 to 0", 10),
      (.order(7), "finished, 2 to 2", 17), (.shared(7), "finished, 2 to 2", 17),
    ])
  func once(_ action: Accounts.Action, _ expected: String, _ balance: Int) async throws {
    let first = try await open()
    _ = await first.send(.deposit(10)).outcome
    #expect(await text(first.send(action, key: "a")) == expected)
    #expect(await text(first.send(action, key: "a")) == expected)
    #expect(await text(try first.submit(action, key: "a")) == expected)
    #expect(await first.state.balance == balance)
    let second = try await open()
    #expect(await text(second.send(action, key: "a")) == expected, "the key survives a crash")
    #expect(await second.state.balance == balance)
    await second.shutdown(drainFor: .seconds(1))
    let third = try await open()
    #expect(await text(third.send(action, key: "a")) == expected, "the key is in the snapshot")
    #expect(await third.state.balance == balance)
    #expect(await third.send(.deposit(1), key: "b").lastRevision == third.snapshot.revision)
  }

  @Test("The error of a rejection is the decision's own, and after a crash a remembered one with its text")
  func rejection() async throws {
    let first = try await open()
    for _ in 0..<2 {
      guard case .rejected(.decided(let error)) = await first.send(.withdraw(1), key: "a").outcome else {
        Issue.record("It was not rejected.")
        return
      }
      #expect(error is Accounts.Refusal)
    }
    guard case .rejected(.decided(let error)) = await (try open()).send(.withdraw(1), key: "a").outcome else {
      Issue.record("It was not rejected.")
      return
    }
    #expect((error as? RememberedError)?.description == "only 0")
  }

  @Test("Of a long error of a rejection the first characters are remembered")
  func longRejection() {
    let error = Accounts.Refusal(description: String(repeating: "é", count: 5_000))
    let result = KeyedResult(keys: ["a"], outcome: .rejected(.decided(error)), revisions: nil)
    #expect(RememberedResult.all(of: result, at: 0).map(\.rejection) == [String(repeating: "é", count: 4_096) + "…"])
  }

  @Test("An action that fails or is cancelled frees its key")
  func freed() async throws {
    let (gate, attempts) = (Gate(), Recorder<Int>())
    let store = try await open { run, amount in
      attempts.record(amount)
      if attempts.recorded.count == 1 { throw Accounts.Refusal(description: "not now") }
      if attempts.recorded.count == 2 { try await gate.enter() }
      run.emit(.added(amount))
    }
    #expect(await store.send(.order(3), key: "a").outcome.kind == .failed)
    let cancelled = store.send(.order(3), key: "a")
    try await gate.waitForArrivals(1)
    cancelled.cancel()
    #expect(await cancelled.outcome.kind == .cancelled)
    #expect(await store.send(.order(3), key: "a").outcome.kind == .finished)
    #expect(await store.state.balance == 3 && attempts.recorded.count == 3)
  }

  // MARK: Open

  @Test("While the first action of a key is open, later ones wait for it; cancelling one of them ends that one alone")
  func joins() async throws {
    let gate = Gate()
    let store = try await open { run, amount in
      try await gate.enter()
      run.emit(.added(amount))
    }
    let receipts = (0..<3).map { _ in store.send(.order(7), key: "a") }
    try await gate.waitForArrivals(1)
    receipts[1].cancel()
    #expect(await receipts[1].outcome.kind == .cancelled)
    gate.open()
    for index in [0, 2] { #expect(await text(receipts[index]) == "finished, 1 to 1") }
    #expect(await store.state.balance == 7)
  }

  @Test("Actions that wait for the first of their key are bounded, and end with it when the store is shut down")
  func bounded() async throws {
    let gate = Gate()
    var configuration = StoreConfiguration()
    configuration.limits = .init(actionsWaiting: 1)
    let store = try await open(configuration: configuration) { _, _ in try await gate.enter() }
    let receipts = (0..<3).map { _ in store.send(.order(7), key: "a") }
    #expect(await receipts[2].outcome.rejectionKind == .full)
    await store.shutdown(drainFor: .zero)
    for index in [0, 1] { #expect(await receipts[index].outcome.kind == .shutDown) }
  }

  @Test("Repeats of an open key are counted until it ends, so that the bound applies anew to each key")
  func boundedAnew() async throws {
    var configuration = StoreConfiguration()
    configuration.limits = .init(actionsWaiting: 2)
    let gates = (0..<4).map { _ in Gate() }
    let store = try await open(configuration: configuration) { run, number in
      try await gates[number].enter()
      run.emit(.added(1))
    }
    for number in gates.indices {
      let receipts = (0..<4).map { _ in store.send(.order(number), key: "\(number)") }
      #expect(await receipts[3].outcome.rejectionKind == .full)
      try await gates[number].waitForArrivals(1)
      receipts[1].cancel()
      gates[number].open()
      for index in [0, 2] { #expect(await receipts[index].outcome.kind == .finished) }
    }
    #expect(await store.state.balance == 4)
  }

  @Test("An action that is refused before its take-up leaves its key to the first one, and its followers keep waiting")
  func refused() async throws {
    let gate = Gate()
    let store = try await open { run, amount in
      try await gate.enter()
      run.emit(.added(amount))
    }
    let receipts = (0..<2).map { _ in store.send(.order(7), key: "a") }
    try await gate.waitForArrivals(1)
    store.setInterceptors([RefusingInterceptor()])
    #expect(await store.send(.order(7), key: "a").outcome.rejectionKind == .intercepted)
    store.setInterceptors([])
    let late = store.send(.order(7), key: "a")
    gate.open()
    for receipt in receipts + [late] { #expect(await text(receipt) == "finished, 1 to 1") }
    #expect(await store.state.balance == 7, "it is handled once")
  }

  @Test(
    "D3: the key of an action is that of its handler, and of the one that handles it again; a later action waits for that"
  )
  func handledAgain() async throws {
    let (gate, keys) = (Gate(), Recorder<String>())
    let first = try await open { run, _ in
      keys.record(run.idempotencyKey)
      try await gate.enter()
    }
    let receipt = first.send(.orderAgain(7), key: "mine")
    #expect(try await keys.next() == "7.account/4.mine")
    let again = Gate()
    let second = try await open { run, amount in
      keys.record(run.idempotencyKey)
      try await again.enter()
      run.emit(.added(amount))
    }
    #expect(try await keys.next() == "7.account/4.mine")
    let joined = second.send(.orderAgain(7), key: "mine")
    again.open()
    #expect(await text(joined) == "finished, 1 to 1")
    #expect(await second.state.balance == 7)
    withExtendedLifetime((first, receipt)) {}
  }

  @Test(
    "Keys that are canonically equal and differ in UTF-8 are two keys: open, remembered, after a crash and in a snapshot"
  )
  func canonicallyEqual() async throws {
    let (one, two) = ("caf\u{E9}", "cafe\u{301}")
    #expect(one == two, "they are one string")
    let gate = Gate()
    let first = try await open { run, amount in
      try await gate.enter()
      run.emit(.added(amount))
    }
    let receipts = [one, two, two].map { first.send(.order(7), key: $0) }
    try await gate.waitForArrivals(2)
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(await first.state.balance == 14)
    let second = try await open()
    for key in [one, two] { #expect(await second.send(.order(7), key: key).outcome.kind == .finished) }
    #expect(await second.state.balance == 14)
    await second.shutdown(drainFor: .seconds(1))
    let third = try await open()
    for key in [one, two] { #expect(await third.send(.order(7), key: key).outcome.kind == .finished) }
    #expect(await third.state.balance == 14)
  }

  // MARK: The window

  @Test("A key is forgotten when as many later ones have ended as the options say")
  func count() async throws {
    let store = try await open(keys: 2)
    for key in ["a", "b", "c"] { _ = await store.send(.deposit(1), key: key).outcome }
    for key in ["b", "c"] { _ = await store.send(.deposit(1), key: key).outcome }
    #expect(await store.state.balance == 3)
    _ = await store.send(.deposit(1), key: "a").outcome
    #expect(await store.state.balance == 4)
    #expect(try await open(keys: 2).send(.deposit(1), key: "b").lastRevision == 5, "c and a are the newest two")
  }

  @Test("A key is forgotten after 24 hours of wall time, also across a crash")
  func time() async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal()
      func open() async throws -> Store<Accounts> {
        try await self.open(in: journal, configuration: world.configuration)
      }
      let first = try await open()
      _ = await first.send(.deposit(1), key: "a").outcome
      try await world.clock.sleep(for: .seconds(86_000))
      _ = await first.send(.deposit(1), key: "a").outcome
      let second = try await open()
      _ = await second.send(.deposit(1), key: "a").outcome
      world.expect(await second.state.balance == 1, "it is remembered for a day")
      try await world.clock.sleep(for: .seconds(500))
      _ = await second.send(.deposit(1), key: "a").outcome
      world.expect(await second.state.balance == 2, "it is forgotten then")
    }
  }

  @Test("The wall time of the store's configuration, which a test clock moves, says how long a key is remembered")
  func testClock() async throws {
    let clock = TestClock()
    let store = try await open(configuration: .testing(clock: clock))
    for seconds in [0, 86_000, 500] {
      clock.advance(by: .seconds(seconds))
      _ = await store.send(.deposit(1), key: "a").outcome
    }
    #expect(await store.state.balance == 2)
  }

  // MARK: Confirming

  @Test("D4: a decision that commits nothing is confirmed by a mark, so that of a store which was taken over fails")
  func confirming() async throws {
    func open() async throws -> Store<Accounts> {
      try await Store.open(initial: Accounts.State(), interactor: Accounts(), journal: journal, key: "account")
    }
    let first = try await open()
    #expect(await first.send(.look, confirming: true).outcome.kind == .finished)
    #expect(await first.send(.withdraw(1), confirming: true).outcome.rejectionKind == .decided)
    #expect(try await journal.lastSequence(of: "account") == 3, "an epoch and two marks")
    #expect(await first.send(.deposit(1), confirming: true).outcome.kind == .finished)
    #expect(try await journal.lastSequence(of: "account") == 4, "a commit needs no mark")
    let second = try await open()
    #expect(await first.send(.look).outcome.kind == .finished)
    let outcome = try await first.submit(.look, confirming: true).outcome
    guard case .failed(let error as JournalError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .conflict && error.newcomer != nil)
    withExtendedLifetime(second) {}
  }

  @Test("A store without a journal rejects an action with a key, and says the fix")
  func withoutJournal() async {
    let store = Store(initial: Accounts.State(), interactor: Accounts())
    let outcome = await store.send(.deposit(1), key: "a").outcome
    #expect(outcome.rejectionKind == .journal)
    #expect(
      outcome.description
        == "rejected: The journal did not take the action: The store has no journal, so it neither remembers idempotency keys nor "
        + "confirms decisions; open it with `Store.open`.")
    #expect(await store.state.balance == 0)
  }

  // MARK: The table

  @Test("A key that comes twice takes the place of its own result only")
  func twice() {
    var table = IdempotencyTable(JournalOptions())
    let keys = ["\u{E9}", "e\u{301}", "\u{E9}"]
    for (index, key) in keys.enumerated() {
      let result = KeyedResult(keys: [key], outcome: .finished, revisions: index + 1...index + 1)
      table.remember(RememberedResult(result, of: key, at: 1))
    }
    #expect(table.results.all.map(\.last) == [2, 3])
    #expect(table.result(of: keys[0], at: 1)?.revisions == 3...3)
    #expect(table.result(of: keys[1], at: 1)?.revisions == 2...2)
  }

  @Test("A table keeps the newest results in their order, also where a key comes twice and a copy is held")
  func table() {
    var options = JournalOptions()
    options.rememberedKeys = 600
    var table = IdempotencyTable(options)
    func remember(_ number: Int, at time: Int64) {
      let result = KeyedResult(keys: ["\(number)"], outcome: .finished, revisions: nil)
      table.remember(RememberedResult(result, of: "\(number)", at: time))
    }
    for number in 0..<1_000 { remember(number, at: Int64(number)) }
    let held = table
    #expect(table.results.all.map(\.key) == (400..<1_000).map(String.init))
    remember(500, at: 1_000)
    #expect(table.results.all.map(\.key) == ((400..<1_000).filter { $0 != 500 } + [500]).map(String.init))
    table.forget(at: 86_400_000 + 900)
    #expect(table.results.all.map(\.key) == ((900..<1_000) + [500]).map(String.init))
    #expect(table.result(of: "899", at: 0) == nil && table.result(of: "500", at: 0) != nil)
    for time in [Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max)] {
      options.rememberedTime = time
      #expect(IdempotencyTable(options).results.all.isEmpty, "no time is a trap")
    }
    table.forget(at: .max / 2)
    #expect(table.results.all.isEmpty && held.results.all.count == 600)
  }
}

private struct RefusingInterceptor: Interceptor {
  typealias I = Accounts

  func intercept(
    _ action: Accounts.Action, context: InterceptionContext<Accounts.Action>
  ) -> Interception<Accounts.Action> { .reject("not now") }
}
