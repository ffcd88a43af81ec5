import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("Keys whose runs rest", .timeLimit(.minutes(2)))
struct RestingKeysTests {
  private let journal = KeysJournal()
  private let clock = TestClock()
  /// The parts of handlers that have begun, and those that are behind their rests.
  private let begun = Recorder<Int>()
  private let done = Recorder<Int>()

  private func open(
    limits: StoresLimits = StoresLimits(),
    _ rest: @escaping @Sendable (Run<Accounts>, Int) async throws -> Void
  ) async throws -> ManyAccounts {
    try await ManyAccounts.accounts(
      journal, limits: limits, configuration: StoreConfiguration(clock: clock)
    ) { [begun, done] run, number in
      begun.record(number)
      try await rest(run, number)
      run.emit(.added(number))
      done.record(number)
    }
  }

  private func due() async throws -> [JournalDue] {
    try await journal.due(in: JournalPartition(of: "accounts", number: 0), before: .max, after: nil, upTo: 100)
  }

  @Test("T11: A key whose runs all rest for more than a minute hibernates, and its wake time opens it, and not before")
  func sleeping() async throws {
    let stores = try await open { run, _ in try await run.sleep("rest", for: .seconds(3_600)) }
    let receipts = [stores.send(.orderAgain(10), to: "a"), stores.send(.orderAgain(100), to: "a", key: "request")]
    #expect(try await begun.next(2).count == 2)
    #expect(await stores.hibernateWhenIdle("a"))
    for receipt in receipts { #expect(await receipt.outcome.kind == .leftOpen) }
    let wall = clock.wallTime()
    #expect(try await due() == [JournalDue(.account("a"), wake: wall + 3_600_000)])
    #expect(stores.summary.live == 0 && journal.openings.recorded == ["a"])
    while clock.now.offset < .seconds(3_600) {
      #expect(journal.openings.recorded == ["a"])
      try await clock.advanceToNextDeadline()
    }
    #expect(clock.now.offset == .seconds(3_600))
    #expect(try await done.next(2).sorted() == [10, 100])
    #expect(begun.recorded.count == 4)
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    #expect(try await stores.state(of: "a").balance == 111)
    #expect(await stores.send(.orderAgain(100), to: "a", key: "request").outcome.kind == .finished)
    #expect(try await stores.state(of: "a").balance == 111)
    await stores.shutdown()
  }

  @Test("K4, T8: A key that is opened before its run has slept has to be open once the run is counted")
  func openedEarly() async throws {
    let stores = try await open { run, _ in try await run.sleep("rest", for: .seconds(3_600)) }
    stores.send(.orderAgain(10), to: "a")
    _ = try await begun.next()
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [clock.wallTime() + 3_600_000])
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    _ = try await begun.next()
    #expect(try await due().map(\.wake) == [0])
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [clock.wallTime() + 3_600_000])
    await stores.shutdown()
  }

  @Test(
    "T11, K3: A send to a hibernated key opens it; its runs are handled first, and the state that one waits for ends it"
  )
  func waiting() async throws {
    let stores = try await open { run, _ in
      _ = try await run.wait("paid") { $0.balance >= 50 ? $0.balance : nil }
    }
    stores.send(.orderAgain(1_000), to: "a")
    _ = try await begun.next()
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty, "only a send opens it")
    #expect(await stores.send(.deposit(9), to: "a").outcome.kind == .finished)
    _ = try await begun.next()
    #expect(try await stores.wait(for: "a", until: { $0.balance == 10 }).balance == 10)
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(await stores.send(.deposit(40), to: "a").outcome.kind == .finished)
    #expect(try await done.next() == 1_000)
    #expect(try await stores.wait(for: "a", until: { $0.balance == 1_050 }).balance == 1_050)
    await stores.shutdown()
  }

  @Test(
    "T11: A run that rests for less than a minute, whose outcome a caller awaits, or that is not handled again, keeps its key live"
  )
  func pinned() async throws {
    let stores = try await open { run, number in
      try await run.sleep("rest", for: number == 1 ? .seconds(60) : .seconds(3_600))
    }
    stores.send(.orderAgain(1), to: "a")
    let awaited = stores.send(.orderAgain(2), to: "b")
    let outcome = Task.immediate { await awaited.outcome }
    stores.send(.order(3), to: "c")
    async let answer = stores.request(.orderAgain(4), of: "d", returning: { $0.balance })
    let tree = RunTree()
    stores.send(.orderAgain(5), to: "e", in: tree)
    #expect(try await begun.next(5).count == 5)
    try await clock.waitForSleepers(5)
    for key in ["a", "b", "c", "d", "e"] { #expect(await stores.hibernate(key) == false, "\(key)") }
    // A handler may begin before its key is counted as live.
    #expect(stores.summary.live + stores.summary.opening == 5)
    while done.recorded.count < 5 { try await clock.advanceToNextDeadline() }
    #expect(await outcome.value.kind == .finished)
    #expect(try await answer == 5)
    await tree.waitForEnd()
    await stores.shutdown()
  }

  @Test("T11: Resting runs beside a body that is out keep the key live")
  func body() async throws {
    let gate = Gate()
    let stores = try await open { run, _ in
      async let rest: Void = run.sleep("rest", for: .seconds(3_600))
      async let longer: Void = run.sleep("longer", for: .seconds(7_200))
      try await run.step("body") { _ in try await gate.enter() }
      try await rest
      try await longer
    }
    stores.send(.orderAgain(10), to: "a")
    try await gate.waitForArrivals(1)
    #expect(await stores.hibernate("a") == false)
    #expect(try await due().map(\.wake) == [0])
    gate.open()
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().first?.wake == clock.wallTime() + 3_600_000)
    await stores.shutdown()
  }

  @Test("T11: A handler that ignores its cancellation holds up its key, and neither a shutdown nor an erasure")
  func ignoring() async throws {
    let gate = Gate()
    let stores = try await open { run, _ in
      do { try await run.sleep("rest", for: .seconds(3_600)) } catch { await gate.enterIgnoringCancellation() }
    }
    let receipt = stores.send(.orderAgain(10), to: "a")
    _ = try await begun.next()
    async let hibernated = stores.hibernateWhenIdle("a")
    try await gate.waitForArrivals(1)
    #expect(await receipt.outcome.kind == .leftOpen)
    let held = stores.send(.deposit(1), to: "a")
    try await stores.erase("a")
    #expect(await held.outcome.rejectionKind == .erased)
    #expect(try await stores.keys().isEmpty)
    #expect(await stores.shutdown().isClean)
    gate.open()
    _ = await hibernated
  }

  @Test("K4: A shutdown leaves resting runs open with their wake time, and a restart opens only what is due")
  func restart() async throws {
    let first = try await open { run, number in try await run.sleep("rest", for: .seconds(number)) }
    for (key, time) in [("a", 7_200), ("b", 3_600), ("c", 10_800)] { first.send(.orderAgain(time), to: key) }
    _ = try await begun.next(3)
    for key in ["a", "b", "c"] { await first.untilUnused(key) }
    let report = await first.shutdown()
    #expect(report.leftOpen == 3 && report.isClean)
    let wall = clock.wallTime()
    #expect(try await due().map(\.wake) == [3_600, 7_200, 10_800].map { wall + $0 * 1_000 })
    clock.advance(by: .seconds(7_300))
    let opened = journal.openings.recorded.count
    let second = try await open { run, number in try await run.sleep("rest", for: .seconds(number)) }
    #expect(Set(try await done.next(2)) == [3_600, 7_200])
    #expect(Set(journal.openings.recorded.dropFirst(opened)) == ["a", "b"])
    while journal.openings.recorded.count < opened + 3 { try await clock.advanceToNextDeadline() }
    #expect(try await done.next() == 10_800)
    await second.shutdown()
  }

  @Test("K4: A plan's timeout is a wake time, and ends a run that rests when it comes")
  func timeout() async throws {
    let stores = try await Stores<String, Stepped>.open(
      name: "stepped", journal: journal, configuration: StoreConfiguration(clock: clock), initial: { _ in [] },
      interactor: { [begun] _ in
        Stepped(plan: .concurrent.recovery(.handleAgain).timeout(.seconds(1_800))) { run, _ in
          begun.record(1)
          try await run.sleep("rest", for: .seconds(3_600))
        }
      })
    stores.send(.handle(1), to: "a")
    _ = try await begun.next()
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await stores.dueKeys().isEmpty)
    while journal.openings.recorded.count < 2 { try await clock.advanceToNextDeadline() }
    #expect(clock.now.offset >= .seconds(1_800) && clock.now.offset <= .seconds(1_860))
    _ = try await stores.wait(for: "a") { $0 == ["timedOut"] }
    await stores.shutdown()
  }
}
