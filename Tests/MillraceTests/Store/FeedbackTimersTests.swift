import MillraceTesting
import Testing

@testable import Millrace

/// Timers of a state, whose actions are recorded and may leave the timer as it is.
private struct Alarms: Interactor {
  struct State: Sendable, Equatable {
    var timers = Timers<String>()
    var fired: [String] = []
  }

  enum Action: Sendable {
    case set(String, at: Int64)
    case remove(String)
    case fire(String)
    /// Puts these timers in place of all that there are.
    case replace(Timers<String>)
  }

  enum Mutation: Sendable {
    case set(String, at: Int64)
    case remove(String)
    case fired(String)
    case replace(Timers<String>)
  }

  struct Refused: Error {}

  /// The ids whose timer an action leaves in the state.
  var kept: Set<String> = []
  /// The ids whose actions are rejected.
  var refused: Set<String> = []
  var asked = Recorder<String>()

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .set(let id, let time): return .mutate(.set(id, at: time))
    case .remove(let id): return .mutate(.remove(id))
    case .replace(let timers): return .mutate(.replace(timers))
    case .fire(let id):
      asked.record(id)
      if refused.contains(id) { return .reject(Refused()) }
      return .mutate(kept.contains(id) ? [.fired(id)] : [.fired(id), .remove(id)])
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .set(let id, let time): state.timers.set(id, at: time)
    case .remove(let id): state.timers.remove(id)
    case .fired(let id): state.fired.append(id)
    case .replace(let timers): state.timers = timers
    }
  }
}

/// A test clock that records the deadlines of all sleeps.
private struct RecordedClock: Clock {
  let clock = TestClock()
  let deadlines = Recorder<Duration>()

  var now: TestClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    deadlines.record(deadline.offset)
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  /// Waits until a task sleeps to a deadline; earlier sleeps are left out.
  func waitForSleep(until deadline: Duration) async throws {
    while try await deadlines.next() != deadline {}
    try await clock.waitForSleepers(1)
  }
}

@Suite("Feedback.timers", .timeLimit(.minutes(1)))
struct FeedbackTimersTests {
  private let recorded = RecordedClock()
  private var clock: TestClock { recorded.clock }

  private func store(
    _ alarms: Alarms = Alarms(), _ timers: KeyValuePairs<String, Int64> = [:], wallTime: (@Sendable () -> Int64)? = nil
  ) -> Store<Alarms> {
    var state = Alarms.State()
    let begin = wallTime == nil ? now : 0
    for (id, time) in timers { state.timers.set(id, at: begin + time) }
    return Store(
      initial: state, interactor: alarms,
      configuration: .testing(clock: recorded, wallTime: wallTime ?? clock.wallTime),
      feedbacks: [.timers(of: \.timers) { .fire($0) }])
  }

  private var now: Int64 { clock.wallTime() }

  @Test("An action is sent once, when the wall time of its timer has come and not before")
  func due() async throws {
    let (alarms, begin) = (Alarms(), now)
    let store = store(alarms)
    store.send(.set("a", at: begin + 1_000))
    store.send(.set("b", at: begin + 3_000))
    try await recorded.waitForSleep(until: .seconds(1))
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    try await store.wait { $0.fired == ["a"] }
    try await recorded.waitForSleep(until: .seconds(3))
    clock.advance(by: .seconds(2))
    try await store.wait { $0.fired == ["a", "b"] }
    #expect(try await alarms.asked.next(2) == ["a", "b"])
    await store.shutdown()
    #expect(alarms.asked.recorded == ["a", "b"])
  }

  @Test("Times that were over when the store began are due at once, in their order")
  func past() async throws {
    let store = store(Alarms(), ["b": -1, "c": 0, "a": -1, "late": 1])
    #expect(try await store.wait { $0.fired.count == 3 }.fired == ["b", "a", "c"])
  }

  @Test("The sleep follows the earliest time as it changes, and without a timer there is none")
  func earliest() async throws {
    let begin = now
    let store = store(Alarms(), ["a": 50_000])
    try await recorded.waitForSleep(until: .seconds(50))
    store.send(.set("b", at: begin + 2_000))
    try await recorded.waitForSleep(until: .seconds(2))
    store.send(.set("b", at: begin + 8_000))
    try await recorded.waitForSleep(until: .seconds(8))
    store.send(.remove("b"))
    try await recorded.waitForSleep(until: .seconds(50))
    store.send(.remove("a"))
    store.send(.set("c", at: begin + 70_000))
    store.send(.remove("c"))
    store.send(.set("d", at: begin + 30_000))
    try await recorded.waitForSleep(until: .seconds(30))
    try await clock.waitForSleepers()
    #expect(clock.sleepers == 1)
  }

  @Test(
    "While a timer is due and stays, its action is sent again after 1 s, and after twice the delay each time, up to a minute"
  )
  func again() async throws {
    for alarms in [Alarms(kept: ["a"]), Alarms(refused: ["a"])] {
      let test = FeedbackTimersTests()
      let store = test.store(alarms, ["a": 0])
      var end = Duration.zero
      for delay in [1, 2, 4, 8, 16, 32, 60, 60] {
        #expect(try await alarms.asked.next() == "a")
        end += .seconds(delay)
        try await test.recorded.waitForSleep(until: end)
        test.clock.advance(to: .init(offset: end - .milliseconds(1)))
        test.clock.advance(to: .init(offset: end))
      }
      #expect(try await alarms.asked.next() == "a")
      await store.shutdown()
      #expect(alarms.asked.recorded.count == 9)
    }
  }

  @Test("A timer that is set while another one is due and stays comes at its time")
  func behindStuck() async throws {
    let begin = now
    let store = store(Alarms(kept: ["stuck"]), ["stuck": 0])
    try await store.wait { $0.fired == ["stuck"] }
    try await recorded.waitForSleep(until: .seconds(1))
    store.send(.set("a", at: begin + 300))
    try await recorded.waitForSleep(until: .milliseconds(300))
    clock.advance(by: .milliseconds(300))
    #expect(try await store.wait { $0.fired.last == "a" }.fired == ["stuck", "a"])
    try await recorded.waitForSleep(until: .seconds(1))
  }

  @Test("Timers that are made anew, with as many changes as those before, are noticed behind one that is due and stays")
  func madeAnew() async throws {
    let begin = now
    func timers(_ times: KeyValuePairs<String, Int64>) -> Timers<String> {
      var timers = Timers<String>()
      for (id, time) in times { timers.set(id, at: begin + time) }
      return timers
    }
    let store = store(Alarms(kept: ["stuck"]))
    store.send(.replace(timers(["stuck": 0, "a": 90_000])))
    try await store.wait { $0.fired == ["stuck"] }
    // The third change, which the feedback knows of once it sleeps.
    store.send(.set("b", at: begin + 500))
    try await recorded.waitForSleep(until: .milliseconds(500))
    store.send(.replace(timers(["stuck": 0, "a": 90_000, "b": 300])))
    try await recorded.waitForSleep(until: .milliseconds(300))
  }

  @Test("A timer that its action sets anew is due again at its new time, without a delay")
  func setAnew() async throws {
    let begin = now
    let store = store(Alarms(kept: ["a"]), ["a": 0])
    try await store.wait { $0.fired == ["a"] }
    store.send(.set("a", at: begin + 100))
    try await recorded.waitForSleep(until: .milliseconds(100))
    clock.advance(by: .milliseconds(100))
    try await store.wait { $0.fired == ["a", "a"] }
    store.send(.set("a", at: begin - 5))
    try await store.wait { $0.fired == ["a", "a", "a"] }
  }

  @Test("The wall time is read each minute: set forward it is noticed by then, and set back no action comes early")
  func wallTimeSet() async throws {
    let wall = Box<Int64>(0)
    let store = store(Alarms(), ["a": 600_000], wallTime: { wall.value })
    try await recorded.waitForSleep(until: .seconds(60))
    wall.update { $0 = 599_000 }
    clock.advance(by: .seconds(60))
    try await recorded.waitForSleep(until: .seconds(61))
    wall.update { $0 = 570_000 }
    clock.advance(by: .seconds(1))
    try await recorded.waitForSleep(until: .seconds(91))
    #expect(await store.state.fired.isEmpty)
    wall.update { $0 = 600_000 }
    clock.advance(by: .seconds(30))
    try await store.wait { $0.fired == ["a"] }
  }

  @Test("After the wall time was set back, an action whose timer stays is sent again after its delay")
  func wallTimeSetBackBehindStuck() async throws {
    let (wall, alarms) = (Box<Int64>(1_000_000), Alarms(kept: ["a"]))
    let store = store(alarms, ["a": 0], wallTime: { wall.value })
    // The second look comes with the commit of the action. It must read the time before that is set back.
    #expect(try await recorded.deadlines.next(2) == [.seconds(1), .seconds(1)])
    try await clock.waitForSleepers(1)
    wall.update { $0 = 500_000 }
    clock.advance(by: .seconds(1))
    try await recorded.waitForSleep(until: .seconds(2))
    wall.update { $0 = 501_000 }
    clock.advance(by: .seconds(1))
    #expect(try await store.wait { $0.fired.count == 2 }.fired == ["a", "a"])
  }

  @Test("A wall time that is set back while the timers are looked at does not lengthen the sleep until the next look")
  func wallTimeSetBackBetween() async throws {
    let reads = Box(0)
    let wallTime: @Sendable () -> Int64 = {
      reads.update { reads in
        reads += 1
        return reads == 1 ? 1_000_000 : 500_000
      }
    }
    let store = store(Alarms(kept: ["a"]), ["a": 0], wallTime: wallTime)
    // The second look comes with the commit of the action, whose timer stays.
    #expect(try await recorded.deadlines.next(2) == [.seconds(1), .seconds(1)])
    #expect(await store.state.fired == ["a"])
  }

  @Test("No wall time and no time of a timer is a trap", arguments: [.min, -1, .max] as [Int64])
  func extremeTimes(_ wall: Int64) async throws {
    let store = store(Alarms(), ["past": .min, "never": .max], wallTime: { wall })
    try await store.wait { $0.fired == ["past"] }
    #expect(try await recorded.deadlines.next() <= .seconds(60))
  }

  @Test("A store without a timer looks at no clock")
  func noTimer() async throws {
    let store = Store(
      initial: Alarms.State(), interactor: Alarms(), configuration: .testing(clock: UnimplementedClock()),
      feedbacks: [.timers(of: \.timers) { .fire($0) }])
    store.send(.remove("a"))
    #expect(await store.state == Alarms.State())
    await store.shutdown()
  }
}
