import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The lists of keys, and their erasure", .timeLimit(.minutes(2)))
struct StoresKeysTests {
  private let journal = KeysJournal()

  @Test("K7: Keys are listed in the order of their UTF-8, by prefix, in pages, and those in memory apart")
  func lists() async throws {
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(live: 4))
    for key in ["b", "a", "\u{E9}", "ab", "Z"] {
      #expect(await stores.send(.deposit(1), to: key).outcome.kind == .finished)
      await stores.untilUnused(key)
    }
    #expect(try await stores.keys() == ["Z", "a", "ab", "b", "\u{E9}"])
    #expect(try await stores.keys(prefix: "a") == ["a", "ab"])
    #expect(try await stores.keys(after: "ab") == ["b", "\u{E9}"])
    #expect(stores.liveKeys() == ["Z", "a", "ab", "\u{E9}"] && stores.liveKeys(after: "ab") == ["\u{E9}"])
    #expect(try await stores.dueKeys().isEmpty)
    await stores.shutdown()
    let unstored = ManyAccounts.inMemory(name: "x", initial: { _ in .init() }, interactor: { _ in Accounts() })
    for key in ["b", "a", "ab"] { #expect(await unstored.send(.deposit(1), to: key).outcome.kind == .finished) }
    #expect(try await unstored.keys() == ["a", "ab", "b"])
    #expect(try await unstored.keys(prefix: "a", after: "a") == ["ab"])
    await unstored.shutdown()
  }

  @Test("K7: A name that is no key any more is left out of the lists, and does not end them")
  func otherNames() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    for number in 0..<1_001 { #expect(await stores.send(.deposit(1), to: "a\(number)").outcome.kind == .finished) }
    #expect(await stores.send(.deposit(1), to: "b1").outcome.kind == .finished)
    await stores.shutdown()
    let numbers = try await Stores<Digits, Accounts>.open(
      name: "accounts", journal: journal, initial: { _ in .init() }, interactor: { _ in Accounts() })
    #expect(try await numbers.keys().map(\.description) == ["b1"])
    await numbers.shutdown()
  }

  /// A key whose text does not begin with the letter a.
  private struct Digits: LosslessStringConvertible, Hashable {
    let description: String

    init?(_ description: String) {
      if description.hasPrefix("a") { return nil }
      self.description = description
    }
  }

  @Test("K4, K7: The keys that have to be open are listed")
  func due() async throws {
    let gate = Gate()
    let stores = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    for key in ["b", "a"] { stores.send(.order(1), to: key) }
    try await gate.waitForArrivals(2)
    #expect(try await stores.dueKeys() == ["a", "b"])
    #expect(try await stores.dueKeys(limit: 1) == ["a"])
    #expect(try await stores.dueKeys(limit: -1).isEmpty)
    await stores.shutdown()
  }

  @Test("K7: An erased key has no record and no name; its open actions end without closings, and it begins anew")
  func erased() async throws {
    let gate = Gate()
    let stores = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    #expect(await stores.send(.deposit(5), to: "a", key: "request").outcome.kind == .finished)
    #expect(await stores.send(.deposit(5), to: "b").outcome.kind == .finished)
    let open = stores.send(.orderAgain(1), to: "a")
    try await gate.waitForArrivals(1)
    var states = stores.states(of: "a").makeAsyncIterator()
    #expect(await states.next()?.balance == 6)
    try await stores.erase("a")
    #expect(await open.outcome.kind == .cancelled)
    #expect(await states.next() == nil)
    #expect(try await journal.base.texts(.account("a"), after: 4).isEmpty)
    #expect(try await stores.keys() == ["b"])
    #expect(await stores.send(.deposit(5), to: "a", key: "request").outcome.kind == .finished)
    #expect(try await stores.state(of: "a") == Accounts.State(balance: 6))
    #expect(try await stores.state(of: "b").balance == 6)
    try await stores.erase("nobody")
    #expect(await stores.hibernate("a"))
    try await stores.erase("a")
    #expect(try await stores.state(of: "a") == Accounts.State(balance: 1))
    await stores.shutdown()
    let error = await #expect(throws: StoreError.self) { try await stores.erase("b") }
    #expect(error?.code == .shutDown)
  }

  // An append that was stored behind the erasure would bring the name back.
  @Test("K7: The store of a key that is erased ends only when the appends that are out are answered")
  func appended() async throws {
    let (appends, discarded) = (Gate(), Recorder<Void>())
    let stores = try await ManyAccounts.accounts(journal)
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    let store = try #require(stores.core.registry.withLock { $0.members[UTF8Text("a")] }).store
    journal.holdAppends(at: appends)
    let stored = stores.send(.deposit(1), to: "a")
    try await appends.waitForArrivals(1)
    // It runs here up to its first wait.
    let discarding = Task.immediate {
      await store.discard()
      discarded.record(())
    }
    #expect(discarded.recorded.isEmpty)
    appends.open()
    await discarding.value
    #expect(await stored.outcome.kind == .finished)
    await stores.shutdown()
  }

  @Test(
    "K7: While a key is erased, whether it opens, is open, hibernates or waits, its uses are refused, and nothing comes back"
  )
  func refused() async throws {
    let (gate, snapshots) = (Gate(), Gate())
    journal.holdOpenings(at: gate)
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(opening: 1))
    let opening = stores.send(.deposit(1), to: "a")
    try await gate.waitForArrivals(1)
    let waiting = stores.send(.deposit(1), to: "b")
    try await stores.erase("b")
    #expect(await waiting.outcome.rejectionKind == .erased)
    let erasing = Task.immediate { try await stores.erase("a") }
    #expect(await stores.send(.deposit(1), to: "a").outcome.rejectionKind == .erased)
    let error = await #expect(throws: StoreError.self) { try await stores.erase("a") }
    #expect(error?.outcome?.rejectionKind == .erased)
    gate.open()
    try await erasing.value
    #expect([.finished, .cancelled].contains(await opening.outcome.kind))
    #expect(try await stores.keys().isEmpty)
    journal.holdSnapshots(at: snapshots)
    for _ in 0..<101 { #expect(await stores.send(.deposit(1), to: "c").outcome.kind == .finished) }
    async let hibernated = stores.hibernate("c")
    try await snapshots.waitForArrivals(1)
    let next = stores.send(.deposit(1), to: "c")
    let erased = Task.immediate { try await stores.erase("c") }
    #expect(await next.outcome.rejectionKind == .erased)
    snapshots.open()
    try await erased.value
    #expect(await hibernated)
    #expect(try await stores.keys().isEmpty)
    #expect(try await stores.state(of: "c").balance == 1)
    await stores.shutdown()
  }
}
