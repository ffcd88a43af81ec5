import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The metrics and the runs of many keys", .timeLimit(.minutes(2)))
struct StoresMetricsTests {
  private let journal = KeysJournal()
  private let clock = TestClock()
  private let gate = Gate()

  private func open() async throws -> ManyAccounts {
    try await ManyAccounts.accounts(journal, configuration: StoreConfiguration(clock: clock)) { [gate] run, number in
      try await gate.enter()
      run.emit(.added(number))
    }
  }

  @Test("The counts of a key stay when it hibernates, and begin with those of the process")
  func hibernation() async throws {
    let first = try await open()
    for key in ["a", "b"] { _ = try await first.request(.deposit(1), of: key) { $0.balance } }
    await first.shutdown()
    let stores = try await open()
    for key in ["a", "b", "c"] { _ = try await stores.request(.deposit(1), of: key) { $0.balance } }
    for _ in 0..<2 {
      let metrics = await stores.metrics
      #expect(metrics.sent == 3 && metrics.commits == 3 && metrics.outcomes[.finished] == 3)
      // The first append of a key brings the epoch.
      #expect(metrics.journal?.records == 6 && metrics.journal?.state == .writable && !metrics.isShuttingDown)
      for key in ["a", "b", "c"] { #expect(await stores.hibernateWhenIdle(key)) }
    }
    #expect(stores.summary.live == 0)
    _ = try await stores.request(.deposit(1), of: "a") { $0.balance }
    #expect(await stores.metrics.commits == 4)
    try await stores.erase("a")
    #expect(await stores.metrics.commits == 4)
    await stores.shutdown()
    #expect(await stores.metrics.isShuttingDown)
    #expect(await stores.metrics.commits == 4)
  }

  @Test("The runs of the keys in memory are listed with their keys, in the order of these")
  func runs() async throws {
    let stores = try await open()
    for key in ["b", "a", "c"] { stores.send(.order(1), to: key) }
    stores.send(.order(2), to: "a")
    try await gate.waitForArrivals(4)
    let runs = await stores.openRuns()
    #expect(runs.map(\.key) == ["a", "a", "b", "c"])
    #expect(await stores.metrics.inFlight == 4)
    #expect(await stores.openRuns(limit: 3).map(\.key) == ["a", "a", "b"])
    #expect(await stores.openRuns(limit: -1).isEmpty)
    gate.open()
    await stores.shutdown(drainFor: .seconds(10))
    #expect(await stores.openRuns().isEmpty)
  }

  @Test("The keys with the most actions that wait are listed, those with the most first")
  func busiest() async throws {
    var configuration = StoreConfiguration(clock: clock)
    configuration.limits.runsInFlight = 1
    let stores = try await ManyAccounts.accounts(journal, configuration: configuration) { [gate] _, _ in
      try await gate.enter()
    }
    for (key, count) in [("b", 3), ("c", 5), ("a", 3), ("idle", 1)] {
      // An open key has what is sent to it at once.
      _ = try await stores.state(of: key)
      for number in 0..<count { stores.send(.order(number), to: key) }
    }
    try await gate.waitForArrivals(4)
    let busiest = await stores.busiestKeys()
    #expect(busiest.map(\.key) == ["c", "a", "b"])
    #expect(busiest.map(\.waiting) == [4, 2, 2])
    #expect(await stores.busiestKeys(limit: 1).map(\.key) == ["c"])
    #expect(await stores.busiestKeys(limit: -1).isEmpty)
    gate.open()
    await stores.shutdown(drainFor: .seconds(10))
  }

  @Test("K5: A process whose keys another one has claimed shows that its journal has failed, and keeps the counts")
  func fenced() async throws {
    let first = try await open()
    _ = try await first.request(.deposit(1), of: "a") { $0.balance }
    #expect(await first.metrics.journal?.state == .writable)
    let second = try await open()
    let outcome = await first.send(.deposit(1), to: "a").outcome
    #expect(outcome.kind == .failed)
    #expect(await first.metrics.journal?.state == .failed)
    #expect(await first.metrics.journal?.records == 2)
    #expect(await second.metrics.journal?.state != .failed)
    await first.shutdown()
    await second.shutdown()
  }
}
