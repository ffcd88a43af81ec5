import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

/// Resimulations in which timers fire as they did, without the time that this took.
@Suite("Resimulation of time", .timeLimit(.minutes(1)))
struct ResimulationTimeTests {
  /// Searches a second after the last key, gives up after ten, and says when it has begun.
  struct Search: Interactor {
    enum Action: Codable, Sendable {
      case type(String)
      case wait(Int)
    }

    enum Mutation: Codable, Sendable, Equatable {
      case found(String)
      case waited(Int)
      case closed(String)
    }

    let tape: GatewayTape
    var find: @Sendable (String) async throws -> String = { _ in throw CancellationError() }

    func plan(for action: Action, state: [String]) -> Plan {
      switch action {
      case .type: Plan.latest(key: "search").debounce(.seconds(1)).timeout(.seconds(10))
      case .wait: .concurrent
      }
    }

    func handle(_ action: Action, state: [String]) -> Effect<Search> {
      Effect { run in
        switch action {
        case .type(let text): run.emit(.found(try await tape.call("find", text) { try await find(text) }))
        case .wait(let seconds):
          try await run.clock.sleep(for: .seconds(seconds))
          run.emit(.waited(seconds))
        }
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? { .closed("\(outcome.kind)") }

    static func reduce(into state: inout [String], mutation: Mutation) { state.append("\(mutation)") }
  }

  @Test("Debounces, timeouts and sleeps on the store's clock are over when they were")
  func time() async throws {
    let clock = TestClock()
    let ring = RingRecorder<Search>(initial: [], clock: clock)
    let gate = Gate()
    let search = Search(tape: ring.tape) { text in
      if text == "never" { try await gate.enter() }
      return text
    }
    let store = Store(
      initial: [], interactor: search, configuration: StoreConfiguration(clock: clock), interceptors: [ring])
    let (first, second) = (store.send(.type("a")), store.send(.type("ab")))
    let wait = store.send(.wait(5))
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    _ = await first.outcome
    _ = await second.outcome
    clock.advance(by: .seconds(4))
    _ = await wait.outcome
    let third = store.send(.type("never"))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect(await third.outcome.kind == .timedOut)
    let states = await store.state
    #expect(states.count == 3)

    let report = await ring.recording.resimulate { Search(tape: $0) }
    #expect(report.differences.map(\.description) == [])
    #expect(report.actions == 4)
    #expect(report.state == states)
  }

  /// Asks, rests for a second, and asks again.
  struct Patrol: Interactor {
    let tape: GatewayTape
    /// Waits between the first reply and the rest.
    var pause: @Sendable () async throws -> Void = {}

    func handle(_ action: Int, state: Int) -> Effect<Patrol> {
      Effect { run in
        let first = try await tape.call("ask", action) { action }
        try await pause()
        try await run.clock.sleep(for: .seconds(1))
        run.emit(first + (try await tape.call("ask", action + 1) { action + 1 }))
      }
    }

    static func reduce(into state: inout Int, mutation: Int) { state += mutation }
  }

  @Test("A rest begins at the reply before it, however late the handler continues")
  func lateHandler() async throws {
    let clock = TestClock()
    let ring = RingRecorder<Patrol>(initial: 0, clock: clock)
    let store = Store(
      initial: 0, interactor: Patrol(tape: ring.tape), configuration: StoreConfiguration(clock: clock),
      interceptors: [ring])
    let receipts = (store.send(10), store.send(20))
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    _ = await receipts.0.outcome
    _ = await receipts.1.outcome

    // Each handler continues when the resimulation waits for the calls after the rests, whose time has passed by then.
    let (gate, patience) = (Gate(), TestClock())
    let reports = Recorder<ResimulationReport<Int>>()
    Task { [recording = ring.recording] in
      reports.record(
        await recording.resimulate(clock: patience) { tape in Patrol(tape: tape) { try await gate.enter() } })
    }
    try await gate.waitForArrivals(2)
    try await patience.waitForSleepers(1)
    gate.open()
    let report = try await reports.next()
    #expect(report.differences.map(\.description) == [])
    #expect(report.state == 62)
  }

  /// Asks up to four times, with the default backoff and jitter.
  struct Stubborn: Interactor {
    struct Busy: Error {}

    let tape: GatewayTape
    var plan = Plan.concurrent.retry(4)
    var ask: @Sendable () async throws -> Int = { throw Busy() }
    var returned: @Sendable () -> Void = {}

    func plan(for action: Int, state: [String]) -> Plan { plan }

    func handle(_ action: Int, state: [String]) -> Effect<Stubborn> {
      Effect { run in
        defer { returned() }
        run.emit("answer \(try await tape.call("ask", action, ask)) to attempt \(run.attempt)")
      }
    }

    func closing(_ action: Int, outcome: Outcome) -> String? { "\(outcome.kind)" }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  /// A random source that takes nothing away from a rest, so that each rest is the longest.
  struct Zeros: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { 0 }
  }

  /// Records a run of which three attempts fail, with rests that are drawn from a seed.
  private func recordRetries(seed: UInt64) async -> Recording<Stubborn> {
    let clock = ImmediateClock()
    let ring = RingRecorder<Stubborn>(initial: [], clock: clock)
    let asked = Recorder<Void>()
    let stubborn = Stubborn(tape: ring.tape) {
      asked.record(())
      if asked.recorded.count < 4 { throw Stubborn.Busy() }
      return 7
    }
    var configuration = StoreConfiguration(clock: clock)
    configuration.random = SeededGenerator(seed: seed)
    let store = Store(initial: [], interactor: stubborn, configuration: configuration, interceptors: [ring])
    #expect(await store.send(1).outcome.kind == .finished)
    #expect(await store.state == ["answer 7 to attempt 4"])
    return ring.recording
  }

  private func rests(of recording: Recording<Stubborn>) -> [RecordedRest] {
    recording.entries.compactMap { if case .rest(let rest) = $0 { rest } else { nil } }
  }

  @Test("A run with the default jitter rests as long again as it did, whatever is drawn", arguments: 1...8)
  func restsAgain(seed: UInt64) async throws {
    let recording = await recordRetries(seed: seed)
    #expect(rests(of: recording).map(\.attempt) == [1, 2, 3])
    #expect(Set(rests(of: recording).map(\.duration)).count == 3)
    var configuration = StoreConfiguration()
    configuration.random = Zeros()
    let read = try Recording<Stubborn>.read(from: recording.jsonLines())
    let report = await read.resimulate(configuration: configuration) { Stubborn(tape: $0) }
    #expect(report.differences.map(\.description) == [])
    #expect(report.replies == 4)
    #expect(report.state == ["answer 7 to attempt 4"])
  }

  @Test("In a recording of version 1, which has no rests, they are drawn")
  func drawnRests() async throws {
    let recording = await recordRetries(seed: 1)
    let old = Recording<Stubborn>(
      header: recording.header, start: recording.start,
      entries: recording.entries.filter { if case .rest = $0 { false } else { true } })
    var configuration = StoreConfiguration()
    configuration.random = SeededGenerator(seed: 1)
    let report = await old.resimulate(configuration: configuration) { Stubborn(tape: $0) }
    #expect(report.differences.map(\.description) == [])
    #expect(report.state == ["answer 7 to attempt 4"])
  }

  @Test("A rest behind an attempt that was given up begins when the attempt's time was over")
  func restBehindTimeout() async throws {
    let plan = Plan.concurrent.retry(2).attemptTimeout(.seconds(1))
    let recording = try await recordTimeout(plan) { gate in try await gate.enter() }
    var configuration = StoreConfiguration()
    configuration.random = Zeros()
    let report = await recording.resimulate(configuration: configuration) { Stubborn(tape: $0, plan: plan) }
    #expect(report.differences.map(\.description) == [])
    #expect(report.state == ["answer 7 to attempt 2"])
  }

  @Test("A call that was given up and returned after the next attempt's call keeps its own reply")
  func lateReply() async throws {
    let plan = Plan.concurrent.retry(2).attemptTimeout(.seconds(1))
    // The call is made outside of the attempt's task, and so does not see that it was cancelled.
    let recording = try await recordTimeout(plan) { gate in try await Task { try await gate.enter() }.value }
    let replies = recording.entries.compactMap { if case .call(let call) = $0 { call.reply } else { nil } }
    #expect(replies == [.reply("7"), .reply("1")])
    let clock = TestClock()  // Nothing is waited for in vain.
    let report = await recording.resimulate(clock: clock) { Stubborn(tape: $0, plan: plan) }
    #expect(report.differences.map(\.description) == [])
    #expect(report.state == ["answer 7 to attempt 2"])
    #expect(report.replies == 1)  // A resimulated call sees that it was cancelled.
  }

  /// Records a run whose first attempt was given up; `wait` is in its call until the gate is opened, once the action has ended.
  private func recordTimeout(
    _ plan: Plan, _ wait: @escaping @Sendable (Gate) async throws -> Void
  ) async throws -> Recording<Stubborn> {
    let clock = TestClock()
    let ring = RingRecorder<Stubborn>(initial: [], clock: clock)
    let gate = Gate()
    let (asked, returned) = (Recorder<Void>(), Recorder<Void>())
    let stubborn = Stubborn(tape: ring.tape, plan: plan) {
      asked.record(())
      guard asked.recorded.count == 1 else { return 7 }
      try await wait(gate)
      return 1
    } returned: {
      returned.record(())
    }
    let store = Store(
      initial: [], interactor: stubborn, configuration: StoreConfiguration(clock: clock), interceptors: [ring])
    let receipt = store.send(1)
    try await gate.waitForArrivals(1)
    for _ in 1...2 {
      try await clock.waitForSleepers(1)
      clock.advance(to: try #require(clock.deadlines.first))
    }
    #expect(await receipt.outcome.kind == .finished)
    gate.open()
    _ = try await returned.next(2)  // The call of the attempt that was given up is recorded by then.
    #expect(rests(of: ring.recording).map(\.at) == [1_000_000_000])
    return ring.recording
  }
}
