import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The hibernation of keys", .timeLimit(.minutes(2)))
struct HibernationTests {
  private let journal = KeysJournal()
  private let clock = TestClock()

  @Test("K2: An idle key hibernates when it has not been used for the time of the limits, and not before")
  func age() async throws {
    let stores = try await ManyAccounts.accounts(
      journal, limits: StoresLimits(idle: .seconds(60)), configuration: StoreConfiguration(clock: clock))
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    clock.advance(by: .seconds(30))
    #expect(await stores.send(.deposit(1), to: "b").outcome.kind == .finished)
    clock.advance(by: .seconds(29))
    #expect(await stores.send(.deposit(1), to: "b").outcome.kind == .finished)
    await stores.untilUnused("b")
    #expect(stores.summary.live == 2)
    clock.advance(by: .seconds(1))
    await stores.untilHibernatedByItself("a")
    #expect(stores.summary.live == 1 && stores.summary.hibernated == 1)
    clock.advance(by: .seconds(58))
    #expect(stores.summary.live == 1, "b was used 59 seconds ago")
    clock.advance(by: .seconds(1))
    await stores.untilHibernatedByItself("b")
    #expect(stores.summary.live == 0)
    #expect(try await stores.state(of: "a").balance == 2)
    #expect(journal.openings.recorded == ["a", "b", "a"])
    await stores.shutdown()
  }

  @Test("K2: A key hibernates when another one needs its place, the one unused for longest first")
  func count() async throws {
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(live: 3))
    for key in ["a", "b", "c", "a", "d", "a", "b"] {
      #expect(await stores.send(.deposit(1), to: key).outcome.kind == .finished)
      await stores.untilUnused(key)
    }
    // `d` takes the place of `b`, and `b` that of `c`.
    #expect(journal.openings.recorded == ["a", "b", "c", "d", "b"])
    #expect(stores.summary.live == 3 && stores.summary.hibernated == 2)
    #expect(try await stores.state(of: "a").balance == 4)
    await stores.shutdown()
  }

  @Test("K2: A key is not idle while an action is open, a handler runs, or it is observed")
  func pinned() async throws {
    let (gate, ignoring) = (Gate(), Gate())
    let stores = try await ManyAccounts.accounts(journal) { _, number in
      if number == 1 { try await gate.enter() } else { await ignoring.enterIgnoringCancellation() }
    }
    let receipt = stores.send(.order(1), to: "a")
    try await gate.waitForArrivals(1)
    #expect(await stores.hibernate("a") == false)
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await stores.hibernate("a"))
    // An entry that is not durable.
    let appends = Gate()
    journal.holdAppends(at: appends)
    let stored = stores.send(.deposit(1), to: "e")
    try await appends.waitForArrivals(1)
    #expect(await stores.hibernate("e") == false)
    appends.open()
    #expect(await stored.outcome.kind == .finished)
    // A handler that ignores its cancellation.
    let ignored = stores.send(.order(2), to: "b")
    try await ignoring.waitForArrivals(1)
    try await stores.cancelAll(of: "b")
    #expect(await ignored.outcome.kind == .cancelled)
    #expect(await stores.hibernate("b") == false)
    ignoring.open()
    await stores.untilHibernated("b")
    // An observer.
    var iterator: StoreSequence<Accounts.State, Never>.Iterator? = stores.states(of: "c").makeAsyncIterator()
    #expect(await iterator?.next()?.balance == 1)
    #expect(await stores.hibernate("c") == false)
    #expect(stores.summary.pinned == 1)
    #expect(await stores.send(.deposit(1), to: "c").outcome.kind == .finished)
    #expect(await iterator?.next()?.balance == 2)
    iterator = nil
    await stores.untilHibernated("c")
    async let waiting = stores.wait(for: "d") { $0.balance == 3 }
    while try await journal.openings.next() != "d" {}
    #expect(await stores.hibernate("d") == false)
    #expect(await stores.send(.deposit(2), to: "d").outcome.kind == .finished)
    #expect(try await waiting.balance == 3)
    await stores.shutdown()
  }

  @Test("K2: A key that was busy when another one needed its place hibernates once its last handler has returned")
  func watched() async throws {
    let gate = Gate()
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(live: 1)) { _, _ in
      try await gate.enter()
    }
    let busy = stores.send(.order(1), to: "a")
    try await gate.waitForArrivals(1)
    #expect(try await stores.state(of: "a").balance == 1)
    #expect(await stores.hibernate("a") == false)
    let waiting = stores.send(.deposit(1), to: "b")
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    #expect(await busy.outcome.kind == .finished)
    #expect(journal.openings.recorded == ["a", "b"] && stores.summary.hibernated == 1)
    await stores.shutdown()
  }

  @Test(
    "K3: An action that is sent during a hibernation waits for its end, and is taken up by the store that is opened then"
  )
  func sentMeanwhile() async throws {
    let gate = Gate()
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    journal.holdSnapshots(at: gate)
    let stores = try await ManyAccounts.accounts(journal, options: options)
    #expect(await stores.send(.deposit(1), to: "a", key: "request").outcome.kind == .finished)
    async let hibernated = stores.hibernate("a")
    try await gate.waitForArrivals(1)
    let receipts = (0..<5).map { stores.send(.deposit($0), to: "a") }
    let repeated = stores.send(.deposit(1), to: "a", key: "request")
    async let read = stores.state(of: "a")
    #expect(stores.summary.hibernating == 1 && journal.openings.recorded == ["a"])
    gate.open()
    #expect(await hibernated)
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(await repeated.lastRevision == 1, "answered by its key, and not decided again")
    #expect([2, 12].contains(try await read.balance))
    #expect(try await stores.state(of: "a").balance == 12)
    #expect(journal.openings.recorded == ["a", "a"])
    #expect(try await journal.base.lastSequence(of: .account("a")) == 8, "two epochs and six deposits")
    await stores.shutdown()
  }

  @Test("K2: A hibernation stores a snapshot only if more than 100 records or 64 KiB are behind the newest one")
  func snapshots() async throws {
    let stores = try await ManyAccounts.accounts(journal)
    // With its epoch the log of `a` has 100 records, and that of `b` 101.
    for (key, count) in [("a", 99), ("b", 100)] {
      for _ in 0..<count { #expect(await stores.send(.deposit(1), to: key).outcome.kind == .finished) }
      await stores.untilHibernated(key)
    }
    #expect(journal.snapshots.recorded == ["b"])
    #expect(try await journal.base.texts(.account("b"), after: 101).isEmpty)
    #expect(try await stores.state(of: "b").balance == 101)
    #expect(await stores.hibernate("b"))
    #expect(journal.snapshots.recorded == ["b"], "nothing has changed since")
    #expect(await stores.send(.deposit(1), to: "b").outcome.kind == .finished)
    #expect(try await stores.state(of: "b").balance == 102)
    await stores.shutdown()
  }

  @Test("K2: Without a journal a key leaves the memory only in its initial state")
  func unstored() async throws {
    let stores = ManyAccounts.inMemory(
      name: "accounts", limits: StoresLimits(live: 2, waiting: 0), initial: { Accounts.State(balance: $0.count) },
      interactor: { _ in Accounts() })
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    #expect(await stores.hibernate("a") == false)
    #expect(try await stores.state(of: "b").balance == 1)
    await stores.untilHibernated("b")
    #expect(await stores.send(.deposit(1), to: "b").outcome.kind == .finished)
    #expect(await stores.hibernate("b") == false)
    #expect(await stores.send(.deposit(1), to: "c").outcome.rejectionKind == .full)
    #expect(await stores.send(.withdraw(1), to: "a").outcome.kind == .finished)
    await stores.untilHibernated("a")
    #expect(await stores.send(.deposit(1), to: "c").outcome.kind == .finished)
    #expect(await stores.send(.deposit(1), to: "c", key: "request").outcome.rejectionKind == .journal)
    await stores.shutdown()
  }
}
