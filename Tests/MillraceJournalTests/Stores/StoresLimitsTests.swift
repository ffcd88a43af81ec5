import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The limits of many keys", .timeLimit(.minutes(2)))
struct StoresLimitsTests {
  private let journal = KeysJournal()

  @Test(
    "K3: With all keys in use further ones wait in a bounded line, and a key that is free again lets the first one in")
  func full() async throws {
    let gates = [Gate(), Gate()]
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(live: 2, waiting: 3)) { _, number in
      try await gates[number].enter()
    }
    let receipts = [stores.send(.order(0), to: "a"), stores.send(.order(1), to: "b")]
    for gate in gates { try await gate.waitForArrivals(1) }
    let waiting = ["c", "d", "e"].map { stores.send(.deposit(1), to: $0) }
    #expect(stores.send(.deposit(1), to: "c").outcomeNow == nil, "a key that waits takes further actions")
    #expect(await stores.send(.deposit(1), to: "f").outcome.isFull(of: "StoresLimits.waiting"))
    let error = await #expect(throws: StoreError.self) { _ = try await stores.state(of: "f") }
    #expect(error?.outcome?.rejectionKind == .full)
    #expect(stores.summary.waiting == 3 && stores.summary.refused == 2)
    #expect(Set(journal.openings.recorded) == ["a", "b"])
    gates[1].open()
    #expect(await receipts[1].outcome.kind == .finished)
    for receipt in waiting { #expect(await receipt.outcome.kind == .finished) }
    #expect(journal.openings.recorded.dropFirst(2) == ["c", "d", "e"])
    #expect(stores.summary.waiting == 0 && stores.summary.live <= 2)
    gates[0].open()
    #expect(await receipts[0].outcome.kind == .finished)
    await stores.shutdown()
  }

  @Test("K3: At most as many keys are opened at once as the limits say, the others in the order of their uses")
  func opening() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await ManyAccounts.accounts(journal, limits: StoresLimits(opening: 2))
    let receipts = ["a", "b", "c", "d", "e"].map { stores.send(.deposit(1), to: $0) }
    try await gate.waitForArrivals(2)
    #expect(stores.summary.opening == 2 && stores.summary.waiting == 3 && Set(journal.openings.recorded) == ["a", "b"])
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(Set(journal.openings.recorded.dropFirst(2)) == ["c", "d", "e"])
    await stores.shutdown()
  }

  @Test("A caller that is cancelled while its key waits throws, and the key is opened for others")
  func cancelled() async throws {
    let gate = Gate()
    journal.holdOpenings(at: gate)
    let stores = try await ManyAccounts.accounts(journal)
    let reading = Task { try await stores.state(of: "a") }
    let other = Task { try await stores.request(.deposit(1), of: "a", returning: { $0.balance }) }
    try await gate.waitForArrivals(1)
    reading.cancel()
    await #expect(throws: CancellationError.self) { _ = try await reading.value }
    gate.open()
    #expect(try await other.value == 2)
    await stores.untilHibernated("a")
    await stores.shutdown()
  }

  @Test("Limits below their least values are taken as those, also when they are set later")
  func least() async throws {
    var zero = StoresLimits()
    (zero.live, zero.opening, zero.waiting) = (0, -1, -1)
    let stores = try await ManyAccounts.accounts(journal, limits: zero)
    #expect(try await stores.state(of: "a").balance == 1)
    await stores.shutdown()
    let limits = StoresLimits(live: 0, idle: .seconds(-1), opening: -1, waiting: -5)
    #expect(limits.live == 1 && limits.idle == .zero && limits.opening == 1 && limits.waiting == 0)
  }
}
