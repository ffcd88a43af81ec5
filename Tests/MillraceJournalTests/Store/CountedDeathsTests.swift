import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The deaths of runs that are handled again", .timeLimit(.minutes(1)))
struct CountedDeathsTests {
  private let base = MemoryJournal()
  private let clock = TestClock()
  private let incidents = Recorder<Incident>()
  /// The runs whose handlers have begun, by their numbers.
  private let begun = Recorder<Int>()
  private let never = Gate()

  private func open(
    _ journal: any Journal, plan: Plan = .concurrent.recovery(.handleAgain), options: JournalOptions = JournalOptions(),
    limits: StoreConfiguration.Limits? = nil, _ handling: @escaping Stepped.Handling
  ) async throws -> Store<Stepped> {
    var configuration = StoreConfiguration(clock: clock, limits: limits)
    configuration.report = { [incidents] in incidents.record($0) }
    return try await Store.open(
      initial: [], interactor: Stepped(plan: plan, handling), journal: journal, key: "k", configuration: configuration,
      options: options)
  }

  /// Ends processes while the handlers of the runs 1, 2 and so on are out, until each run has this number of deaths.
  private func die(_ deaths: Int, runs count: Int, plan: Plan = .concurrent.recovery(.handleAgain)) async throws {
    for life in 0...deaths {
      let (journal, gate) = (MortalJournal(base), Gate())
      let store = try await open(journal, plan: plan) { _, _ in try await gate.enter() }
      if life == 0 { for number in 1...count { store.send(.handle(number)) } }
      try await gate.waitForArrivals(count)
      withExtendedLifetime(store) { journal.end() }
    }
  }

  /// The counts of the open runs in the log, in the order of the take-ups.
  private func deaths() async throws -> [Int] {
    let log = StoreLog<Stepped>(journal: base, key: "k", schema: StoreSchema(), options: JournalOptions())
    var restored = Restoration<Stepped>([], from: log)
    let calls = JournalCalls(journal: base, key: "k", deadline: .seconds(30), clock: ContinuousClock())
    try await restored.readOn(calls, nil)
    return restored.loggedRuns.map { $0.resumed ?? 0 }
  }

  // MARK: What is counted

  @Test(
    "T8: a run is counted when its handler starts, and not while it waits for the turn of its key or for a slot",
    arguments: [true, false])
  func waiting(isSerial: Bool) async throws {
    let recovery = Recovery.handleAgain(limit: 2)
    try await die(0, runs: 2, plan: .concurrent.recovery(recovery))
    for life in 1...3 {
      let journal = MortalJournal(base)
      let store = try await open(
        journal, plan: isSerial ? .serial(key: "a") : .concurrent, limits: isSerial ? nil : .init(runsInFlight: 1)
      ) { [begun, never] _, number in
        begun.record(number)
        try await never.enter()
      }
      #expect(try await begun.next() == (life < 3 ? 1 : 2))
      #expect(await store.openRuns().map(\.deaths) == (life < 3 ? [life, 0] : [1]))
      #expect(try await deaths() == (life < 3 ? [life, 0] : [1]))
      #expect(await store.state == (life < 3 ? [] : ["abandoned"]))
      withExtendedLifetime(store) { journal.end() }
    }
    #expect(begun.recorded == [1, 1, 2])
  }

  @Test("T8: the count is durable before the handler starts")
  func durable() async throws {
    try await die(0, runs: 1)
    let gate = Gate()
    let store = try await open(MortalJournal(base, failingAt: .resumed, unlessPast: gate)) { [begun] run, number in
      begun.record(number)
      run.emit("done")
    }
    try await gate.waitForArrivals(1)
    #expect(begun.recorded.isEmpty)
    #expect(await store.openRuns().map(\.stage) == [.durability])
    gate.open()
    #expect(await store.end() == ["done"])
    let kinds = try await base.all("k").map(\.entry.kind)
    #expect(kinds == [.epoch, .takeUp, .epoch, .resumed, .emit, .end], "one entry for each run that is handled again")
  }

  @Test("T8: a run whose count the journal does not store starts no handler, and is handled again by the next store")
  func failedJournal() async throws {
    try await die(0, runs: 1)
    let store = try await open(MortalJournal(base, failingAt: .resumed)) { [begun] _, number in begun.record(number) }
    let report = await store.shutdown(drainFor: .seconds(60))
    #expect(report.failure is JournalError && begun.recorded.isEmpty)
    let next = try await open(base) { run, _ in run.emit("done") }
    #expect(await next.end() == ["done"])
  }

  @Test("T8: a run whose count cannot be encoded fails with its closing, and gives its slot to the next one")
  func notEncoded() async throws {
    try await die(0, runs: 1)
    var options = JournalOptions()
    options.coder = CountlessCoder()
    let store = try await open(base, options: options, limits: .init(runsInFlight: 1)) { [begun] run, number in
      begun.record(number)
      run.emit("done \(number)")
    }
    #expect(await store.send(.handle(2)).outcome.kind == .finished)
    #expect(await store.end() == ["failed", "done 2"])
    #expect(begun.recorded == [2])
  }

  // MARK: Rests

  @Test("T8: a run that rests is not counted, however often its process ends", arguments: ["sleep", "timeout", "wait"])
  func resting(_ rest: String) async throws {
    let plan = Plan.concurrent.recovery(.handleAgain(limit: 2))
    let handling: Stepped.Handling = { run, _ in
      if rest == "sleep" {
        try await run.sleep("rest", for: .seconds(3_600))
      } else {
        _ = try await run.wait("rest", timeout: rest == "wait" ? nil : .seconds(3_600)) { $0.first }
      }
      run.emit("done")
    }
    for life in 0..<6 {
      let journal = MortalJournal(base)
      let store = try await open(journal, plan: plan, handling)
      if life == 0 {
        store.send(.handle(1))
        if rest == "wait" {
          try await journal.waitForEntries(1, of: .takeUp)
        } else {
          try await journal.waitForEntries(1, of: .rest)
        }
      } else {
        try await journal.waitForEntries(2, of: .resumed)
        #expect(await store.openRuns().map(\.deaths) == [0])
      }
      #expect(try await deaths() == [0])
      withExtendedLifetime(store) { journal.end() }
    }
    let store = try await open(base, plan: plan, handling)
    if rest == "sleep" { clock.advance(by: .seconds(3_600)) } else { store.send(.note("note")) }
    // A shutdown leaves a run open that still rests.
    try await store.wait { $0.last == "done" }
    await store.shutdown()
    #expect(incidents.recorded.isEmpty)
  }

  @Test("T8: a run that continues beside its own sleep is counted again before the body of its next step")
  func continuing() async throws {
    for life in 0...4 {
      let (journal, rested) = (MortalJournal(base), Gate())
      let store = try await open(journal, plan: .concurrent.recovery(.handleAgain(limit: 3))) {
        [begun, never] run, _ in
        try await withThrowingTaskGroup { group in
          group.addTask { try await run.sleep("hour", for: .seconds(3_600)) }
          group.addTask {
            try await rested.enter()
            try await run.step("body") { _ in
              begun.record(journal.stored.recorded.count { $0 == .resumed })
              try await never.enter()
            }
          }
          try await group.waitForAll()
        }
      }
      if life == 4 {
        #expect(await store.state == ["abandoned"])
        continue
      }
      if life == 0 { store.send(.handle(1)) }
      try await journal.waitForEntries(life == 0 ? 1 : 2, of: life == 0 ? .rest : .resumed)
      #expect(try await deaths() == [max(life - 1, 0)])
      rested.open()
      #expect(try await begun.next() == (life == 0 ? 0 : 3), "counted, taken back, and counted again")
      #expect(try await deaths() == [life])
      withExtendedLifetime(store) { journal.end() }
    }
    #expect(incidents.recorded.map(\.kind) == [.recoveryLimit])
  }

  // MARK: One at a time

  @Test("T8: runs with two deaths have their turns one at a time: until a record, a rest, or an end, or for a minute")
  func oneAtATime() async throws {
    try await die(2, runs: 5)
    let (journal, stored, proceed) = (MortalJournal(base), Gate(), Gate())
    let store = try await open(journal) { [begun, never] run, number in
      begun.record(number)
      switch number {
      case 1: try await never.enter()
      case 2: _ = try await run.wait("never") { $0.contains("never") ? 1 : nil }
      case 3:
        try await proceed.enter()
        try await run.step("step") { _ in }
        try await never.enter()
      case 4:
        try await stored.enter()
        struct Failed: Error {}
        throw Failed()
      default: run.emit("done")
      }
    }
    #expect(try await begun.next() == 1)
    #expect(await store.openRuns().map(\.stage) == [.running, .turn, .turn, .turn, .turn])
    #expect(await store.metrics.openRuns[.turn] == 4)
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(59_999))
    #expect(await store.openRuns().map(\.stage).count { $0 == .turn } == 4)
    clock.advance(by: .milliseconds(1))
    // The second one rests, and the third one stores a step.
    #expect(try await begun.next(2) == [2, 3])
    #expect(await store.openRuns().map(\.deaths) == [3, 2, 3, 2, 2])
    proceed.open()
    #expect(try await begun.next() == 4)
    #expect(await store.openRuns().map(\.deaths) == [3, 2, 0, 3, 2])
    stored.open()
    #expect(try await begun.next() == 5)
    #expect(try await store.wait(until: { $0.count == 2 }) == ["failed", "done"])
    try await journal.waitForEntries(2, of: .end)
    #expect(try await deaths() == [3, 2, 0])
  }

  @Test("T8: the turn is given when the progress is durable, and not before")
  func durableProgress() async throws {
    try await die(2, runs: 2)
    let gate = Gate()
    let store = try await open(MortalJournal(base, failingAt: .step, unlessPast: gate)) { [begun] run, number in
      begun.record(number)
      try await run.step("step", commit: { ["\(number)"] }) { _ in }
    }
    try await gate.waitForArrivals(1)
    #expect(await store.openRuns().map(\.deaths) == [0, 2])
    #expect(begun.recorded == [1])
    gate.open()
    #expect(await store.end() == ["1", "2"])
  }

  @Test("T8: of the counts in a log the smaller one is handled first, and a run with less than two waits for none")
  func fewestFirst() async throws {
    try await die(0, runs: 4)
    let log = StoreLog<Stepped>(journal: base, key: "k", schema: StoreSchema(), options: JournalOptions())
    for (index, deaths) in [4, 2, 2, 1].enumerated() {
      let entry = try log.entry(.resumed, ResumedHead(run: UInt64(index + 2), count: deaths), .none, after: 0)
      let batch = JournalBatch(id: .init(writer: 9, number: UInt64(index)), entries: [entry])
      #expect(await base.append([batch], to: "k", after: JournalSequence(UInt64(index + 5))).failure == nil)
    }
    #expect(try await deaths() == [4, 2, 2, 1])
    let gate = Gate()
    let store = try await open(base) { [begun] run, number in
      begun.record(number)
      if number != 1 { try await gate.enter() }
      run.emit("done \(number)")
    }
    #expect(try await Set(begun.next(2)) == [2, 4])
    gate.open()
    _ = await store.end()
    #expect(begun.recorded.filter { $0 != 4 } == [2, 3, 1])
  }

  @Test("T14: a run that waits for its turn times out with its closing, and its handler never starts")
  func timeout() async throws {
    let plan = Plan.concurrent.timeout(.seconds(90)).recovery(.handleAgain)
    try await die(2, runs: 3, plan: plan)
    let store = try await open(base, plan: plan) { [begun, never] _, number in
      begun.record(number)
      try await never.enter()
    }
    #expect(try await begun.next() == 1)
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(60))
    #expect(try await begun.next() == 2)
    clock.advance(by: .seconds(30))
    #expect(try await store.wait(until: { $0.count == 3 }) == ["timedOut", "timedOut", "timedOut"])
    await store.shutdown(drainFor: .zero)
    #expect(begun.recorded == [1, 2])
  }

  @Test("T8: a run that is canceled while it waits for its turn has its closing, and its handler never starts")
  func canceled() async throws {
    try await die(2, runs: 3)
    let store = try await open(base) { [begun, never] _, number in
      begun.record(number)
      try await never.enter()
    }
    #expect(try await begun.next() == 1)
    store.cancelAll()
    #expect(await store.state == ["cancelled", "cancelled", "cancelled"])
    await store.shutdown(drainFor: .zero)
    #expect(begun.recorded == [1])
    #expect(try await open(base) { _, _ in }.openRuns().isEmpty)
  }

  @Test("T8, T9: a shutdown leaves runs open that wait for their turns, and forgets the deaths of all")
  func shutdown() async throws {
    try await die(2, runs: 3)
    let store = try await open(base) { [begun, never] _, number in
      begun.record(number)
      try await never.enter()
    }
    #expect(try await begun.next() == 1)
    let report = await store.shutdown(drainFor: .zero)
    #expect(report.leftOpen.count == 3 && begun.recorded == [1])
    #expect(try await deaths() == [0, 0, 0])
    let next = try await open(base) { [begun, never] _, number in
      begun.record(number)
      try await never.enter()
    }
    #expect(try await Set(begun.next(3)) == [1, 2, 3])
    #expect(await next.openRuns().map(\.deaths) == [1, 1, 1])
  }

  @Test("T8, T9: a drain waits for runs that wait for their turns")
  func drain() async throws {
    try await die(2, runs: 3)
    let store = try await open(base) { run, number in run.emit("done \(number)") }
    let report = await store.shutdown(drainFor: .seconds(60))
    #expect(report.leftOpen.isEmpty)
    #expect(await store.state == ["done 1", "done 2", "done 3"])
  }
}

/// A coder that does not encode the counts of deaths.
private struct CountlessCoder: JournalCoder {
  private struct Refused: Error {}

  private let base = JSONJournalCoder()

  func encode(_ value: some Encodable) throws -> Data {
    let data = try base.encode(value)
    if String(decoding: data, as: UTF8.self).contains(#""count":"#) { throw Refused() }
    return data
  }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try base.decode(type, from: data)
  }
}
