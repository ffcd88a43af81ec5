import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The feedbacks of many keys", .timeLimit(.minutes(2)))
struct KeyFeedbacksTests {
  private typealias Keys = Stores<String, KeyReminders>
  private typealias Reminder = KeyFeedback<KeyReminders.State, KeyReminders.Action>

  private let journal = KeysJournal()
  private let clock = TestClock()
  /// The gate at which the handlers of `hang` wait.
  private let hanging = Gate()
  /// The queries whose effects have begun.
  private let begun = Recorder<Int>()

  private var now: Int64 { clock.wallTime() }

  private static let timers = Reminder.timers(of: \.timers) { .fire($0) }

  private func open(
    refused: Set<String> = [], _ feedbacks: @escaping @Sendable (String) -> [Reminder] = { _ in [Self.timers] }
  ) async throws -> Keys {
    try await Keys.open(
      name: "reminders", journal: journal, configuration: StoreConfiguration(clock: clock),
      initial: { _ in KeyReminders.State() }, feedbacks: feedbacks,
      interactor: { [hanging] _ in KeyReminders(refused: refused, hanging: hanging) })
  }

  /// A feedback whose effect waits at a gate, and then sends an answer.
  private func effect(_ gate: Gate, for queries: Set<Int> = [7], answers: Bool = true) -> Reminder {
    .react(to: \.query) { [begun] query, access in
      begun.record(query)
      if queries.contains(query) { try? await gate.enter() }
      if answers { access.send(.answered(query)) }
    }
  }

  private func due() async throws -> [JournalDue] {
    try await journal.due(in: JournalPartition(of: "reminders", number: 0), before: .max, after: nil, upTo: 100)
  }

  private func advance(to time: Int64) async throws {
    while now < time { try await clock.advanceToNextDeadline() }
  }

  // MARK: Timers

  @Test("K4: A timer opens a hibernated key when it is due and not before, and its action is done once")
  func timer() async throws {
    let stores = try await open()
    let time = now + 7_200_000
    #expect(await stores.send(.set("one", at: time), to: "a").outcome.kind == .finished)
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(stores.summary.live == 0)
    #expect(try await due() == [JournalDue(JournalKey("a", of: "reminders"), wake: time)])
    let appends = journal.appends.recorded.count
    while now < time {
      #expect(journal.openings.recorded == ["a"])
      try await clock.advanceToNextDeadline()
    }
    #expect(now == time)
    #expect(try await stores.wait(for: "a") { !$0.fired.isEmpty }.fired == ["one"])
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    #expect(try await stores.state(of: "a").fired == ["one"])
    #expect(journal.appends.recorded.count == appends + 1, "neither the opening nor the hibernation appends")
    await stores.shutdown()
  }

  @Test("K4: A record brings the wake time of the state to which it leads, and no other record is needed")
  func sameBatch() async throws {
    let stores = try await open()
    let begin = now
    let actions: [(KeyReminders.Action, JournalWake)] = [
      (.set("a", at: begin + 900_000), .at(begin + 900_000)), (.set("b", at: begin + 500_000), .at(begin + 500_000)),
      (.set("b", at: begin + 700_000), .at(begin + 700_000)), (.set("c", at: begin + 800_000), .keep),
      (.set("b", at: begin + 950_000), .at(begin + 800_000)), (.remove("c"), .at(begin + 900_000)),
      (.remove("a"), .at(begin + 950_000)), (.ask(1), .keep), (.remove("b"), .never), (.set("d", at: -5), .at(1)),
    ]
    for (action, wake) in actions {
      let receipt = stores.send(action, to: "a")
      #expect(await receipt.outcome.kind == .finished)
      // The first record brings the epoch with it.
      var brought = try await journal.wakes.next()
      while brought == .keep, wake != .keep { brought = try await journal.wakes.next() }
      #expect(brought == wake, "\(action)")
    }
    try await stores.wait(for: "a") { $0.fired == ["d"] }
    await stores.shutdown()
    #expect(try await due().isEmpty)
  }

  @Test(
    "K4: A timer that is due within a minute keeps its key live, and its action is sent again until it is not rejected")
  func soon() async throws {
    let stores = try await open(refused: ["no"])
    try await stores.commit(.set("far", at: now + 61_000), of: "far")
    try await stores.commit(.set("near", at: now + 59_000), of: "near")
    #expect(await stores.hibernateWhenIdle("far"))
    #expect(await stores.hibernate("near") == false)
    try await advance(to: now + 61_000)
    for key in ["near", "far"] {
      try await stores.wait(for: key) { $0.fired == [key] }
      #expect(await stores.hibernateWhenIdle(key))
    }
    try await stores.commit(.set("no", at: now), of: "a")
    for _ in 0..<5 { try await clock.advanceToNextDeadline() }
    #expect(await stores.hibernate("a") == false)
    #expect(await stores.send(.remove("no"), to: "a").outcome.kind == .finished)
    #expect(await stores.hibernateWhenIdle("a"))
    await stores.shutdown()
  }

  @Test(
    "K4: The earlier of a timer and of a rest is the wake time, and the last end of a run leaves that of the timers")
  func beside() async throws {
    let stores = try await open()
    let begin = now
    try await stores.commit(.set("early", at: begin + 1_800_000), of: "a")
    stores.send(.rest("late", at: begin + 36_000_000), to: "a")
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [begin + 1_800_000])
    try await advance(to: begin + 1_800_000)
    try await stores.wait(for: "a") { $0.fired == ["early"] }
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [begin + 3_600_000])
    try await advance(to: begin + 3_600_000)
    try await stores.wait(for: "a") { $0.timers.time(of: "late") != nil }
    while !stores.isIdle("a") { await stores.untilUnused("a") }
    #expect(try await due().map(\.wake) == [begin + 36_000_000])
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [begin + 36_000_000])
    await stores.shutdown()
  }

  @Test("K4: A program that asks for other times than the one before stores them when the key hibernates")
  func otherProgram() async throws {
    let first = try await open { _ in [] }
    let time = now + 7_200_000
    try await first.commit(.set("one", at: time), of: "a")
    await first.shutdown()
    #expect(try await due().isEmpty)
    let second = try await open()
    #expect(try await second.state(of: "a").timers.count == 1)
    #expect(await second.hibernateWhenIdle("a"))
    #expect(try await due().map(\.wake) == [time])
    let appends = journal.appends.recorded.count
    #expect(try await second.state(of: "a").timers.count == 1)
    #expect(await second.hibernateWhenIdle("a"))
    #expect(journal.appends.recorded.count == appends)
    await second.shutdown()
  }

  @Test("K4: A restart opens the keys whose timers were due meanwhile, and no others")
  func restart() async throws {
    let first = try await open()
    for index in 1...5 { try await first.commit(.set("t", at: now + Int64(index) * 3_600_000), of: "key \(index)") }
    await first.shutdown()
    let openings = journal.openings.recorded.count
    clock.advance(by: .seconds(2.5 * 3_600))
    let second = try await open()
    for index in 1...2 { try await second.wait(for: "key \(index)") { $0.fired == ["t"] } }
    #expect(Set(journal.openings.recorded.dropFirst(openings)) == ["key 1", "key 2"])
    await second.shutdown()
    #expect(try await due().count == 3)
  }

  @Test("K4: A run that a crash has ended leaves the wake time of the timers")
  func abandoned() async throws {
    let first = try await open()
    let time = now + 7_200_000
    try await first.commit(.set("one", at: time), of: "a")
    first.send(.hang, to: "a")
    try await hanging.waitForArrivals(1)
    #expect(try await due().map(\.wake) == [0])
    let second = try await open()
    #expect(try await second.state(of: "a").timers.count == 1)
    #expect(try await due().map(\.wake) == [time])
    await second.shutdown()
    await first.shutdown()
  }

  // MARK: Effects

  @Test("K4: An effect keeps its key in memory until it returns, and runs again when the key is opened")
  func effects() async throws {
    let gate = Gate()
    let stores = try await open { _ in [effect(gate, answers: false)] }
    try await stores.commit(.ask(7), of: "a")
    #expect(try await begun.next() == 7)
    try await gate.waitForArrivals(1)
    #expect(try await due().map(\.wake) == [0])
    #expect(await stores.hibernate("a") == false)
    gate.open()
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    #expect(try await stores.state(of: "a").query == 7)
    #expect(try await begun.next() == 7)
    #expect(await stores.hibernateWhenIdle("a"))
    try await stores.commit(.ask(nil), of: "a")
    #expect(await stores.hibernateWhenIdle("a"))
    let count = begun.recorded.count
    #expect(try await stores.state(of: "a").query == nil)
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(begun.recorded.count == count)
    await stores.shutdown()
  }

  @Test("K4: A commit beside an effect that has returned asks for no wake, and the next query does")
  func returned() async throws {
    let gate = Gate()
    let stores = try await open { _ in [effect(gate, for: [8])] }
    try await stores.commit(.ask(7), of: "a")
    try await stores.wait(for: "a") { $0.fired == ["answer 7"] }
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    try await stores.commit(.ask(8), of: "a")
    try await gate.waitForArrivals(1)
    #expect(try await due().map(\.wake) == [0])
    #expect(await stores.hibernate("a") == false)
    try await stores.commit(.ask(nil), of: "a")
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    await stores.shutdown()
  }

  @Test("K4: A shutdown leaves a key with an effect that runs as one to be opened, and a restart runs it again")
  func effectAfterShutdown() async throws {
    let gate = Gate()
    let feedbacks: @Sendable (String) -> [Reminder] = { _ in [effect(gate)] }
    let first = try await open(feedbacks)
    try await first.commit(.ask(7), of: "a")
    try await gate.waitForArrivals(1)
    #expect(await first.shutdown().isClean)
    #expect(try await due().map(\.wake) == [0])
    gate.open()
    let second = try await open(feedbacks)
    #expect(try await begun.next(2) == [7, 7])
    try await second.wait(for: "a") { $0.fired == ["answer 7"] }
    #expect(await second.hibernateWhenIdle("a"))
    #expect(try await due().isEmpty)
    await second.shutdown()
  }

  @Test("K7: An erasure ends the effects and the timers of a key")
  func erasure() async throws {
    let gate = Gate()
    let stores = try await open { _ in [effect(gate), Self.timers] }
    try await stores.commit(.set("one", at: now + 7_200_000), of: "a")
    stores.send(.ask(7), to: "a")
    try await gate.waitForArrivals(1)
    try await stores.erase("a")
    #expect(try await due().isEmpty)
    #expect(try await stores.keys().isEmpty)
    #expect(try await stores.state(of: "a") == KeyReminders.State())
    await stores.shutdown()
  }

  // MARK: First actions

  @Test("First actions are sent at each opening, before those that have opened the key")
  func start() async throws {
    let stores = try await open { _ in [.start(.fire("start"), .fire("then")), Self.timers] }
    #expect(try await stores.request(.fire("sent"), of: "a") { $0.fired } == ["start", "then", "sent"])
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(try await stores.state(of: "a").fired == ["start", "then", "sent", "start", "then"])
    await stores.shutdown()
  }

  // MARK: Without a journal

  @Test("Without a journal a timer keeps its key in memory, and the key leaves once its state is the initial one again")
  func inMemory() async throws {
    let stores = Keys.inMemory(
      name: "reminders", configuration: StoreConfiguration(clock: clock), initial: { _ in KeyReminders.State() },
      feedbacks: { _ in [.timers(of: \.timers) { _ in .forget }] }, interactor: { _ in KeyReminders() })
    try await stores.commit(.set("session", at: now + 3_600_000), of: "a")
    #expect(await stores.hibernate("a") == false)
    let end = now + 3_600_000
    _ = try await stores.state(of: "a")
    while now < end {
      #expect(stores.summary.live == 1)
      try await clock.advanceToNextDeadline()
    }
    #expect(try await stores.wait(for: "a") { $0.timers.isEmpty } == KeyReminders.State())
    #expect(await stores.hibernateWhenIdle("a"))
    #expect(stores.summary.live == 0)
    await stores.shutdown()
  }

  @Test("Without a journal a timer of the initial state keeps its key in memory too")
  func inMemoryInitial() async throws {
    let time = now + 7_200_000
    let stores = Keys.inMemory(
      name: "reminders", configuration: StoreConfiguration(clock: clock),
      initial: { _ in
        var state = KeyReminders.State()
        state.timers.set("first", at: time)
        return state
      }, feedbacks: { _ in [Self.timers] }, interactor: { _ in KeyReminders() })
    #expect(try await stores.state(of: "a").timers.count == 1)
    #expect(await stores.hibernate("a") == false)
    await stores.shutdown()
  }

  @Test("Without a journal a key whose timer brings back the initial state hibernates by itself, without another use")
  func inMemoryByItself() async throws {
    let stores = Keys.inMemory(
      name: "reminders", limits: StoresLimits(idle: .seconds(10)), configuration: StoreConfiguration(clock: clock),
      initial: { _ in KeyReminders.State() }, feedbacks: { _ in [.timers(of: \.timers) { _ in .forget }] },
      interactor: { _ in KeyReminders() })
    try await stores.commit(.set("session", at: now + 3_600_000), of: "a")
    let advances = Task { while true { try await clock.advanceToNextDeadline(timeout: .seconds(60)) } }
    await stores.untilHibernatedByItself("a")
    advances.cancel()
    #expect(clock.now.offset >= .seconds(3_610))
    #expect(stores.summary.live == 0)
    await stores.shutdown()
  }
}
