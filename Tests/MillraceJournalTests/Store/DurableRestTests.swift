import MillraceTesting
import Synchronization
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("Durable sleeps and waits", .timeLimit(.minutes(1)))
struct DurableRestTests {
  private let lives = Lives()
  private let woken = Recorder<Int64>()

  /// The handler of an order that sleeps for an hour.
  private var sleepsForAnHour: Stepped.Handling {
    { [woken, clock = lives.clock] run, _ in
      try await run.sleep("hour", for: .seconds(3_600))
      woken.record(clock.offset)
      try await run.step("ship", commit: { ["shipped"] }) { _ in }
    }
  }

  @Test(
    "A sleep of an hour whose store is opened again after 50 minutes sleeps the rest, and after 3 hours not at all",
    arguments: [50, 180])
  func restOfASleep(_ minutes: Int) async throws {
    let first = try await lives.open(sleepsForAnHour)
    first.send(.handle(1))
    try await lives.clock.waitForSleepers()
    lives.clock.advance(by: .seconds(20 * 60))
    #expect(woken.recorded.isEmpty)
    // The clock of the crashed process stands still for its handler.
    let clock = TestClock()
    clock.advance(by: .seconds(minutes * 60))
    let second = try await Store.open(
      initial: [],
      interactor: Stepped { [woken] run, _ in
        try await run.sleep("hour", for: .seconds(3_600))
        woken.record(clock.offset)
      }, journal: lives.journal, key: "k", configuration: StoreConfiguration(clock: clock))
    if minutes < 60 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10 * 60) - .milliseconds(1))
      try await clock.waitForSleepers()
      #expect(woken.recorded.isEmpty)
      clock.advance(by: .milliseconds(1))
    }
    #expect(try await woken.next() == Int64(max(minutes, 60) * 60))
    withExtendedLifetime((first, second)) {}
  }

  @Test("A crash between the end of a sleep and the next step does not sleep again")
  func afterASleep() async throws {
    let gate = Gate()
    let first = try await lives.open { run, _ in
      try await run.sleep("hour", for: .seconds(3_600))
      try await gate.enter()
    }
    first.send(.handle(1))
    try await lives.clock.waitForSleepers()
    lives.clock.advance(by: .seconds(3_600))
    try await gate.waitForArrivals(1)
    let second = try await lives.open(sleepsForAnHour)
    #expect(await second.end() == ["shipped"])
    #expect(woken.recorded == [3_600])
  }

  @Test(
    "A sleep ends when the wall time has come: not early after it was set back, and at most a minute late after it was set forward"
  )
  func setWallTime() async throws {
    let shift = Mutex<Int64>(0)
    let (clock, base) = (lives.clock, lives.clock.wallTime)
    let store = try await lives.open(
      wallTime: { base() + shift.withLock { $0 } * 1_000 },
      { [woken] run, _ in
        for name in ["back", "forward"] {
          try await run.sleep(name, for: .seconds(600))
          woken.record(clock.offset)
        }
      })
    let receipt = store.send(.handle(1))
    try await clock.waitForSleepers()
    shift.withLock { $0 = -300 }
    clock.advance(by: .seconds(600))
    try await clock.waitForSleepers()
    #expect(woken.recorded.isEmpty)
    clock.advance(by: .seconds(300))
    #expect(try await woken.next() == 900)
    try await clock.waitForSleepers()
    shift.withLock { $0 = 3_600 }
    clock.advance(by: .seconds(60))
    #expect(await receipt.outcome.kind == .finished)
    #expect(woken.recorded == [900, 960])
  }

  @Test("A wait of a day through 30 openings ends at the wall time that was fixed when it was first reached")
  func waitOfADay() async throws {
    let (clock, ended) = (lives.clock, Recorder<Int64>())
    let handling: Stepped.Handling = { run, _ in
      do {
        _ = try await run.wait("approval", timeout: .seconds(86_400)) { $0.first { $0 == "never" } }
      } catch let failure as StepFailure {
        #expect(failure.isTimeout)
        ended.record(clock.offset)
      }
    }
    let plan = Plan.concurrent.recovery(.handleAgain(limit: 30))
    var store = try await lives.open(plan: plan, handling)
    store.send(.handle(1))
    for life in 1...30 {
      try await clock.waitForSleepers(life)
      // A handler that rests takes its count back, and a record that comes after the next opening would end its store.
      try await store.waitUntilDurable()
      clock.advance(by: .seconds(2_000))
      store = try await lives.open(plan: plan, handling)
    }
    try await clock.waitForSleepers(31)
    clock.advance(by: .seconds(26_400) - .milliseconds(1))
    try await clock.waitForSleepers(31)
    #expect(ended.recorded.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(try await ended.next() == 86_400)
  }

  @Test(
    "A wait that saw a value has it after a crash, though the state has moved on; one that timed out throws that again")
  func waitedValue() async throws {
    let (gate, seen) = (Gate(), Recorder<String>())
    let handling: Stepped.Handling = { run, _ in
      seen.record(try await run.wait("value") { $0.last { $0.hasPrefix("value") } })
      do {
        seen.record(try await run.wait("never", timeout: .zero) { $0.first { $0 == "late" } })
      } catch let failure as StepFailure {
        seen.record("timed out: \(failure.isTimeout)")
      }
      try await gate.enter()
    }
    let first = try await lives.open(handling)
    first.send(.note("value 1"))
    first.send(.handle(1))
    try await gate.waitForArrivals(1)
    #expect(await first.send(.note("value 2")).outcome.kind == .finished)
    #expect(await first.send(.note("late")).outcome.kind == .finished)
    let second = try await lives.open(handling)
    try await gate.waitForArrivals(2)
    #expect(seen.recorded == ["value 1", "timed out: true", "value 1", "timed out: true"])
    withExtendedLifetime(second) {}
  }

  @Test("A wait whose timeout has passed while no process had the store still returns the value that the state has")
  func valueBehindTheTimeout() async throws {
    for _ in 1...10 {
      let (lives, clock, seen) = (Lives(), TestClock(), Recorder<Int>())
      let first = try await lives.open { run, _ in
        _ = try await run.wait("value", timeout: .seconds(60)) { _ in nil as Int? }
      }
      first.send(.note("a"))
      first.send(.handle(1))
      try await lives.clock.waitForSleepers()
      clock.advance(by: .seconds(120))
      let second = try await Store.open(
        initial: [],
        interactor: Stepped { run, _ in
          seen.record(try await run.wait("value", timeout: .seconds(60)) { $0.count })
        }, journal: lives.journal, key: "k", configuration: StoreConfiguration(clock: clock))
      #expect(await second.end() == ["a"])
      #expect(seen.recorded == [1])
    }
  }

  @Test("A wait without a timeout writes nothing until it has its value, and one with a timeout writes that first")
  func records() async throws {
    let reached = Gate()
    let store = try await lives.open { run, _ in
      for timeout in [nil, Duration.seconds(60)] {
        let name = timeout == nil ? "free" : "timed"
        _ = try await run.wait(name, timeout: timeout) { state -> Int? in
          reached.open()
          return state.contains(name) ? 1 : nil
        }
      }
    }
    let receipt = store.send(.handle(1))
    try await reached.enter()
    #expect(await store.send(.note("free")).outcome.kind == .finished)
    try await lives.clock.waitForSleepers()
    store.send(.note("timed"))
    #expect(await receipt.outcome.kind == .finished)
    let kinds = try await lives.journal.all("k").map(\.entry.kind)
    #expect(kinds == [.epoch, .takeUp, .decided, .step, .rest, .decided, .step, .end])
  }
}

extension TestClock {
  /// The whole seconds since the clock was made.
  fileprivate var offset: Int64 { now.offset.components.seconds }
}
