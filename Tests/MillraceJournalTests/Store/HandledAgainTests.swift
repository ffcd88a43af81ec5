import Millrace
import MillraceJournal
import MillraceTesting
import Synchronization
import Testing

@Suite("Runs that are handled again", .timeLimit(.minutes(1)))
struct HandledAgainTests {
  /// A part of a plan, or of the limits, that an action meets which is new.
  enum Cause: CaseIterable {
    case debounce, throttle, spacing, serial, exclusive, latest, shared, limited, breaker, room

    var plan: Plan {
      switch self {
      case .debounce: .concurrent(max: 9, key: "k").debounce(.seconds(60))
      case .throttle: .concurrent(max: 9, key: "k").throttle(.seconds(60))
      case .spacing: .serial(key: "k").spacing(.seconds(60))
      case .serial: .serial(key: "k")
      case .exclusive: .exclusive(key: "k")
      case .latest: .latest(key: "k")
      case .shared: .shared(key: "k")
      case .limited: .concurrent.limited(to: 1, key: "k")
      case .breaker: .serial(key: "k").breaker(Plan.Breaker(failures: 1, openFor: .seconds(60)))
      case .room: .concurrent
      }
    }

    /// Whether one run of the key is handled at a time.
    var takesTurns: Bool {
      switch self {
      case .spacing, .serial, .exclusive, .latest, .shared, .breaker: true
      case .debounce, .throttle, .limited, .room: false
      }
    }
  }

  // A throttle rejected the second run, a debounce superseded the first one, `.exclusive` dropped the second, `.latest` superseded.
  @Test(
    "D3, T13: each run that is open is handled again, whatever its plan and the limits say", arguments: Cause.allCases)
  func everyRunIsHandled(_ cause: Cause) async throws {
    let journal = MemoryJournal()
    let gate = Gate()
    let first = try await Store.open(
      initial: [], interactor: Parcels { _, _ in try await gate.enter() }, journal: journal, key: "k")
    let receipts = (1...3).map { first.send($0) }
    try await gate.waitForArrivals(3)

    var configuration = StoreConfiguration(clock: TestClock())
    configuration.limits = StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0, onOverflow: .dropOldest)
    let parcels = Parcels(plan: cause.plan) { run, number in
      if cause == .breaker { throw Lost() }
      run.emit("done \(number)")
    }
    let second = try await Store.open(
      initial: [], interactor: parcels, journal: journal, key: "k", configuration: configuration)
    let ends = try await second.wait { $0.count == 3 }
    let expected = (1...3).map { cause == .breaker ? "failed \($0)" : "done \($0)" }
    #expect(cause.takesTurns ? ends == expected : ends.sorted() == expected)
    withExtendedLifetime((first, receipts)) {}
  }

  @Test("T13: of the runs that are handled again only as many are handled at once as their limit has permits")
  func permits() async throws {
    let journal = MemoryJournal()
    let (before, after) = (Gate(), Gate())
    let first = try await Store.open(
      initial: [], interactor: Parcels { _, _ in try await before.enter() }, journal: journal, key: "k")
    let receipts = (1...5).map { first.send($0) }
    try await before.waitForArrivals(5)

    let parcels = Parcels(plan: .concurrent.limited(to: 2, key: "k")) { run, number in
      try await after.enter()
      run.emit("done \(number)")
    }
    let second = try await Store.open(initial: [], interactor: parcels, journal: journal, key: "k")
    try await after.waitForArrivals(2)
    let metrics = await second.metrics
    #expect(metrics.inFlight == 2 && metrics.waiting == 3)
    after.open()
    #expect(try await second.wait { $0.count == 5 }.sorted() == (1...5).map { "done \($0)" })
    withExtendedLifetime((first, receipts)) {}
  }

  @Test(
    "T14: a timeout runs on while no process has the store; after it the run ends with its closing, before any handler",
    arguments: [(40_000, 20), (59_999, 0.001), (60_000, nil), (.max, nil), (0, 60), (-3_600_000, 60)]
      as [(Int64, Double?)])
  func timeout(_ passed: Int64, _ rest: Double?) async throws {
    let (journal, gate, handled) = (MemoryJournal(), Gate(), Recorder<Int>())
    let time = Time()
    let parcels = Parcels(plan: .concurrent.timeout(.seconds(60))) { _, number in
      handled.record(number)
      try await gate.enter()
    }
    func open(_ clock: TestClock) async throws -> Store<Parcels> {
      try await Store.open(
        initial: [], interactor: parcels, journal: journal, key: "k",
        configuration: StoreConfiguration(clock: clock, wallTime: { time.now }))
    }
    let (before, after) = (TestClock(), TestClock())
    let first = try await open(before)
    let receipt = first.send(1)
    try await gate.waitForArrivals(1)

    time.pass(passed)
    let second = try await open(after)
    if let rest {
      try await gate.waitForArrivals(2)
      try await after.waitForSleepers(1)
      #expect(after.deadlines.map(\.offset) == [.seconds(rest)])
      after.advance(by: .seconds(rest))
    }
    #expect(try await second.wait { !$0.isEmpty } == ["timedOut 1"])
    #expect(handled.recorded.count == (rest == nil ? 1 : 2))
    withExtendedLifetime((first, receipt)) {}
  }
}

/// A wall time that a test moves.
private final class Time: Sendable {
  private let milliseconds = Mutex<Int64>(1_767_225_600_000)

  var now: Int64 { milliseconds.withLock { $0 } }

  func pass(_ passed: Int64) {
    milliseconds.withLock { $0 = passed == .max ? .max : $0 + passed }
  }
}

private struct Lost: Error {}

/// Numbered parcels that are delivered by a handler; a parcel that is not gets its outcome into the state.
private struct Parcels: Interactor {
  var plan = Plan.concurrent
  let deliver: @Sendable (Run<Parcels>, Int) async throws -> Void

  func plan(for action: Int, state: [String]) -> Plan { plan.recovery(.handleAgain) }

  func decide(_ action: Int, state: [String]) -> Decision<String> { .handle }

  func handle(_ action: Int, state: [String]) -> Effect<Self> {
    Effect { run in try await deliver(run, action) }
  }

  func closing(_ action: Int, outcome: Outcome) -> String? { "\(outcome.kind) \(action)" }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
}
