import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The list of open runs", .timeLimit(.minutes(1)))
struct OpenRunListTests {
  private let lives = Lives()

  @Test("Each open run says what it does or waits for, its age, its key, its last step, and its record in the log")
  func stages() async throws {
    let (gate, body, judged) = (Gate(), Gate(), Recorder<Void>())
    let plan = Plan.concurrent(max: 9, key: "k").limited(to: 5, key: "gateway").recovery(.handleAgain)
    let store = try await lives.open(plan: plan, wallTime: { 0 }) { run, number in
      switch number {
      case 1: try await gate.enter()
      case 2: try await run.step("charge") { _ in try await body.enter() }
      case 3: try await run.sleep("grace", for: .seconds(60))
      case 4:
        _ = try await run.wait("approval") { state -> Int? in
          judged.record(())
          return state.isEmpty ? nil : state.count
        }
      case 5: _ = try await run.wait("answer", timeout: .seconds(90)) { $0.isEmpty ? nil : $0.count }
      default:
        try await run.step("last") { _ in }
        try await gate.enter()
      }
    }
    let receipts = (1...6).map { store.send(.handle($0), key: "key \($0)") }
    try await gate.waitForArrivals(2)
    try await body.waitForArrivals(1)
    try await lives.clock.waitForSleepers(2)
    // A condition is judged at once, and again by the wait for a state.
    for _ in 1...2 { _ = try await judged.next() }
    lives.clock.advance(by: .seconds(7))
    let listed = await store.openRuns()
    #expect(listed.map(\.id.number) == receipts.map(\.id.number).sorted())
    // An action that is sent while another thread has the lock has an id of other numbers.
    let runs = receipts.compactMap { receipt in listed.first { $0.id == receipt.id } }
    #expect(runs.map(\.key) == (1...6).map { "key \($0)" })
    #expect(runs.map(\.age) == Array(repeating: .seconds(7), count: 6))
    #expect(runs.map(\.attempt) == [1, 1, 1, 1, 1, 1])
    #expect(runs.map(\.deaths) == [0, 0, 0, 0, 0, 0])
    let records = runs.compactMap(\.record)
    #expect(records.first == 2 && records.count == 6 && records == records.sorted(), "steps have records between them")
    #expect(
      runs.map(\.stage) == [
        .running, .step("charge"), .sleep("grace", until: 60_000), .condition("approval", until: nil),
        .condition("answer", until: 90_000), .running,
      ])
    #expect(runs.map(\.lastStep) == [nil, "charge", "grace", "approval", "answer", "last"])
    #expect(runs[1].description.hasPrefix("\(receipts[1].id) ") == true)
    #expect(runs[1].description.hasSuffix(" is in the step \"charge\", accepted 7.0 seconds ago"))
    let metrics = await store.metrics
    #expect(metrics.openRuns == [.pace: 0, .turn: 0, .slot: 0, .running: 3, .resting: 3, .unreadable: 0])
    #expect(metrics.oldestRunStart == -7_000)
  }

  @Test("A run that waits for its turn, for a slot, for its pace or for its next attempt says so")
  func waiting() async throws {
    let (gate, clock) = (Gate(), TestClock())
    struct Refused: Error {}
    let interactor = Planned { number in
      switch number {
      case 1, 2: .serial(key: "serial")
      case 3: .concurrent(max: 1, key: "debounced").debounce(.seconds(9))
      case 4: .concurrent(max: 1, key: "retried").retry(2, backoff: .constant(.seconds(9)))
      default: .concurrent(max: 9, key: "rest")
      }
    } handle: { number in
      if number == 4 { throw Refused() }
      try await gate.enter()
    }
    let store = Store(
      initial: 0, interactor: interactor,
      configuration: StoreConfiguration(clock: clock, limits: .init(runsInFlight: 3)))
    for number in [4, 1, 2, 3, 5, 6] { store.send(number) }
    try await gate.waitForArrivals(2)
    let stages = Dictionary(uniqueKeysWithValues: await store.openRuns().map { ($0.action ?? 0, $0.stage) })
    #expect(stages == [1: .running, 2: .turn, 3: .pace, 4: .nextAttempt, 5: .running, 6: .slot])
    let attempts = Dictionary(uniqueKeysWithValues: await store.openRuns().map { ($0.action ?? 0, $0.attempt) })
    #expect(attempts == [1: 1, 2: 0, 3: 0, 4: 1, 5: 1, 6: 0])
    #expect(
      await store.metrics.openRuns == [.pace: 1, .turn: 1, .slot: 1, .running: 3, .resting: 0, .unreadable: 0])
    gate.open()
    await store.shutdown(drainFor: .zero)
    #expect(await store.openRuns().isEmpty)
    #expect(await store.metrics.openRuns.values.allSatisfy { $0 == 0 })
  }

  @Test("A handler that waits for the record of its take-up says so")
  func notDurable() async throws {
    let journal = UnsteadyJournal(MemoryJournal())
    let (store, gate) = (try await Lives(journal).open { _, _ in }, Gate())
    journal.hold(at: gate)
    store.send(.handle(1))
    #expect(await store.openRuns().map(\.stage) == [.durability])
    #expect(await store.openRuns().map(\.attempt) == [1], "it has a slot")
    gate.open()
    await store.shutdown(drainFor: .seconds(9))
  }

  @Test("A run that has ended is not listed, and takes no place of another one, though its handler has not returned")
  func ended() async throws {
    let gate = Gate()
    let interactor = Planned { _ in
      .concurrent(max: 9, key: "k")
    } handle: { _ in
      await gate.enterIgnoringCancellation()
    }
    let store = Store(initial: 0, interactor: interactor)
    let (first, second) = (store.send(1), store.send(2))
    try await gate.waitForArrivals(2)
    first.cancel()
    #expect(await first.outcome.kind == .cancelled)
    #expect(await store.openRuns(limit: 1).map(\.id) == [second.id])
    gate.open()
    await store.shutdown(drainFor: .seconds(9))
  }

  @Test("All runs that are open are listed once in pages, whatever their size, also when others end meanwhile")
  func pages() async throws {
    let gate = Gate()
    let store = Store(
      initial: 0,
      interactor: Planned { _ in
        .concurrent
      } handle: { _ in
        try await gate.enter()
      })
    let receipts = (1...2_500).map { store.send($0) }
    try await gate.waitForArrivals(2_500)
    for limit in [1_000, 700, 2_500, 9_999] {
      var (listed, page): ([Int], [OpenRun<Int>]) = ([], await store.openRuns(limit: limit))
      while let last = page.last {
        #expect(page.count <= limit)
        listed += page.compactMap(\.action)
        page = await store.openRuns(limit: limit, after: last.id)
      }
      #expect(listed == Array(1...2_500))
    }
    let first = await store.openRuns(limit: 1_000)
    for number in stride(from: 0, to: 2_500, by: 2) { receipts[number].cancel() }
    let rest = await store.openRuns(limit: 9_999, after: first.last?.id)
    #expect(rest.compactMap(\.action) == Array(stride(from: 1_002, through: 2_500, by: 2)))
    #expect(await store.openRuns(limit: 0).isEmpty)
    #expect(await store.openRuns(limit: -1).isEmpty)
    #expect(await store.metrics.oldestRunStart != nil)
  }

  @Test("Of actions that share a run the first is listed")
  func shared() async throws {
    let gate = Gate()
    let store = Store(
      initial: 0,
      interactor: Planned { _ in
        .shared(key: "s")
      } handle: { _ in
        try await gate.enter()
      })
    let receipts = (1...3).map { store.send($0) }
    try await gate.waitForArrivals(1)
    #expect(await store.openRuns().map(\.id) == [receipts[0].id])
    #expect(await store.metrics.openRuns[.running] == 1)
    #expect(await store.metrics.openRuns.values.reduce(0, +) == 1)
  }

  @Test(
    "A run that is handled again has its deaths, its stored step and its age from before; one that cannot be decoded is listed, too"
  )
  func restored() async throws {
    let gate = Gate()
    let time = Recorder<Int64>()
    time.record(1_000)
    let wallTime: @Sendable () -> Int64 = { time.recorded.last ?? 0 }
    for life in 1...3 {
      time.record(Int64(life) * 10_000)
      let store = try await lives.open(wallTime: wallTime) { run, _ in
        if life == 1 { try await run.step("charge") { _ in } }
        try await gate.enter()
      }
      if life == 1 { store.send(.handle(7), key: "order") }
      try await gate.waitForArrivals(life)
    }
    let again = try await lives.open(wallTime: wallTime) { _, _ in try await gate.enter() }
    try await gate.waitForArrivals(4)
    let run = try #require(await again.openRuns().first)
    #expect(run.isStuck && run.deaths == 3 && run.lastStep == "charge" && run.age == .seconds(20) && run.record == 2)
    #expect(await again.metrics.oldestRunStart == 10_000)

    let other = try await Store.open(
      initial: [], interactor: Renamed(), journal: lives.journal, key: "k",
      configuration: StoreConfiguration(report: { _ in }, wallTime: { 50_000 }))
    #expect(await other.send(.renamed).outcome.kind == .finished)
    let unreadable = try #require(await other.openRuns().first)
    guard case .unreadable(let reason) = unreadable.stage else {
      Issue.record("The run is not listed as unreadable: \(unreadable)")
      return
    }
    #expect(reason.hasPrefix("The action of an open run of \"k\" (record 2) cannot be decoded: "))
    #expect(unreadable.action == nil && unreadable.key == "order" && unreadable.age == .seconds(40))
    #expect(unreadable.isStuck && unreadable.record == 2 && unreadable.deaths == 3 && unreadable.lastStep == "charge")
    #expect(await other.openRuns(after: unreadable.id).isEmpty)
    #expect(await other.metrics.openRuns[.unreadable] == 1)
  }
}

/// Actions that are numbers, each with the plan of its number.
private struct Planned: Interactor {
  let plan: @Sendable (Int) -> Plan
  let handle: @Sendable (Int) async throws -> Void

  init(plan: @escaping @Sendable (Int) -> Plan, handle: @escaping @Sendable (Int) async throws -> Void) {
    self.plan = plan
    self.handle = handle
  }

  func plan(for action: Int, state: Int) -> Plan { plan(action) }

  func handle(_ action: Int, state: Int) -> Effect<Self> { Effect { _ in try await handle(action) } }

  static func reduce(into state: inout Int, mutation: Int) {}
}

/// A later version of ``Stepped``, whose actions have other names.
private struct Renamed: Interactor {
  enum Action: Sendable, Codable { case renamed }

  func decide(_ action: Action, state: [String]) -> Decision<String> { .mutate("renamed") }

  func handle(_ action: Action, state: [String]) -> Effect<Self> { .none }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
}
