import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The end of the stores of many keys", .timeLimit(.minutes(2)))
struct StoresEndTests {
  private let journal = KeysJournal()
  private let clock = TestClock()
  private let incidents = Recorder<Incident>()
  private let newcomer = JournalEpoch(host: "second", process: 2, time: 0)

  private func open(
    limits: StoresLimits = StoresLimits(), handling: @escaping Accounts.Handling = { _, _ in }
  ) async throws(JournalError) -> ManyAccounts {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { [incidents] in incidents.record($0) }
    return try await ManyAccounts.accounts(journal, limits: limits, configuration: configuration, handling: handling)
  }

  // MARK: Cancelling

  @Test("R3: Cancelling a key of many returns only when the end of each action is durable", arguments: [true, false])
  func durableCancel(ofAll: Bool) async throws {
    let (handlers, appends) = (Gate(), Gate())
    let stores = try await open { _, _ in try await handlers.enter() }
    let receipt = stores.send(.shared(1), to: "a")
    try await handlers.waitForArrivals(1)
    journal.holdAppends(at: appends)
    let steps = Recorder<String>()
    let cancelling = Task.immediate {
      if ofAll { try await stores.cancelAll(of: "a") } else { try await stores.cancel(key: "shared", of: "a") }
      steps.record("returned")
    }
    try await appends.waitForArrivals(1)
    steps.record("stored")
    journal.holdAppends(at: nil)
    appends.open()
    try await cancelling.value
    #expect(steps.recorded == ["stored", "returned"])
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(try await journal.base.all(.account("a")).last?.entry.kind == .end)
    await stores.shutdown()
  }

  @Test("R3: Cancelling a key of many throws if the journal fails before the ends are durable")
  func failedCancel() async throws {
    let gate = Gate()
    let stores = try await open { _, _ in try await gate.enter() }
    stores.send(.order(1), to: "a")
    try await gate.waitForArrivals(1)
    journal.failAppends(.corrupt)
    let error = await #expect(throws: StoreError.self) { try await stores.cancelAll(of: "a") }
    #expect(error?.code == .journal && (error?.underlying as? JournalError)?.code == .corrupt)
    await stores.shutdown()
  }

  // MARK: Fencing

  @Test("K5: A process without an address ends when another one claims its keys, and says which one")
  func fenced() async throws {
    let gate = Gate()
    let stores = try await open { _, _ in try await gate.enter() }
    for key in ["a", "b"] { #expect(await stores.send(.deposit(1), to: key).outcome.kind == .finished) }
    let order = stores.send(.order(1), to: "c")
    try await gate.waitForArrivals(1)
    let running = Task { await stores.run() }
    _ = try await journal.claim(JournalPartition(of: "accounts", number: 0), as: newcomer)
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .failed)
    await running.value
    let outcome = await order.outcome
    guard case .failed(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect((error as? JournalError)?.newcomer == newcomer)
    for key in ["a", "b", "new"] {
      let outcome = await stores.send(.deposit(1), to: key).outcome
      guard case .rejected(.journal(let error)) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect((error as? JournalError)?.newcomer == newcomer)
    }
    let read = await #expect(throws: StoreError.self) { _ = try await stores.state(of: "b") }
    #expect(read?.description.hasPrefix("The store has stopped because its journal failed") == true)
    let report = await stores.shutdown(drainFor: .seconds(10))
    #expect(!report.isClean && report.keys == 3 && report.failures == 3 && report.cancelled == 1)
    #expect((report.firstFailure as? JournalError)?.newcomer == newcomer)
    #expect(await stores.metrics.journal?.state == .failed)
    let found = incidents.recorded.filter { $0.kind == .fencedStores }
    #expect(found.count == 1)
    #expect(found.first?.description.hasPrefix(#"The stores "accounts" have ended, and open no key again;"#) == true)
    #expect(found.first?.description.contains("process 2 on second") == true)
  }

  @Test("K5: A process without an address ends also if it learns of the other one while it has no key in memory")
  func fencedWithoutKeys() async throws {
    let stores = try await open()
    _ = try await journal.claim(JournalPartition(of: "accounts", number: 0), as: newcomer)
    let error = await #expect(throws: JournalError.self) { try await stores.erase("a") }
    #expect(error?.newcomer == newcomer)
    await stores.run()
    let report = await stores.shutdown()
    #expect(!report.isClean && report.keys == 0 && report.failures == 0)
    #expect((report.firstFailure as? JournalError)?.newcomer == newcomer)
    #expect(report.description.contains("0 not durable; the journal failed: Partition 0"))
    #expect(incidents.recorded.map(\.kind) == [.fencedStores])
  }

  @Test("An address with a journal that processes cannot share is an error, and the earlier owner is not fenced")
  func notShared() async throws {
    let stores = try await open()
    let error = await #expect(throws: JournalError.self) {
      _ = try await ManyAccounts.open(
        name: "accounts", journal: journal, address: "10.0.0.7:8080", initial: { _ in Accounts.State() },
        interactor: { _ in Accounts() })
    }
    #expect(error?.code == .notShared)
    #expect(
      error?.description.hasPrefix(#"The stores "accounts" are to be shared at the address "10.0.0.7:8080""#) == true)
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    await stores.shutdown()
  }

  // MARK: Draining

  @Test("S1: A shutdown with a time opens and drains all keys to which actions were sent before, within the limits")
  func drainsAll() async throws {
    let stores = try await open(limits: StoresLimits(live: 10, opening: 4, waiting: 1_000))
    let receipts = (0..<400).map { stores.send(.deposit(1), to: "\($0)") }
    let report = await stores.shutdown(drainFor: .seconds(10))
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(report.isClean)
    #expect(await stores.metrics.commits == 400, "the counts of the keys stay")
    #expect(await stores.send(.deposit(1), to: "0").outcome.rejectionKind == .shuttingDown)
  }

  @Test("S1: A shutdown refuses calls that wait for an opening, and when its time is over also the actions that do")
  func drainEnds() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await open(limits: StoresLimits(opening: 1))
    let (opening, waiting) = (stores.send(.deposit(1), to: "a"), stores.send(.deposit(1), to: "b"))
    try await gate.waitForArrivals(1)
    let reads = ["b", "c"].map { key in Task.immediate { try await stores.state(of: key) } }
    let shutdown = Task.immediate { await stores.shutdown(drainFor: .seconds(10)) }
    for read in reads {
      let error = await #expect(throws: StoreError.self) { _ = try await read.value }
      #expect(error?.code == .shutDown)
    }
    try await clock.waitForSleepers()
    #expect(stores.summary.waiting == 1)
    clock.advance(by: .seconds(10))
    #expect(await waiting.outcome.rejectionKind == .shuttingDown)
    gate.open()
    #expect(await opening.outcome.kind == .finished)
    let report = await shutdown.value
    #expect(report.keys == 1 && report.isClean)
  }

  @Test("S1: A shutdown without a time, or a second one without, opens no key that waits")
  func drainIsCut() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await open(limits: StoresLimits(opening: 1))
    let (opening, waiting) = (stores.send(.deposit(1), to: "a"), stores.send(.deposit(1), to: "b"))
    try await gate.waitForArrivals(1)
    let first = Task.immediate { await stores.shutdown(drainFor: .seconds(10)) }
    let second = Task.immediate { await stores.shutdown() }
    #expect(await waiting.outcome.rejectionKind == .shuttingDown)
    gate.open()
    #expect(await opening.outcome.kind == .finished)
    #expect(await first.value.description == second.value.description)
    #expect(journal.openings.recorded == ["a"])
  }
}
