import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

/// The stores of accounts, of which each key is a text.
typealias ManyAccounts = Stores<String, Accounts>

extension Stores where Key == String, I == Accounts {
  /// Opens accounts whose initial balance is the number of characters of their keys.
  static func accounts(
    _ journal: any PartitionedJournal, limits: StoresLimits = StoresLimits(),
    configuration: StoreConfiguration = StoreConfiguration(), options: JournalOptions = JournalOptions(),
    handling: @escaping Accounts.Handling = { _, _ in }
  ) async throws(JournalError) -> ManyAccounts {
    try await ManyAccounts.open(
      name: "accounts", journal: journal, limits: limits, configuration: configuration, options: options,
      initial: { Accounts.State(balance: $0.count) }, interactor: { _ in Accounts(handling: handling) })
  }
}

@Suite("The stores of many keys", .timeLimit(.minutes(2)))
struct StoresTests {
  private let journal = KeysJournal()

  @Test("K1: Each key has a state, a log and idempotency keys of its own")
  func keys() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    #expect(await stores.send(.deposit(5), to: "a", key: "request").outcome.kind == .finished)
    #expect(await stores.send(.deposit(7), to: "bb", key: "request").outcome.kind == .finished)
    #expect(try await stores.state(of: "a").balance == 6)
    #expect(try await stores.snapshot(of: "bb") == Snapshot(revision: 1, state: Accounts.State(balance: 9)))
    #expect(try await stores.state(of: "ccc").balance == 3)
    #expect(try await stores.request(.deposit(1), of: "a", returning: { $0.balance }) == 7)
    #expect(await stores.send(.withdraw(100), to: "a").outcome.kind == .rejected)
    #expect(try await stores.submit(.deposit(1), to: "a").outcome.kind == .finished)
    #expect(try await journal.base.texts(.account("a")).count == 4, "an epoch and three deposits")
    #expect(try await journal.base.keys(of: "accounts", prefix: "", after: nil).map(\.name) == ["a", "bb"])
    let report = await stores.shutdown()
    #expect(report.isClean && report.keys == 3)
    #expect(report.description == "3 keys: 0 drained, 0 cancelled, 0 left open, 0 not returned")
  }

  @Test("K1: Keys that are canonically equivalent are two keys, and a key that its text does not give back is refused")
  func unicode() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    #expect(await stores.send(.deposit(5), to: "\u{E9}").outcome.kind == .finished)
    #expect(try await stores.state(of: "e\u{301}").balance == 1)
    #expect(try await stores.state(of: "\u{E9}").balance == 6)
    #expect(stores.summary.live == 2)
    let flags = try await Stores<Rounded, Accounts>.open(
      name: "rounded", journal: journal, initial: { _ in Accounts.State() }, interactor: { _ in Accounts() })
    #expect(await flags.send(.deposit(1), to: Rounded(value: 2)).outcome.kind == .finished)
    let outcome = await flags.send(.deposit(1), to: Rounded(value: 2.5)).outcome
    guard case .rejected(.journal(let error)) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect((error as? JournalError)?.code == .noKey)
    #expect("\(error)".hasPrefix(#"The text "about 2" of "rounded" does not lead back to itself"#))
    await flags.shutdown()
    await stores.shutdown()
  }

  /// A key whose text leaves the fraction out for some values.
  private struct Rounded: LosslessStringConvertible, Hashable {
    let value: Double

    init(value: Double) { self.value = value }

    init?(_ description: String) { self.init(value: Double(description) ?? 0) }

    var description: String { value == value.rounded() ? "\(value)" : "about \(Int(value))" }
  }

  @Test("K3: Many sends to a cold key open it once, and are taken up in the order of each sender")
  func singleFlight() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await ManyAccounts.accounts(journal)
    let receipts = await withTaskGroup(of: [Receipt].self, returning: [Receipt].self) { group in
      for sender in 0..<10 {
        group.addTask { (0..<100).map { stores.send(.order(sender * 100 + $0), to: "a") } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(stores.summary.opening == 1 && stores.summary.live == 0)
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(journal.openings.recorded == ["a"])
    let takeUps = try await journal.base.all(.account("a")).filter { $0.entry.kind == .takeUp }
    #expect(takeUps.count == 1_000)
    let numbers = takeUps.compactMap { record in (0..<1_000).first { record.text.contains("\"order\":{\"_0\":\($0)}") }
    }
    for sender in 0..<10 {
      let own = numbers.filter { $0 / 100 == sender }
      #expect(own == Array(sender * 100..<sender * 100 + 100))
    }
    await stores.shutdown()
  }

  @Test(
    "K3: Keys whose first uses come from two threads are opened once, and the sends of each keep their order meanwhile")
  func concurrentFirstUses() async throws {
    let stores = try await Stores<String, Orders>.open(
      name: "orders", journal: journal, initial: { _ in [] }, interactor: { _ in Orders() })
    for round in 0..<100 {
      let key = "\(round)"
      await withTaskGroup { group in
        for sender in 1...2 {
          group.addTask {
            let receipts = (0..<60).map { stores.send(.note(sender * 100 + $0), to: key) }
            for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
          }
        }
      }
      let notes = try await stores.state(of: key).compactMap { Int($0.dropFirst(5)) }
      for sender in 1...2 { #expect(notes.filter { $0 / 100 == sender } == Array(sender * 100..<sender * 100 + 60)) }
    }
    #expect(journal.openings.recorded == (0..<100).map { "\($0)" })
    await stores.shutdown()
  }

  @Test("R3: An action that is cancelled while its key is opened ends at once, and is not decided")
  func cancelledWhileHeld() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await ManyAccounts.accounts(journal)
    let receipts = (0..<3).map { _ in stores.send(.deposit(10), to: "a") }
    try await gate.waitForArrivals(1)
    receipts[1].cancel()
    #expect(await receipts[1].outcome.kind == .cancelled)
    gate.open()
    #expect(await receipts[2].outcome.kind == .finished)
    #expect(try await stores.state(of: "a").balance == 21)
    await stores.shutdown()
  }

  @Test("K3: An opening that fails is the failure of those who wait, and the next use opens the key")
  func failedOpening() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    journal.failOpenings(.corrupt)
    let stores = try await ManyAccounts.accounts(journal)
    let receipts = (0..<3).map { stores.send(.deposit($0), to: "a") }
    async let read: Accounts.State = stores.state(of: "a")
    async let states = stores.states(of: "a").reduce(into: 0) { count, _ in count += 1 }
    try await gate.waitForArrivals(1)
    gate.open()
    for receipt in receipts {
      let outcome = await receipt.outcome
      guard case .rejected(.journal(let error)) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect((error as? JournalError)?.code == .corrupt)
    }
    // The reads may have come before or after the failure.
    _ = try? await read
    await stores.hibernate("a")
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    #expect(try await stores.state(of: "a").balance == 2)
    await stores.shutdown()
    #expect(await states >= 0)
    journal.failOpenings(.corrupt)
    let again = try await ManyAccounts.accounts(journal)
    let error = await #expect(throws: StoreError.self) { _ = try await again.state(of: "a") }
    #expect(error?.code == .journal && (error?.underlying as? JournalError)?.code == .corrupt)
    #expect(
      error?.description.hasPrefix("The store of the key could not be opened, and the next use of the key") == true)
    #expect(again.summary.failed == 1)
    await again.shutdown()
  }

  @Test("K5: Reading the states of cold keys appends nothing")
  func reading() async throws {
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(live: 10))
    for number in 0..<200 { #expect(try await stores.state(of: "\(number)").balance == "\(number)".count) }
    #expect(journal.openings.recorded.count == 200 && journal.appends.recorded.isEmpty)
    #expect(stores.summary.live <= 10 && stores.summary.hibernated >= 190)
    await stores.shutdown()
    #expect(journal.appends.recorded.isEmpty && journal.snapshots.recorded.isEmpty)
  }

  @Test("K5: When another process claims the partition, the next append to any key fails and names it")
  func fenced() async throws {
    let first = try await ManyAccounts.accounts(journal)
    for key in ["a", "b"] { #expect(await first.send(.deposit(1), to: key).outcome.kind == .finished) }
    let newcomer = JournalEpoch(host: "second", process: 2, time: 0)
    _ = try await journal.claim(JournalPartition(of: "accounts", number: 0), as: newcomer)
    let outcome = await first.send(.deposit(1), to: "a").outcome
    guard case .failed(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect((error as? JournalError)?.newcomer == newcomer)
    await first.run()
    let second = try await ManyAccounts.accounts(journal)
    for key in ["a", "b"] { #expect(try await second.state(of: key).balance == 2) }
    #expect(try await second.state(of: "c").balance == 1)
    #expect(await first.send(.deposit(1), to: "a").outcome.rejectionKind == .journal)
    #expect(await second.send(.deposit(1), to: "a").outcome.kind == .finished)
    await first.shutdown()
    await second.shutdown()
  }

  @Test("After a shutdown, which many calls join, every use is refused, and a release ends what waits")
  func ends() async throws {
    let gate = Gate()
    let stores = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    let open = stores.send(.order(1), to: "a")
    let again = stores.send(.orderAgain(2), to: "b")
    #expect(try await stores.state(of: "a").balance == 1)
    #expect(try await stores.state(of: "b").balance == 1)
    try await gate.waitForArrivals(2)
    async let run: Void = stores.run()
    let (first, second) = await (stores.shutdown(), stores.shutdown())
    await run
    #expect(first.cancelled == 1 && first.leftOpen == 1 && first.keys == 2 && first.description == second.description)
    #expect(await open.outcome.kind == .shutDown)
    #expect(await again.outcome.kind == .leftOpen)
    #expect(await stores.send(.deposit(1), to: "a").outcome.rejectionKind == .shuttingDown)
    let error = await #expect(throws: StoreError.self) { _ = try await stores.state(of: "c") }
    #expect(error?.code == .shutDown)
    await stores.run()
    var released: ManyAccounts? = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    let left = released?.send(.order(3), to: "c")
    _ = try await released?.state(of: "c")
    try await gate.waitForArrivals(3)
    // The store is watched then, and reports at its release.
    #expect(await released?.hibernate("c") == false)
    released = nil
    #expect(await left?.outcome.kind == .shutDown)
  }
}
